"""What the two machines of test_stateful.py share: a transformer, and what is true of any at any time."""

import pickle
import tempfile
import warnings
from copy import deepcopy
from math import prod
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import sknorm

from .awkward import LAYOUTS, groups, laid_out

PATH = Path(tempfile.mkdtemp(), "norm.json")
DTYPES = ["float64", "float32", "float16", "int64", "uint8", "bool"]
SPOILT = ["infinity", "width", "text", "complex", "axes", "no features", "names"]


def state(norm):
    """All that a transformer is; the file only where its parameters can be saved."""
    try:
        sknorm.save(norm, PATH)
    except ValueError:
        return pickle.dumps(vars(norm)), None
    return pickle.dumps(vars(norm)), PATH.read_text()


def spoilt(kind, width):
    """Data that no method of a transformer of this width takes."""
    X = np.ones((2, width))
    if kind == "infinity":
        X[1, -1] = np.inf
    return {
        "infinity": X,
        "width": np.ones((2, width + 1)),
        "text": X.astype(str),
        "complex": X.astype(complex),
        "axes": X[0],
        "no features": X[:, :0],
        "names": pd.DataFrame(X, columns=[f"other {j}" for j in range(width)]),
    }[kind]


class Machine(RuleBasedStateMachine):
    """A transformer, and the width and names that it should know: None before fit, and without names."""

    def __init__(self):
        super().__init__()
        self.norm = self.width = self.names = None
        self.frames = False  # whether set_output asks for them

    def new_width(self, data):
        """A width for data that are learned anew, with names or without."""
        self.width = data.draw(st.integers(1, 3))
        self.names = list("abc"[: self.width]) if data.draw(st.booleans()) else None
        return self.width

    def batch(self, data, width):
        """A few samples of any dtype, layout and number of axes; a frame where names are known."""
        dtype, inner = data.draw(st.sampled_from(DTYPES)), data.draw(st.sampled_from([(), (), (2,)]))
        shape = (data.draw(st.integers(1, 4)), *(() if self.names else inner))
        X = np.array([data.draw(groups(dtype, prod(shape))) for _ in range(width)]).T.reshape(*shape, width)
        if self.names:
            return pd.DataFrame(X, columns=self.names)
        return laid_out(X, data.draw(st.sampled_from(LAYOUTS)))

    def refused(self, call):
        """A call that is refused says why, and changes nothing."""
        before = state(self.norm)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X does not have valid|X has feature names", UserWarning)
            with pytest.raises((ValueError, TypeError, NotFittedError)) as error:
                call()
        assert str(error.value)
        assert state(self.norm) == before

    def called(self, method, X, **more):
        """The values that a call returns, in the frame that was asked for; None where there can be none."""
        call = getattr(self.norm, method)
        frames = self.frames and (method == "transform" or isinstance(X, pd.DataFrame))
        if frames and X.ndim > 2:
            return self.refused(lambda: call(X, **more))
        before, content = state(self.norm), np.array(X).tobytes()
        with np.errstate(all="ignore"):
            Y = call(X, **more)
        assert state(self.norm) == before
        assert np.array(X).tobytes() == content
        assert isinstance(Y, pd.DataFrame) == frames
        return np.asarray(Y)

    def refuse_data(self, data, methods):
        kind, method = data.draw(st.sampled_from(SPOILT)), data.draw(st.sampled_from(methods))
        if self.width or kind not in ("width", "names"):
            if kind == "names" and not self.names:
                return
            X = spoilt(kind, self.width or 2)
            self.refused(lambda: getattr(self.norm, method)(X))

    @rule(way=st.sampled_from(["pickle", "copy", "save"]))
    def carry_over(self, way):
        before = state(self.norm)
        if way == "save":
            self.norm = sknorm.load(PATH)
        else:
            self.norm = pickle.loads(pickle.dumps(self.norm)) if way == "pickle" else deepcopy(self.norm)
        assert state(self.norm)[1] == before[1] is not None

    @rule()
    def clone(self):
        self.norm, self.width, self.names = clone(self.norm), None, None

    @rule(kind=st.sampled_from(["pandas", "default"]))
    def set_output(self, kind):
        self.norm.set_output(transform=kind)
        self.frames = kind == "pandas"

    @invariant()
    def width_and_names_are_known(self):
        if self.norm is not None:
            assert getattr(self.norm, "n_features_in_", None) == self.width
            names = getattr(self.norm, "feature_names_in_", None)
            assert (names is None and self.names is None) or list(names) == self.names
