"""Calls in any order against a slow exact model: what a transformer knows is what it was given, whatever came between.

SKNORM_EXAMPLES=1000 makes longer and other ones, in every run anew.
"""

import os
import warnings
from itertools import chain

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule
from sklearn.base import clone

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

from . import exact
from .stateful import Machine, state

EXAMPLES = int(os.environ.get("SKNORM_EXAMPLES", "0"))
SETTINGS = settings(max_examples=EXAMPLES or 60, stateful_step_count=30 if EXAMPLES else 15, derandomize=not EXAMPLES)

booleans, dtypes = st.booleans(), st.sampled_from([None, "float64", "float32"])
known = st.sampled_from([0.5, 3, 1e-3, 1e10])
WEIGHTS = st.sampled_from([0, 1, 2, 3, 0.5, 1e-3])
NO_WEIGHTS = [[1, -1], [0, 0], [1, np.nan], [1], [1, np.inf], ["1", "2"]]


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def vectors(width, elements=known):
    """One number, or one for each feature where their number is known."""
    return elements | st.lists(elements, min_size=width, max_size=width) if width else elements


class DatasetMachine(Machine):
    """Knows every value of each feature, with its weight."""

    @initialize(cls=st.sampled_from([MinMaxNormalizer, Standardizer]))
    def begin(self, cls):
        self.norm = cls()

    # what is learned

    def weighed(self, data, X):
        weights = data.draw(st.lists(WEIGHTS, min_size=len(X), max_size=len(X)))
        return weights if any(weights) and data.draw(booleans) else None

    def learn(self, X, weights):
        values, weights = exact.exact_array(X), np.ones(len(X)) if weights is None else np.asarray(weights)
        each = np.broadcast_to(weights.reshape(-1, *[1] * (values.ndim - 1)), values.shape)
        for j, column in enumerate(self.columns):
            pairs = zip(values[..., j].flat, each[..., j].flat, strict=True)
            column += [(value, weight) for value, weight in pairs if value is not None and weight]
        self.dtype = np.result_type(*[self.dtype] * (self.dtype is not None), np.asarray(X).dtype)

    @rule(data=st.data())
    def fit(self, data):
        method = data.draw(st.sampled_from(["fit", "fit"] if self.width else ["fit", "partial_fit"]))
        for name in ("mean", "std"):  # statistics of each feature, known of another width
            if np.ndim(getattr(self.norm, name, None)):
                self.norm.set_params(**{name: None})
        X = self.batch(data, self.new_width(data))
        weights = self.weighed(data, X)
        getattr(self.norm, method)(X, sample_weight=weights)
        self.columns, self.dtype = [[] for _ in range(self.width)], None
        self.learn(X, weights)

    @precondition(lambda self: self.width)
    @rule(data=st.data())
    def partial_fit(self, data):
        X = self.batch(data, self.width)
        weights = self.weighed(data, X)
        self.norm.partial_fit(X, sample_weight=weights)
        self.learn(X, weights)

    @precondition(lambda self: self.width)
    @rule(data=st.data(), turned=booleans)
    def merge(self, data, turned):
        X = self.batch(data, self.width)
        weights = self.weighed(data, X)
        other = clone(self.norm).fit(X, sample_weight=weights)
        before = state(self.norm), state(other)
        merged = other.merge(self.norm) if turned else self.norm.merge(other)
        assert (state(self.norm), state(other)) == before
        self.norm = merged
        self.learn(X, weights)

    @precondition(lambda self: self.width)
    @rule(data=st.data())
    def select(self, data):
        index = data.draw(st.lists(st.integers(0, self.width - 1), min_size=1, max_size=3, unique=True))
        before = state(self.norm)
        selected = self.norm.select([self.names[j] for j in index] if self.names and data.draw(booleans) else index)
        assert state(self.norm) == before
        columns = self.in_use()
        self.columns = [list(columns[j]) for j in index]
        self.names = self.names and [self.names[j] for j in index]
        self.norm, self.width = selected, len(index)

    @rule(data=st.data())
    def set_params(self, data):
        choices = {"dtype": dtypes, "per_feature": booleans, "inverse_dtype": st.sampled_from([None, "input", "int16"])}
        if isinstance(self.norm, Standardizer):
            flags = {"with_mean": booleans, "with_std": booleans, "ddof": st.integers(0, 2)}
            choices |= {**flags, "mean": st.none() | vectors(self.width), "std": st.none() | vectors(self.width)}
        else:
            choices["clip"] = booleans
            choices["feature_range"] = st.sampled_from([(0, 1), (-1, 3), [-0.1, 0.3]])
            choices["in_range"] = st.sampled_from([None, (0, 255), (-1e-3, 1e200)])
        name = data.draw(st.sampled_from(sorted(choices)))
        self.norm.set_params(**{name: data.draw(choices[name])})

    # what is refused

    @rule(data=st.data())
    def refuse(self, data):
        learnt = ["partial_fit", "transform", "inverse_transform"]
        self.refuse_data(data, learnt if self.width else ["fit", "partial_fit"])

    @rule(data=st.data(), weights=st.sampled_from(NO_WEIGHTS), method=st.sampled_from(["fit", "partial_fit"]))
    def refuse_weights(self, data, weights, method):
        X = pd.DataFrame(np.ones((2, self.width or 2)), columns=self.names)
        self.refused(lambda: getattr(self.norm, method)(X if self.names else X.to_numpy(), sample_weight=weights))

    @rule(data=st.data())
    def refuse_parameters(self, data):
        wrong = {"dtype": "int8", "per_feature": 1, "inverse_dtype": "M8[s]", "copy": "no"}
        if isinstance(self.norm, Standardizer):
            wrong |= {"ddof": -1, "with_mean": None, "with_std": "a", "mean": [1, 2, 3, 4, 5], "std": -1}
        else:
            wrong |= {"clip": 2, "feature_range": (1, 1), "in_range": (3, 2)}
        name, X = data.draw(st.sampled_from(sorted(wrong))), pd.DataFrame(np.ones((2, self.width or 2)))
        X.columns = self.names or X.columns
        kept = getattr(self.norm, name)
        self.norm.set_params(**{name: wrong[name]})
        for method in ("fit", "partial_fit", "transform", "inverse_transform"):
            self.refused(lambda method=method: getattr(self.norm, method)(X if self.names else X.to_numpy()))
        self.norm.set_params(**{name: kept})

    @rule(other=st.sampled_from([RowSoftmax(), None, "another width", "another parameter"]))
    def refuse_merge(self, other):
        if isinstance(other, str):
            width = (self.width or 2) + (other == "another width")
            given = (
                clone(self.norm).set_params(mean=None, std=None) if isinstance(self.norm, Standardizer) else self.norm
            )
            other = clone(given).set_params(copy="width" in other, dtype=None if "width" in other else "float16")
            other.set_params(copy=True).fit(np.ones((2, width)))
        self.refused(lambda: self.norm.merge(other))

    # what is known

    def in_use(self):
        """The values and weights of each feature, or of all together."""
        return self.columns if self.norm.per_feature else [list(chain(*self.columns))] * self.width

    @invariant()
    def statistics_are_those_of_all_data(self):
        if not self.width:
            return
        norm, learned = self.norm, self.norm.statistics_ if self.norm.per_feature else self.norm.statistics_.pooled()
        assert learned.dtype == self.dtype
        for j, column in enumerate(self.in_use()):
            values, weights = [value for value, _ in column], [weight for _, weight in column]
            assert norm.constant_features_[j] == (len(set(values)) == 1)
            for end, want in ((learned.minimum, min), (learned.maximum, max)):
                assert not values or exact.exact(end.hi[j]) + exact.exact(end.lo[j]) == want(values)
            count, total = exact.exact(learned.count[j].item()), sum(map(exact.exact, weights))
            assert abs(count - total) <= total * 2**-50
            if isinstance(norm, Standardizer):
                mean, variance = exact.moments(values, weights, norm.ddof)
                if values and norm.mean is None and norm.mean_ is not None:
                    got = norm.mean_[j : j + 1]
                    assert exact.errors(got, np.array([mean], object), exact.largest(values)).max() <= 1
                if variance and norm.std is None and norm.with_std and 1e-290 < variance < 1e290:
                    left = abs(total - norm.ddof) / total  # of the sum of weights, which is rounded
                    assert abs(exact.exact(norm.var_[j]) / variance - 1) <= 1e-14 + 2**-53 / left

    def maps(self, dtype):
        """The exact map of each feature, and the divisor of its way back."""
        width, given = self.width, self.norm.get_params()
        for j, column in enumerate(self.in_use()):
            values, weights = [value for value, _ in column], [weight for _, weight in column]
            if isinstance(self.norm, Standardizer):
                each = {name: given[name] for name in ("with_mean", "with_std", "ddof")}
                for name in ("mean", "std"):
                    each[name] = None if given[name] is None else np.broadcast_to(given[name], width)
                yield values, exact.standardized.__wrapped__(values, weights, j, **each)
            else:
                each = {name: given[name] for name in ("feature_range", "clip")}
                limits = given["in_range"] and [[end] * width for end in given["in_range"]]
                yield values, exact.minmax_scaled.__wrapped__(values, weights, j, dtype=dtype, in_range=limits, **each)

    @precondition(lambda self: self.width)
    @rule(data=st.data())
    def transform(self, data):
        X = self.batch(data, self.width)
        Y = self.called("transform", X)
        if Y is None:
            return
        assert (Y.shape, Y.dtype) == (X.shape, self.norm.dtype or exact.output_dtype(np.asarray(X).dtype))
        want, sizes = exact.exact_array(X), []
        for j, (values, function) in enumerate(self.maps(Y.dtype)):
            column = want[..., j]
            for index in np.ndindex(column.shape):
                column[index] = None if column[index] is None else function(column[index])
            sizes.append(exact.largest(map(function, values)))
        assert exact.feature_errors(Y, want, at_least=np.array(sizes, object)).max() <= 4
        if np.isfinite(Y).all() and not getattr(self.norm, "clip", False):
            self.check_way_back(X, Y)

    def check_way_back(self, X, Y):
        """Within 1 ulp of the largest value, beyond what the rounding of Y and of the result costs."""
        back = self.called("inverse_transform", Y)
        asked = self.norm.inverse_dtype
        target = exact.output_dtype(Y.dtype) if asked is None else self.dtype if asked == "input" else np.dtype(asked)
        assert (back.shape, back.dtype) == (X.shape, target)
        if target.kind == "b":
            return
        for j, (values, function) in enumerate(self.maps(Y.dtype)):
            column = exact.exact_array(X)[..., j]
            size = max(exact.largest(values), exact.largest(column.flat))
            step = function(exact.exact(1)) - function(exact.exact(0))
            if target.kind == "f":
                unit = max(exact.ulp(size, Y.dtype), exact.ulp(size, target))
            else:
                info = np.iinfo(target)
                unit = max(exact.ulp(size, Y.dtype), exact.Fraction(1, 2))
                column = np.clip(column, int(info.min), int(info.max))
            for x, y, got in zip(column.flat, exact.exact_array(Y)[..., j].flat, back[..., j].flat, strict=True):
                room = 2 * unit + exact.ulp(y, Y.dtype) / 2 / step
                assert not np.isfinite(got) or abs(exact.exact(got) - x) <= room


class RowMachine(Machine):
    """Knows the parameters, and nothing of any data."""

    oracles = {RowLayerNorm: exact.layer_normed, RowRMSNorm: exact.rms_normed, RowSoftmax: exact.softmaxed}  # noqa: RUF012

    @initialize(cls=st.sampled_from([RowLayerNorm, RowRMSNorm, RowSoftmax]))
    def begin(self, cls):
        self.norm = cls()

    def vectors(self):
        return [name for name in ("gamma", "beta") if np.ndim(getattr(self.norm, name, None))]

    @rule(data=st.data())
    def fit(self, data):
        self.norm.set_params(**dict.fromkeys(self.vectors()))  # which are for another width
        X = self.batch(data, self.new_width(data))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Expected .* got samples of one feature", UserWarning)
            assert self.norm.fit(X) is self.norm

    @rule(data=st.data())
    def set_params(self, data):
        choices = {"dtype": dtypes, "keep_stats": booleans}
        if isinstance(self.norm, RowSoftmax):
            choices["temperature"] = st.sampled_from([1, 0.25, 1e3])
        else:
            choices["eps"] = st.sampled_from([0, 1e-5, 1.0, 1e-300])
            for name in ["gamma", "beta"][: 1 + isinstance(self.norm, RowLayerNorm)] if self.width else ():
                choices[name] = st.none() | st.lists(known, min_size=self.width, max_size=self.width)
        name = data.draw(st.sampled_from(sorted(choices)))
        self.norm.set_params(**{name: data.draw(choices[name])})

    @rule(data=st.data())
    def refuse(self, data):
        self.refuse_data(data, ["transform", "row_statistics"])

    @rule(data=st.data())
    def refuse_parameters(self, data):
        wrong = {"dtype": "int8", "keep_stats": 1, "copy": None}
        wrong |= {"temperature": 0} if isinstance(self.norm, RowSoftmax) else {"eps": -1, "gamma": [1, 2, 3, 4, 5]}
        name = data.draw(st.sampled_from(sorted(wrong)))
        kept, X = getattr(self.norm, name), np.ones((2, self.width or 2))
        self.norm.set_params(**{name: wrong[name]})
        for method in ("fit", "transform", "row_statistics", "inverse_transform"):
            self.refused(lambda method=method: getattr(self.norm, method)(X))
        self.norm.set_params(**{name: kept})

    @precondition(lambda self: not self.norm.keep_stats)
    @rule(stats=st.sampled_from([None, (), [np.ones(3)], "none", [np.zeros((2, 1))] * 2, 1.0]))
    def refuse_to_guess(self, stats):
        self.refused(lambda: self.norm.inverse_transform(np.ones((2, self.width or 2)), row_stats=stats))

    @rule(data=st.data())
    def transform(self, data):
        width = self.width or 2
        if not self.width and self.vectors():
            return
        X = self.batch(data, width)
        Y = self.called("transform", X)
        if Y is None:
            return
        given, dtype = self.norm.get_params(), self.norm.dtype or exact.output_dtype(np.asarray(X).dtype)
        kept = len(self.norm._statistics._fields) if given["keep_stats"] else 0
        assert (Y.shape, Y.dtype) == ((*X.shape[:-1], width + kept), dtype)
        names = [name for name in ("eps", "gamma", "beta", "temperature") if name in given]
        want = self.oracles[type(self.norm)](X, **{name: given[name] for name in names})
        assert exact.sample_errors(Y[..., :width], want).max() <= 4
        stats = self.norm.row_statistics(X)
        for j in range(kept):
            with np.errstate(all="ignore"):
                np.testing.assert_array_equal(Y[..., width + j], stats[j].astype(dtype))
        self.check_way_back(X, Y, None if kept else stats, width)

    def check_way_back(self, X, Y, stats, width):
        """Within 4 ulp of the largest value, beyond what the rounding of Y costs; rounded statistics cost more."""
        back = self.called("inverse_transform", Y, **({} if stats is None else {"row_stats": stats}))
        if back is None:
            return
        assert back.shape == X.shape
        if stats is None or not np.isfinite(Y).all():
            return
        sizes, (T, beta) = exact.exact_array(X), (getattr(self.norm, name, None) for name in ("temperature", "beta"))
        size = exact.largest(sizes.flat)
        for index, x in np.ndenumerate(sizes):
            y, scale = exact.exact(Y[index]), exact.exact(stats[-1][index[:-1]])
            if T is not None:
                size, scale = max(size, abs(scale) * exact.exact(T)), exact.exact(T) / y if y else None
            elif self.norm.gamma is not None:
                scale /= exact.exact(self.norm.gamma[index[-1]])
            if scale is not None:
                y = max(abs(y), abs(exact.exact(0 if beta is None else beta[index[-1]])))
                room = 4 * exact.ulp(size, back.dtype) + 2 * abs(scale) * exact.ulp(y, Y.dtype)
                assert not np.isfinite(back[index]) or abs(exact.exact(back[index]) - x) <= room


TestDataset, TestRows = DatasetMachine.TestCase, RowMachine.TestCase
TestDataset.settings = TestRows.settings = SETTINGS
