"""One fitted transformer in many hands: pickles, threads, thread counts and forked processes."""

import hashlib
import inspect
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path
from threading import Barrier

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

DATASET_CLASSES = [MinMaxNormalizer, Standardizer]
ROW_CLASSES = [RowLayerNorm, RowRMSNorm, RowSoftmax]
CLASSES = DATASET_CLASSES + ROW_CLASSES

README = Path(__file__).parent.parent / "README.md"
X = np.random.default_rng(5).normal(size=(20, 3))
X_FRAME = pd.DataFrame(X, columns=list("abc"))
LARGE = np.random.default_rng(6).normal(size=(70_000, 8))  # enough work for several threads


# --- pickles ---


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("cls", CLASSES)
def test_a_pickle_brings_back_the_same_transformer(cls, protocol):
    norm = cls(copy=False).fit(X_FRAME)
    back = pickle.loads(pickle.dumps(norm, protocol=protocol))
    assert back.get_params() == norm.get_params()
    assert list(back.get_feature_names_out()) == list(norm.get_feature_names_out())
    np.testing.assert_array_equal(back.transform(X_FRAME), norm.transform(X_FRAME))
    if cls in DATASET_CLASSES:  # the state goes on where it was
        more = pd.DataFrame(X * 2 + 1, columns=list("abc"))
        np.testing.assert_array_equal(
            back.partial_fit(more).transform(X_FRAME), norm.partial_fit(more).transform(X_FRAME)
        )


@pytest.mark.parametrize(
    "cls, parameter", [(cls, parameter) for cls in CLASSES for parameter in inspect.signature(cls).parameters]
)
def test_a_pickle_older_than_a_parameter_takes_its_default(cls, parameter):
    norm = cls().fit(X)
    expected = norm.transform(X)
    del norm.__dict__[parameter]
    old = pickle.loads(pickle.dumps(norm))
    assert old.get_params()[parameter] == inspect.signature(cls).parameters[parameter].default
    np.testing.assert_array_equal(old.transform(X), expected)
    np.testing.assert_array_equal(old.fit_transform(X), expected)


@pytest.mark.parametrize("cls", CLASSES)
def test_the_warning_of_another_scikit_learn_about_its_own_classes_is_left_alone(cls, monkeypatch):
    model = make_pipeline(cls(), Ridge()).fit(X, X[:, 0])
    with monkeypatch.context() as patched:
        patched.setattr("sklearn.base.__version__", "99.0")
        pickled = pickle.dumps(model)
    with pytest.warns(InconsistentVersionWarning) as warned:
        back = pickle.loads(pickled)
    assert {warning.message.estimator_name for warning in warned} == {"Pipeline", "Ridge"}
    np.testing.assert_array_equal(back.predict(X), model.predict(X))


# --- skops ---

TRUSTED = re.findall(
    r'^    "([\w.]+)",$', README.read_text().partition("TRUSTED = [")[2].partition("]")[0], re.MULTILINE
)


@pytest.mark.parametrize("dtype", [None, "float32", np.dtype("float32")])
@pytest.mark.parametrize("cls", CLASSES)
def test_skops_loads_a_pipeline_with_the_trusted_list_of_the_readme(cls, dtype):
    model = make_pipeline(cls(dtype=dtype), Ridge()).fit(X_FRAME, X[:, 0])
    model.predict(X_FRAME)  # after which there may be more to keep
    back = skops.io.loads(skops.io.dumps(model), trusted=TRUSTED)
    np.testing.assert_array_equal(back.predict(X_FRAME), model.predict(X_FRAME))


def test_the_trusted_list_names_no_more_than_is_needed():
    needed = {name for cls in CLASSES for name in skops.io.get_untrusted_types(data=skops.io.dumps(cls().fit(X)))}
    assert sorted(needed) == TRUSTED


# --- threads ---


@pytest.mark.parametrize("cls", CLASSES)
def test_sixteen_threads_sharing_one_transformer_get_the_bits_of_one(cls):
    norm = cls().fit(LARGE)
    expected = norm.transform(LARGE)
    norm = pickle.loads(pickle.dumps(norm))  # which has to make its maps anew
    started = Barrier(16)

    def transform_at_once(_):
        started.wait()
        return norm.transform(LARGE)

    with ThreadPoolExecutor(16) as pool:
        for result in pool.map(transform_at_once, range(16)):
            np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("cls", CLASSES)
def test_sixteen_threads_may_do_all_that_leaves_a_transformer_alone(cls):
    norm, started = cls().fit(X), Barrier(16)
    extra = {} if cls in DATASET_CLASSES else {"row_stats": norm.row_statistics(X)}
    works = [
        lambda: norm.transform(X),
        lambda: norm.inverse_transform(X**2, **extra),
        lambda: pickle.loads(pickle.dumps(norm)).transform(X),
        lambda: deepcopy(norm).transform(X),
        lambda: norm.transform(X.astype(np.float32)),
        *([lambda: norm.select([2, 0]).transform(X[:, :2])] if cls in DATASET_CLASSES else []),
        *([lambda: norm.merge(norm).transform(X)] if cls in DATASET_CLASSES else []),
    ]
    expected = [work() for work in works]

    def work_at_once(i):
        started.wait()
        return [(j % len(works), works[j % len(works)]()) for j in range(i, i + 3 * len(works))]

    before = pickle.dumps(norm)
    with ThreadPoolExecutor(16) as pool:
        for results in pool.map(work_at_once, range(16)):
            for j, result in results:
                np.testing.assert_array_equal(result, expected[j])
    assert pickle.dumps(norm) == before


@pytest.mark.parametrize("cls", DATASET_CLASSES)
def test_fits_in_several_threads_do_not_disturb_each_other(cls):
    data = [LARGE + shift for shift in range(4)]
    expected = [cls().fit(part).transform(part[:9]) for part in data]
    with ThreadPoolExecutor(4) as pool:
        results = pool.map(lambda part: cls().fit(part).transform(part[:9]), data)
        np.testing.assert_array_equal(list(results), expected)


DIGEST = """
import hashlib
import numpy as np
import sknorm

X = np.random.default_rng(7).normal(size=(80_001, 7))
X[::97, 3] = np.nan
digest = hashlib.sha256()
for data in (X.astype(np.float32), np.asfortranarray(X)):
    for name in ("MinMaxNormalizer", "Standardizer", "RowLayerNorm", "RowRMSNorm", "RowSoftmax"):
        norm = getattr(sknorm, name)()
        digest.update(np.ascontiguousarray(norm.fit_transform(data)).tobytes())
        if not name.startswith("Row"):
            norm.fit(data, sample_weight=np.arange(len(data)) % 3)
            digest.update(np.ascontiguousarray(norm.inverse_transform(data)).tobytes())
print(digest.hexdigest())
"""


def test_the_bits_are_the_same_for_any_number_of_threads():
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", DIGEST],
            env=os.environ | {"SKNORM_NUM_THREADS": count},
            stdout=subprocess.PIPE,
            text=True,
        )
        for count in ("1", "2", "4")
    ]
    digests = {run.communicate(timeout=300)[0] for run in runs}
    assert [run.returncode for run in runs] == [0] * len(runs)
    assert len(digests) == 1


# --- processes ---


def digest_of(norm, data):
    return hashlib.sha256(np.ascontiguousarray(norm.transform(data)).tobytes()).hexdigest()


def send_digest(connection, norm, data):
    connection.send(digest_of(norm, data))


@pytest.mark.parametrize("method", ["forkserver", "spawn"])
def test_processes_that_start_afresh_work(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    norms = [cls().fit(LARGE) for cls in CLASSES]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method)) as pool:
        images = [pool.submit(norm.transform, LARGE) for norm in norms]
        fits = [pool.submit(norm.fit, LARGE) for norm in norms]
        for norm, image, fitted in zip(norms, images, fits, strict=True):
            expected = norm.transform(LARGE)
            np.testing.assert_array_equal(image.result(timeout=120), expected)
            np.testing.assert_array_equal(fitted.result(timeout=120).transform(LARGE), expected)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_workers_of_joblib_get_the_same_bits(backend):
    norms = [cls().fit(LARGE) for cls in CLASSES]
    with joblib.parallel_config(backend, n_jobs=2):
        images = joblib.Parallel()(joblib.delayed(norm.transform)(LARGE) for norm in norms)
        fits = joblib.Parallel()(joblib.delayed(norm.fit)(LARGE) for norm in norms)
    if backend == "loky":
        joblib.externals.loky.get_reusable_executor().shutdown()
    for norm, image, fitted in zip(norms, images, fits, strict=True):
        np.testing.assert_array_equal(image, norm.transform(LARGE))
        np.testing.assert_array_equal(fitted.transform(LARGE), norm.transform(LARGE))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize("cls", CLASSES)
def test_a_process_forked_after_use_works(cls):
    norm = cls().fit(LARGE)
    expected = digest_of(norm, LARGE)  # from here on there may be threads that the fork will not have
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=send_digest, args=(sender, norm, LARGE))
    child.start()
    try:
        assert receiver.poll(timeout=60), "the forked process gave no answer"
        assert receiver.recv() == expected
    finally:
        child.kill()
        child.join()
