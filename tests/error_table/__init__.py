"""The table of all errors and warnings, by theme: a call, the type of what it raises, and the whole text."""

from . import (
    checkpoint,
    dask_collections,
    data,
    frames,
    infinities,
    libraries,
    onnx,
    parameters,
    persistence,
    plotting,
    samples,
    torch_modules,
    weights,
)

INPUT = (parameters, data, infinities, weights, samples, frames, dask_collections, libraries)
OTHER_SYSTEMS = (checkpoint, torch_modules, persistence, onnx, plotting)
ROWS = {
    f"{theme.__name__.rpartition('.')[2]}-{number}": row
    for theme in (*INPUT, *OTHER_SYSTEMS)
    for number, row in enumerate(theme.ROWS)
}
