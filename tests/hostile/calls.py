"""A script: random input through every public method; `calls.py SEED FIRST COUNT [PROGRESS]` says what it found.

A call gives the right answer, or a ValueError or TypeError with a message, and nothing else: no warning, no change of
the data, and none of the estimator unless it is fitted anew. Every number has its own case, to be repeated alone.
"""

import json
import os
import pickle
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
from objects import case
from sklearn.base import clone

import sknorm
from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

sys.path.append(str(Path(__file__).parent.parent))  # a script finds only what stands beside it
import exact

CLASSES = [MinMaxNormalizer, Standardizer, RowLayerNorm, RowRMSNorm, RowSoftmax]
DATASET = (MinMaxNormalizer, Standardizer)
MEANT = (ValueError, TypeError)
EXPECTED = ["X does not have valid feature names", "X has feature names, but", "Expected .* got samples of one feature"]
FOLDER = Path(tempfile.mkdtemp())
SEVERAL = ("frame", "polars", "objects")  # whose dtype is not that of the array they stand for
CONTAINERS = ("sparse", "frame", "polars", "dask")  # which some estimators refuse, for names or for zeros

calls, messages, findings = Counter(), Counter(), []


def check(true, finding):
    if not true:
        raise AssertionError(finding)


def estimator(rng):
    """Of any class, with parameters that suit any width."""
    cls = CLASSES[rng.integers(5)]
    choices = {
        MinMaxNormalizer: [{"clip": True}, {"feature_range": (-1, 3)}, {"per_feature": False}],
        Standardizer: [{"with_mean": False}, {"with_std": False}, {"ddof": 1}, {"per_feature": False}],
        RowLayerNorm: [{"eps": 0}, {"keep_stats": True}],
        RowRMSNorm: [{"eps": 0}, {"keep_stats": True}],
        RowSoftmax: [{"temperature": 0.25}, {"keep_stats": True}],
    }[cls]
    choices += [{}, {}, {"dtype": "float32"}, {"dtype": "float64"}]
    return cls(**choices[rng.integers(len(choices))])


def wanted(norm, truth):
    """Dtype of the image of the data that were learned, the exact image, and what measures the errors."""
    given = norm.get_params()
    dtype = given.pop("dtype") or (np.float64 if truth.dtype.char == "g" else exact.output_dtype(truth.dtype))
    truth = truth.astype(float) if truth.dtype.char == "g" else truth
    oracle, errors, names = {
        MinMaxNormalizer: (exact.minmax_scaled, exact.feature_errors, ["feature_range", "clip", "per_feature"]),
        Standardizer: (exact.standardized, exact.feature_errors, ["with_mean", "with_std", "ddof", "per_feature"]),
        RowLayerNorm: (exact.layer_normed, exact.sample_errors, ["eps"]),
        RowRMSNorm: (exact.rms_normed, exact.sample_errors, ["eps"]),
        RowSoftmax: (exact.softmaxed, exact.sample_errors, ["temperature"]),
    }[type(norm)]
    more = {"dtype": np.dtype(dtype)} if isinstance(norm, MinMaxNormalizer) else {}
    return np.dtype(dtype), oracle(truth, **{name: given[name] for name in names}, **more), errors


def state(norm):
    """What a refused call may not change: all that is no parameter."""
    return pickle.dumps({name: value for name, value in vars(norm).items() if "_" in (name[0], name[-1])})


def content(X):
    """The bits of data, where they can be had without changing anything."""
    if isinstance(X, np.ndarray) and X.dtype.kind != "O":
        return X.shape, X.dtype.str, np.asarray(X).tobytes()
    if hasattr(X, "indptr"):
        return X.data.tobytes(), X.indices.tobytes(), X.indptr.tobytes()
    if isinstance(X, pd.DataFrame):
        return [repr(X.iloc[:, j].tolist()) for j in range(X.shape[1])]
    return repr(X) if type(X) in (list, tuple, np.ndarray) else None


def in_memory(Y):
    Y = Y.compute() if hasattr(Y, "compute") else Y
    return np.asarray(Y.toarray() if hasattr(Y, "toarray") else Y)


def called(norm, name, X, call, *, learns=False):
    """The result of a call, None where it was refused; everything else that may happen is a finding."""
    before, bits, result, error = state(norm), content(X), None, None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for text in EXPECTED:
            warnings.filterwarnings("ignore", text, UserWarning)
        try:
            result = in_memory(call())
        except MEANT as raised:
            error = raised
    if error is not None:
        check(str(error).strip(), f"{name}: an error without a message")
        messages[f"{name}: {type(error).__name__}: {str(error).strip().splitlines()[-1]}"] += 1
    check(content(X) == bits, f"{name}: the data changed")
    check((learns and error is None) or state(norm) == before, f"{name}: the estimator changed")
    calls[f"{type(norm).__name__}.{name} {'answered' if error is None else 'refused'}"] += 1
    return result


def answer(norm, method, X, extra):
    found = getattr(norm, method)(X, **extra)
    if method == "row_statistics":
        return np.stack([in_memory(values) for values in found], axis=-1)
    if method == "partial_fit":
        names = ("mean_", "var_") if isinstance(norm, Standardizer) else ("data_min_", "data_max_")
        return np.stack([getattr(norm, name) for name in names if getattr(norm, name) is not None])
    return found


def plain_answer(norm, method, X, extra):
    """The same of the plain array, None where it is refused too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return in_memory(answer(norm, method, X, extra))
        except MEANT:
            return None


def must_refuse(norm, c):
    """Whether fit and transform are to refuse the data for their values or shape."""
    truth = c.truth
    if truth is None or truth.ndim < 2 or 0 in truth.shape:
        return True
    if (np.isposinf(truth) if isinstance(norm, RowSoftmax) else np.isinf(truth)).any():
        return True
    if not c.kind.startswith("sparse"):
        return False
    if isinstance(norm, MinMaxNormalizer):
        lowest = np.fmin.reduce(truth, axis=0 if norm.per_feature else None)
        return norm.feature_range[0] != 0 or (np.nan_to_num(lowest) != 0).any()
    return norm.with_mean if isinstance(norm, Standardizer) else norm.keep_stats or not isinstance(norm, RowRMSNorm)


@np.errstate(all="ignore")  # scikit-learn makes objects of them, in which some versions of NumPy warn
def names_out(norm, thing):
    return norm.get_feature_names_out(thing)


def check_agreement(got, want, name, c):
    """Within 4 ulp of what the plain array gives, at the largest magnitude of a feature."""
    check((got is None) == (want is None) or c.either, f"{name}: {'refused' if got is None else 'answered'}")
    if got is None or want is None:
        return
    check(got.shape == want.shape, f"{name}: shape {got.shape}, not {want.shape}")
    if c.kind.startswith(SEVERAL):
        with np.errstate(all="ignore"):
            want = want.astype(got.dtype)
    check(got.dtype == want.dtype and got.dtype.isnative, f"{name}: dtype {got.dtype}, not {want.dtype}")
    finite = np.isfinite(want)
    check(np.array_equal(got[~finite], want[~finite], equal_nan=True), f"{name}: NaN or infinity elsewhere")
    worst = exact.feature_errors(np.where(finite, got, 0), exact.exact_array(np.where(finite, want, 0))).max(initial=0)
    check(worst <= 4 or (name == "partial_fit" and np.allclose(got, want, rtol=1e-14)), f"{name}: {float(worst)} ulp")


def check_learning(norm, c):
    """Fit and transform against the exact image."""
    got = called(norm, "fit", c.X, lambda: norm.fit(c.X) and 0, learns=True)
    if got is not None:
        got = called(norm, "transform", c.X, lambda: norm.transform(c.X))
        again = called(norm, "fit_transform", c.X, lambda: clone(norm).fit_transform(c.X))
        check((got is None) == (again is None), "fit_transform")
        check(got is None or np.array_equal(got, again, equal_nan=True), "fit_transform is not fit and transform")
    refuse = must_refuse(norm, c)
    check((got is None) == refuse or c.either, f"fit and transform: {'refused' if got is None else 'answered'}")
    if got is not None and not refuse:
        dtype, want, errors = wanted(norm, c.truth)
        check(got.dtype == dtype or c.kind.startswith(SEVERAL), f"transform: dtype {got.dtype}, not {dtype}")
        worst = errors(got[..., : c.truth.shape[-1]], want).max()
        check(worst <= 4, f"transform: {float(worst)} ulp from the exact image")


def data_calls(rng, c):
    check_learning(estimator(rng), c)
    width = c.truth.shape[-1] if c.truth is not None and c.truth.ndim and c.truth.shape[-1] else 3
    known = np.abs(np.random.default_rng(3).normal(size=(5, width))) * (np.arange(5) != 2)[:, None]
    if c.kind.startswith(("frame", "polars")) and rng.random() < 0.7:
        known = pd.DataFrame(known, columns=list("abcdefg"[:width]))
    for method in ("transform", "inverse_transform", "row_statistics", "partial_fit"):
        norm = estimator(rng)
        if rng.random() < 0.8:
            norm.set_params(dtype=None)
        if not hasattr(norm, method):
            continue
        if isinstance(norm, DATASET) or rng.random() < 0.5:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                norm.fit(known)
        extra, twin = {}, pickle.loads(pickle.dumps(norm))
        if method == "inverse_transform" and c.truth is not None and not getattr(norm, "keep_stats", True):
            extra["row_stats"] = [np.full(c.truth.shape[:-1], 1.5)] * len(norm._statistics._fields)

        def call(norm=norm, method=method, extra=extra):
            return answer(norm, method, c.X, extra)

        got = called(norm, method, c.X, call, learns=method == "partial_fit")
        if c.truth is None:
            check(got is None or c.either, f"{method}: answered")
        elif got is not None or not c.kind.startswith(CONTAINERS):
            check_agreement(got, plain_answer(twin, method, c.truth, extra), method, c)


def argument_calls(rng, c):
    """The same objects in place of any other argument."""
    X, thing, norm = np.abs(np.random.default_rng(3).normal(size=(4, 3))), c.X, estimator(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        norm.fit(X)
    choices = {"save": lambda: sknorm.save(thing, FOLDER / "a.json") or 0}
    if type(thing).__name__ != "Raises":  # scikit-learn lets pass what it raises
        choices["get_feature_names_out"] = lambda: names_out(norm, thing)
    if not isinstance(thing, (str, bytes, os.PathLike, int)):
        choices["load"] = lambda: sknorm.load(thing) and 0
        choices["save to"] = lambda: sknorm.save(norm, thing) or 0
    if isinstance(norm, DATASET):
        choices["merge"] = lambda: norm.merge(thing) and 0
        choices["select"] = lambda: norm.select(thing) and 0
        choices["copy"] = lambda: norm.transform(X, copy=thing)
        choices["sample_weight"] = lambda: clone(norm).fit(X, sample_weight=thing) and 0
    else:
        choices["row_stats"] = lambda: norm.inverse_transform(X, row_stats=thing)
    for name in norm.get_params():

        def call(name=name):
            return type(norm)(**{**norm.get_params(), name: thing}).fit_transform(X)

        choices[f"parameter {name}"] = call
    for name in rng.permutation(list(choices))[:6]:
        called(norm, name, None, choices[name])


def main(seed, first, count, progress=os.devnull):
    with open(progress, "w") as file:
        for i in range(int(first), int(first) + int(count)):
            file.seek(0)
            file.write(f"{i}\n")
            file.flush()
            for each in (data_calls, argument_calls):
                rng = np.random.default_rng([int(seed), i])
                c = case(rng)
                try:
                    each(rng, c)
                except Exception as error:
                    at = traceback.extract_tb(error.__traceback__)[-1]
                    said = f"{type(error).__name__}: {error}"[:300]
                    findings.append([i, each.__name__, c.kind, said, f"{at.filename}:{at.lineno}"])
    print(json.dumps({"calls": calls, "messages": messages, "findings": findings}))


if __name__ == "__main__":
    main(*sys.argv[1:])
