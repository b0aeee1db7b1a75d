"""F0, the wording of errors about displays."""

from __future__ import annotations

from typing import Any

from ._wording import message, shown


def no_display(expected: str, estimator: Any) -> TypeError:
    if isinstance(estimator, type):
        remedy = f"Call it: {estimator.__name__}()."
    elif hasattr(estimator, "steps"):
        remedy = "Of a pipeline pass one step, as pipeline[-1], and what comes to it, as pipeline[:-1].transform(X)."
    else:
        remedy = "Pass one, as RowLayerNorm()." if expected == "row norms" else "Pass one, as Standardizer()."
    return TypeError(message(expected, shown(estimator, 60), remedy))


def no_axes(n_panels: int, got: str) -> ValueError:
    remedy = f"Leave it out, or pass axes with x and y, as of plt.subplots(1, {n_panels})."
    return ValueError(message(f"ax to be None, one Axes, or {n_panels} of them in one figure", got, remedy))


def nothing_to_draw(shape: tuple[int, ...]) -> ValueError:
    return ValueError(message("at least one sample to draw", f"shape {shape}", "Pass some samples."))


def features_of_samples(name: str, features: Any) -> ValueError:
    remedy = "It is drawn by sample: select some, as X[:20]."
    return ValueError(message(f"features=None for {name}", shown(features, 60), remedy))


def no_vector(shape: tuple[int, ...]) -> ValueError:
    return ValueError(message("one vector, 1D", f"shape {shape}", "Pass one sample, as X[0]."))


def wrong_number_of_names(expected: int, got: int) -> ValueError:
    return ValueError(message(f"{expected} names, one for each entry", got, "Leave names out to number the entries."))
