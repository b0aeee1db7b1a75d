"""Files that cannot be written, and files that `sknorm.save` did not write."""

import json
import os
from unittest.mock import patch

import pandas as pd
from sklearn.pipeline import make_pipeline

import sknorm
from sknorm import MinMaxNormalizer, RowRMSNorm, Standardizer

from .row import Row, X, made_pipe, written

FRAME = pd.DataFrame(X, columns=["a", "b"])


def saved(norm):
    """The document in a file, without a wait for the disk."""
    with patch.object(os, "fsync"):
        sknorm.save(norm, "norm.json")
    with open("norm.json") as file:
        return json.load(file)


def load(text):
    return sknorm.load(written("norm.json", text))


def changed(norm, *where, to):
    """A file of a transformer in which something else stands somewhere."""
    document = inner = saved(norm)
    for key in where[:-1]:
        inner = inner[key]
    inner[where[-1]] = to
    return load(json.dumps(document))


def learnt(*where, to):
    return changed(Standardizer().fit(X), "statistics", *where, to=to)


def without_field(name):
    document = saved(Standardizer())
    del document[name]
    return load(json.dumps(document))


def integers(*values):
    return {"array": "int64", "shape": [len(values)], "data": list(values)}


def floats(*values):
    return {**integers(*values), "array": "float64"}


def pair(*values):
    return {"hi": floats(*values), "lo": floats(*[0.0] * len(values))}


def on_a_full_disk():
    with patch.object(os, "replace", side_effect=OSError(28, "No space left on device", ".1234.tmp")):
        return saved(Standardizer())


ROWS = [
    # save
    Row(
        lambda: saved(make_pipeline(Standardizer())),
        TypeError,
        "Expected a MinMaxNormalizer, Standardizer, RowLayerNorm, RowRMSNorm or RowSoftmax to save, got <class "
        "'sklearn.pipeline.Pipeline'>. Use skops.io.dump or pickle for others, or save the steps of a pipeline one "
        "by one.",
    ),
    Row(
        lambda: saved(Standardizer(mean=[1 + 1j, 2])),
        TypeError,
        "Expected mean to be of numbers, text, lists and arrays, to be saved, got complex of dtype complex128. "
        "Pass numbers of up to 64 bits: float(x), or x.astype(np.float64).",
    ),
    Row(
        lambda: saved(Standardizer(mean=10**400)),
        TypeError,
        "Expected mean to be of numbers, text, lists and arrays, to be saved, got int of dtype object. Pass "
        "numbers of up to 64 bits: float(x), or x.astype(np.float64).",
    ),
    Row(
        lambda: saved(MinMaxNormalizer().fit(X).set_params(clip="yes")),
        ValueError,
        "Expected clip to be True or False, got 'yes'. Pass a bool.",
    ),
    Row(
        lambda: sknorm.save(Standardizer(), "."),
        IsADirectoryError,
        "Expected the path of a file, got the directory '.'. Add the name of a file.",
    ),
    Row(
        lambda: sknorm.save(Standardizer(), "models/norm.json"),
        FileNotFoundError,
        "Expected a directory to write to, got '<...>/models', which is no directory. Create it first.",
    ),
    Row(
        lambda: sknorm.save(Standardizer(), made_pipe("pipe")),
        ValueError,
        "Expected the path of a regular file, got 'pipe'. Devices and pipes are not replaced: name a new file, or "
        "one to replace.",
    ),
    Row(
        lambda: sknorm.save(Standardizer(), None),
        TypeError,
        "Expected a path, str or path-like, got None, of type NoneType. Call save(estimator, path), or load(path).",
    ),
    Row(
        lambda: sknorm.save("norm.json", Standardizer()),
        TypeError,
        "Expected a path, str or path-like, got Standardizer(), of type Standardizer. Call save(estimator, path), "
        "or load(path).",
    ),
    Row(lambda: on_a_full_disk(), OSError, "[Errno 28] No space left on device: 'norm.json'", words="Python"),
    # load: the file
    Row(
        lambda: sknorm.load("absent.json"),
        FileNotFoundError,
        "[Errno 2] No such file or directory: '<...>/absent.json'",
        words="Python",
    ),
    Row(
        lambda: sknorm.load("."),
        IsADirectoryError,
        "Expected the path of a file, got the directory '.'. Add the name of a file.",
    ),
    Row(
        lambda: load(b"\xff"),
        ValueError,
        "Expected text, got bytes that are no UTF-8 (invalid start byte). The file is damaged, or sknorm.save did "
        "not write it: save the estimator again.",
    ),
    Row(
        lambda: load("{"),
        ValueError,
        "Expected JSON, got a fault at line 1, column 2 (Expecting property name enclosed in double quotes). The "
        "file is damaged, or sknorm.save did not write it: save the estimator again.",
    ),
    Row(
        lambda: load("1" * 5000),
        ValueError,
        "Expected integers of 64 bits, got "
        "'111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111.... "
        "The file is damaged, or sknorm.save did not write it: save the estimator again.",
    ),
    Row(
        lambda: load("[" * 100_000),
        ValueError,
        "Expected values nested a few levels deep, got more levels than can be read. The file is damaged, or "
        "sknorm.save did not write it: save the estimator again.",
    ),
    Row(
        lambda: load('{"format": 1, "format": 2}'),
        ValueError,
        "Expected every field once, got ['format', 'format']. The file is damaged, or sknorm.save did not write "
        "it: save the estimator again.",
    ),
    Row(
        lambda: load("[]"),
        ValueError,
        'Expected a document of "format": "sknorm", got []. The file is damaged, or sknorm.save did not write it: '
        "save the estimator again.",
    ),
    Row(
        lambda: changed(Standardizer(), "version", to="1"),
        ValueError,
        "Expected a version, 1 or above, got '1'. The file is damaged, or sknorm.save did not write it: save the "
        "estimator again.",
    ),
    Row(
        lambda: changed(Standardizer(), "version", to=2),
        ValueError,
        "Expected a file of format version 1, got version 2. Update sknorm, which reads its older versions.",
    ),
    Row(
        lambda: changed(Standardizer(), "class", to="Pipeline"),
        ValueError,
        "Expected a class among ['MinMaxNormalizer', 'Standardizer', 'RowLayerNorm', 'RowRMSNorm', 'RowSoftmax'], "
        "got 'Pipeline'. The file is damaged, or sknorm.save did not write it: save the estimator again.",
    ),
    Row(
        lambda: without_field("output"),
        ValueError,
        "Expected the document to have its fields and no others, got one without ['output']. The file is damaged, "
        "or sknorm.save did not write it: save the estimator again.",
    ),
    # load: the parameters
    Row(
        lambda: changed(Standardizer(), "parameters", "copy", to={"exec": "code"}),
        ValueError,
        "Expected copy as a number, text, a list, an array or a dtype, got {'exec': 'code'}. The file is damaged, "
        "or sknorm.save did not write it: save the estimator again.",
    ),
    Row(
        lambda: changed(Standardizer(), "parameters", "mean", to={"array": "float64", "shape": [2], "data": [1.0]}),
        ValueError,
        "Expected mean to be an array of numbers that its dtype and shape can hold, got 1 values for 'float64' of "
        "shape [2]. The file is damaged, or sknorm.save did not write it: save the estimator again.",
    ),
    Row(
        lambda: changed(Standardizer(), "parameters", to=3),
        ValueError,
        "Expected the parameters of Standardizer to have its fields and no others, got 3. The file is damaged, or "
        "sknorm.save did not write it: save the estimator again.",
    ),
    Row(
        lambda: changed(Standardizer(), "output", to="arrow"),
        ValueError,
        'Expected output to be null, "default", "pandas" or "polars", got \'arrow\'. The file is damaged, or '
        "sknorm.save did not write it: save the estimator again.",
    ),
    Row(
        lambda: changed(Standardizer(), "requests", to={"predict": {}}),
        ValueError,
        "Expected requests of metadata by ('fit', 'partial_fit', 'inverse_transform'), got {'predict': {}}. The "
        "file is damaged, or sknorm.save did not write it: save the estimator again.",
    ),
    Row(
        lambda: changed(Standardizer(), "requests", to={"fit": {"sample_weight": 3}}),
        ValueError,
        "Expected requests to be true, false or a name, got 3. The file is damaged, or sknorm.save did not write "
        "it: save the estimator again.",
    ),
    # load: what fit learnt
    Row(
        lambda: changed(Standardizer().fit(X), "n_features_in", to=0),
        ValueError,
        "Expected n_features_in to be a number of features, got 0. The file is damaged, or sknorm.save did not "
        "write it: save the estimator again.",
    ),
    Row(
        lambda: changed(RowRMSNorm(), "statistics", to=3),
        ValueError,
        "Expected no statistics without fit, or for a class that learns none, got 3. The file is damaged, or "
        "sknorm.save did not write it: save the estimator again.",
    ),
    Row(
        lambda: changed(Standardizer().fit(FRAME), "feature_names_in", to=["a", 1]),
        ValueError,
        "Expected feature_names_in to be a list of texts, got ['a', 1]. The file is damaged, or sknorm.save did "
        "not write it: save the estimator again.",
    ),
    Row(
        lambda: changed(Standardizer().fit(FRAME), "feature_names_in", to=["a", "a"]),
        ValueError,
        "Expected feature_names_in to be 2 different names, got ['a', 'a']. The file is damaged, or sknorm.save "
        "did not write it: save the estimator again.",
    ),
    Row(
        lambda: learnt("count", to=integers(2, -1)),
        ValueError,
        "Expected count to be 2 numbers of at least 0, got {'array': 'int64', 'shape': [2], 'data': [2, -1]}. The "
        "file is damaged, or sknorm.save did not write it: save the estimator again.",
    ),
    Row(
        lambda: learnt("n_samples", to=-1),
        ValueError,
        "Expected n_samples to be a number of at least 0, got -1. The file is damaged, or sknorm.save did not "
        "write it: save the estimator again.",
    ),
    Row(
        lambda: learnt("n_samples", to={"float": "inf"}),
        ValueError,
        "Expected n_samples to be finite without weights, got inf. The file is damaged, or sknorm.save did not "
        "write it: save the estimator again.",
    ),
    Row(
        lambda: learnt("dtype", to="float64"),
        ValueError,
        "Expected a dtype of the data, got 'float64'. The file is damaged, or sknorm.save did not write it: save "
        "the estimator again.",
    ),
    Row(
        lambda: learnt("minimum", to=pair(1.0)),
        ValueError,
        "Expected minimum to be two arrays of 2 float64, got {'hi': {'array': 'float64', 'shape': [1], 'data': "
        "[1.0]}, 'lo': {'array': 'float64', 'shape': [1], '.... The file is damaged, or sknorm.save did not write "
        "it: save the estimator again.",
    ),
    Row(
        lambda: learnt("minimum", to=pair("nan", 1.0)),
        ValueError,
        "Expected minimum to be finite and normalised where there are values, and NaN where there are none, got "
        "{'hi': {'array': 'float64', 'shape': [2], 'data': ['nan', 1.0]}, 'lo': {'array': 'float64', 'shape':.... "
        "The file is damaged, or sknorm.save did not write it: save the estimator again.",
    ),
    Row(
        lambda: learnt("minimum", to=pair(5.0, 5.0)),
        ValueError,
        "Expected no minimum above its maximum, got {'hi': {'array': 'float64', 'shape': [2], 'data': [5.0, 5.0]}, "
        "'lo': {'array': 'float64', 'shape': [.... The file is damaged, or sknorm.save did not write it: save the "
        "estimator again.",
    ),
    Row(
        lambda: learnt("variance", to=pair(-1.0, 1.0)),
        ValueError,
        "Expected a variance of at least 0, got {'hi': {'array': 'float64', 'shape': [2], 'data': [-1.0, 1.0]}, "
        "'lo': {'array': 'float64', 'shape': .... The file is damaged, or sknorm.save did not write it: save the "
        "estimator again.",
    ),
    Row(
        lambda: learnt("variance", to=pair(9.0, 9.0)),
        ValueError,
        "Expected a variance of at most (maximum - minimum)**2 / 4, got {'hi': {'array': 'float64', 'shape': [2], "
        "'data': [9.0, 9.0]}, 'lo': {'array': 'float64', 'shape': [.... The file is damaged, or sknorm.save did "
        "not write it: save the estimator again.",
    ),
    Row(
        lambda: learnt("variance", to=pair(0.0, 0.0)),
        ValueError,
        "Expected a variance above 0 where minimum and maximum differ, got {'hi': {'array': 'float64', 'shape': "
        "[2], 'data': [0.0, 0.0]}, 'lo': {'array': 'float64', 'shape': [.... The file is damaged, or sknorm.save "
        "did not write it: save the estimator again.",
    ),
    Row(
        lambda: learnt("above", to=pair(9.0, 9.0)),
        ValueError,
        "Expected a mean between minimum and maximum, got {'hi': {'array': 'float64', 'shape': [2], 'data': [9.0, "
        "9.0]}, 'lo': {'array': 'float64', 'shape': [.... The file is damaged, or sknorm.save did not write it: "
        "save the estimator again.",
    ),
]
