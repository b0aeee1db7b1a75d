"""Saving and loading: the same bits afterwards, a failed save loses nothing."""

import builtins
import errno
import json
import os
import stat
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sknorm
from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

from . import awkward
from .test_json import same
from .wording import assert_says

CLASSES = [MinMaxNormalizer, Standardizer, RowLayerNorm, RowRMSNorm, RowSoftmax]
X = np.random.default_rng(3).normal(size=(9, 3))
posix = pytest.mark.skipif(os.name != "posix", reason="permissions, links and pipes are those of POSIX")
FRAME = pd.DataFrame(X, columns=["größe", "数", '"a"\n'])


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "norm.json"


def there_and_back(norm, path):
    sknorm.save(norm, path)
    return sknorm.load(path)


def assert_same_bits(a, b):
    assert same(np.asarray(a), np.asarray(b))


def assert_same_transformer(norm, back):
    assert type(back) is type(norm)
    mine, theirs = norm.get_params(), back.get_params()
    assert mine.keys() == theirs.keys()
    assert all(same(mine[name], theirs[name]) for name in mine)
    public = [{name for name in vars(one) if not name.startswith("_")} for one in (norm, back)]
    assert public[0] == public[1]


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("as_path", [Path, str])
def test_an_unfitted_transformer_comes_back_unfitted(cls, as_path, path):
    norm = cls(copy=False)
    back = there_and_back(norm, as_path(path))
    assert_same_transformer(norm, back)
    assert not hasattr(back, "n_features_in_")


FITTED = [
    MinMaxNormalizer((0.1, np.float32(0.7)), clip=True, inverse_dtype=np.uint8),
    MinMaxNormalizer([-1, 1], in_range=(np.array([-9, -0.0, -5e-324]), pd.Series([1, 2.0, 1e308])), dtype=np.float16),
    MinMaxNormalizer(per_feature=False, inverse_dtype="input", dtype="float32"),
    Standardizer(ddof=1, dtype=np.dtype("float64")),
    Standardizer(with_mean=False, std=[0.1, 0.2, np.float32(0.3)]),
    Standardizer(with_std=False, mean=np.float64(0.485), per_feature=False),
    RowLayerNorm(eps=1e-12, gamma=np.array([0.1, 1e30, 1e-40], np.float32), beta=(0.1, 2, -0.0), keep_stats=True),
    RowLayerNorm(eps=0),
    RowRMSNorm(eps=np.float32(1e-6), gamma=[1, 2, 3], dtype=float),
    RowSoftmax(temperature=0.1, keep_stats=True),
]


@pytest.mark.parametrize("norm", FITTED, ids=repr)
@pytest.mark.parametrize(
    "data", [X, X.astype(np.float32), FRAME, X.reshape(3, 1, 3, 3)], ids=["f8", "f4", "frame", "4-D"]
)
def test_every_map_gives_the_same_bits_afterwards(norm, data, path):
    norm = sklearn.clone(norm).fit(data)
    back = there_and_back(norm, path)
    if not isinstance(norm.get_params().get("in_range"), tuple):  # whose Series becomes an array
        assert_same_transformer(norm, back)
    assert_same_bits(norm.transform(data), back.transform(data))
    assert list(back.get_feature_names_out()) == list(norm.get_feature_names_out())
    if getattr(norm, "keep_stats", True):
        Y = norm.set_output(transform="default").transform(data)
        assert_same_bits(norm.inverse_transform(Y), back.inverse_transform(Y))
    if hasattr(norm, "partial_fit"):  # what it knows goes on as it was
        assert_same_bits(norm.partial_fit(data + 1).transform(data), back.partial_fit(data + 1).transform(data))


ATTRIBUTES = ["mean_", "var_", "scale_", "min_", "data_min_", "data_max_", "n_samples_seen_", "constant_features_"]
WEIGHTS = st.lists(st.integers(0, 3) | st.floats(0, 1e308), min_size=9, max_size=9)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(awkward.DTYPES).flatmap(awkward.features), st.none() | WEIGHTS)
@pytest.mark.parametrize("cls", [MinMaxNormalizer, Standardizer])
def test_awkward_statistics_come_back_to_the_bit(cls, path, X, weights):
    weights = None if weights is None or not any(weights[: len(X)]) else weights[: len(X)]
    norm = cls().fit(X, sample_weight=weights)
    back = there_and_back(norm, path)
    for name in ATTRIBUTES:
        mine, theirs = getattr(norm, name, None), getattr(back, name, None)
        assert same(mine, theirs)
    assert_same_bits(norm.transform(X), back.transform(X))
    assert_same_bits(norm.inverse_transform(X), back.inverse_transform(X))
    assert back.statistics_.dtype == norm.statistics_.dtype


def test_integers_beyond_float64_come_back(path):
    big = np.array([[2**62 + 1], [2**62 + 9], [2**62 + 3]])
    back = there_and_back(MinMaxNormalizer(inverse_dtype="input").fit(big), path)
    np.testing.assert_array_equal(back.transform(big), [[0], [1], [0.25]])
    np.testing.assert_array_equal(back.inverse_transform(back.transform(big)), big)


def test_merged_and_selected_transformers_are_saved_too(path):
    norm = Standardizer(per_feature=False).fit(X).merge(Standardizer(per_feature=False).fit(X + 1)).select([2, 0])
    assert_same_bits(norm.transform(X[:, :2]), there_and_back(norm, path).transform(X[:, :2]))


@pytest.mark.parametrize("cls", CLASSES)
def test_names_and_the_frames_asked_for_come_back(cls, path):
    norm = cls().set_output(transform="pandas").fit(FRAME)
    back = there_and_back(norm, path)
    pd.testing.assert_frame_equal(back.transform(FRAME), norm.transform(FRAME))
    assert back.feature_names_in_.dtype == object
    with pytest.raises(ValueError, match="feature names should match"):
        back.transform(FRAME.rename(columns={"数": "b"}))


@pytest.mark.parametrize("output", [None, "default", "pandas", "polars"])
def test_set_output_is_as_it_was(output, path):
    back = there_and_back(Standardizer().set_output(transform=output), path)
    assert vars(back).get("_sklearn_output_config", {}).get("transform") == output


def test_metadata_requests_come_back(path):
    with sklearn.config_context(enable_metadata_routing=True):
        norms = [
            Standardizer().set_fit_request(sample_weight="w"),
            RowRMSNorm().set_inverse_transform_request(row_stats=True),
        ]
        norms += [MinMaxNormalizer().set_partial_fit_request(sample_weight=False), RowSoftmax()]
    for norm in norms:
        back = there_and_back(norm, path)
        assert str(back.get_metadata_routing()) == str(norm.get_metadata_routing())


# --- files ---


@pytest.mark.parametrize(
    "other",
    [StandardScaler(), make_pipeline(Standardizer()), None, type("Mine", (Standardizer,), {})()],
    ids=lambda o: type(o).__name__,
)
def test_other_objects_are_refused_by_name(other, path):
    with pytest.raises(TypeError, match=r"^Expected") as error:
        sknorm.save(other, path)
    assert_says(error.value, "a MinMaxNormalizer, Standardizer", type(other).__name__, "skops.io.dump or pickle")
    assert not path.exists()


def test_a_fitted_transformer_that_cannot_work_is_not_saved(path):
    norm = MinMaxNormalizer().fit(X).set_params(clip="yes")
    with pytest.raises(ValueError, match="clip to be True or False"):
        sknorm.save(norm, path)
    assert not path.exists()


class DiskFull(OSError):
    pass


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_save_that_fails_leaves_the_earlier_file_and_nothing_else(step, path, monkeypatch):
    sknorm.save(Standardizer().fit(X), path)
    before = path.read_bytes()

    def fail(*_):
        raise DiskFull

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(DiskFull):
        sknorm.save(MinMaxNormalizer().fit(X), path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_saving_again_replaces_the_file_and_leaves_nothing_else(path):
    sknorm.save(Standardizer().fit(X), path)
    sknorm.save(RowSoftmax(), path)
    assert isinstance(sknorm.load(path), RowSoftmax)
    assert os.listdir(path.parent) == [path.name]


@posix
def test_a_file_has_the_usual_permissions_and_a_link_stays_a_link(path):
    sknorm.save(RowSoftmax(), path)
    (path.parent / "plain").touch()
    assert path.stat().st_mode == (path.parent / "plain").stat().st_mode
    link = path.parent / "link.json"
    link.symlink_to(path)
    sknorm.save(RowRMSNorm(), link)
    assert link.is_symlink()
    assert isinstance(sknorm.load(path), RowRMSNorm)


@posix
def test_a_file_that_is_replaced_keeps_its_permissions(path):
    path.touch()
    path.chmod(0o604)
    sknorm.save(RowSoftmax(), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


@posix
@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_is_refused_and_stays_one(linked, path):
    pipe = path.parent / "pipe"
    os.mkfifo(pipe)
    if linked:
        path.symlink_to(pipe)
    with pytest.raises(ValueError, match=r"^Expected") as error:
        sknorm.save(RowSoftmax(), path if linked else pipe)
    assert_says(error.value, "a regular file", str(path if linked else pipe), "name a new file")
    assert pipe.is_fifo()


@pytest.mark.parametrize("module, step", [(builtins, "open"), (os, "replace")])
def test_the_error_for_a_folder_that_cannot_be_written_names_the_file_asked_for(module, step, path, monkeypatch):
    def refuse(name, *_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(name))

    monkeypatch.setattr(module, step, refuse)
    with pytest.raises(PermissionError) as error:
        sknorm.save(RowSoftmax(), path)
    assert (error.value.errno, error.value.filename) == (errno.EACCES, str(path))


@pytest.mark.parametrize("function", [lambda path: sknorm.save(RowSoftmax(), path), sknorm.load])
def test_a_directory_is_refused(function, tmp_path):
    with pytest.raises(IsADirectoryError) as error:
        function(tmp_path)
    assert_says(error.value, "the path of a file", str(tmp_path), "Add the name of a file")


def test_a_missing_directory_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        sknorm.save(RowSoftmax(), tmp_path / "models" / "norm.json")
    assert_says(error.value, "a directory", str(tmp_path / "models"), "Create it first")


def test_what_is_no_path_is_a_type_error():
    for function in (lambda path: sknorm.save(RowSoftmax(), path), sknorm.load):
        with pytest.raises(TypeError, match="Expected a path, str or path-like, got None"):
            function(None)


# --- files of earlier versions ---

VERSION_1 = Path(__file__).parent / "saved" / "version_1"
NAN = np.nan
STORED = {  # file: (class, data, transformed, data back), all exact in floating point
    "min_max_normalizer": (
        *(MinMaxNormalizer, [[1, 8, 2, 5], [2, 0, NAN, 5]]),
        *([[-1, 1, NAN, -1], [0, -1, NAN, -1]], [[1, 8, NAN, 5], [2, 0, NAN, 5]]),
    ),
    "min_max_normalizer_int64": (
        *(MinMaxNormalizer, [[2**62 + 1, 0], [2**62 + 3, 3]]),
        *([[0, 0], [0.25, 1]], [[2**62 + 1, 0], [2**62 + 3, 3]]),
    ),
    "standardizer": (
        *(Standardizer, [[1, 4, 2, 5], [3, 0, NAN, 7]]),
        *([[-1, 1, NAN, 0], [1, -1, NAN, 2]], [[1, 4, NAN, 5], [3, 0, NAN, 7]]),
    ),
    "standardizer_known": (Standardizer, [[2.5, 8]], [[1, 2]], [[2.5, 8]]),
    "row_layer_norm": (RowLayerNorm, [[1.0, 3]], [[0.5, 1, 2, 1]], [[1, 3]]),
    "row_rms_norm": (RowRMSNorm, [[1.0, 1]], [[0.5, 0.5]], None),
    "row_softmax": (RowSoftmax, [[7.0, 7]], [[0.5, 0.5]], None),
}


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("name", STORED)
def test_a_file_of_version_1_is_read_for_ever(name):
    cls, data, transformed, back = STORED[name]
    norm = sknorm.load(VERSION_1 / f"{name}.json").set_output(transform="default")
    assert type(norm) is cls
    data = np.array(data)
    np.testing.assert_array_equal(norm.transform(data), transformed)
    if back is not None:
        np.testing.assert_array_equal(norm.inverse_transform(norm.transform(data)), back)


def test_every_class_has_a_file_of_version_1_which_says_so():
    assert {path.stem for path in VERSION_1.iterdir()} == STORED.keys()
    assert {cls for cls, *_ in STORED.values()} == set(CLASSES)
    assert {json.loads(path.read_text())["version"] for path in VERSION_1.iterdir()} == {1}


@pytest.mark.parametrize("name", STORED)
def test_a_file_of_version_1_is_written_again_letter_for_letter(name, path):
    sknorm.save(sknorm.load(VERSION_1 / f"{name}.json"), path)
    assert path.read_bytes() == (VERSION_1 / f"{name}.json").read_bytes()


def test_details_of_version_1_are_as_they_were_saved():
    norm = sknorm.load(VERSION_1 / "standardizer.json")
    assert list(norm.feature_names_in_) == ["größe", "b", "leer", "c"]
    assert norm.dtype == np.dtype(float)
    assert norm.n_samples_seen_.tolist() == [2.0, 2.0, 0.0, 2.0]
    assert norm.constant_features_.tolist() == [False, False, False, True]
    assert np.signbit(sknorm.load(VERSION_1 / "standardizer_known.json").mean).tolist() == [False, True]
    assert sknorm.load(VERSION_1 / "min_max_normalizer.json").feature_range == (-1, 1)
    assert sknorm.load(VERSION_1 / "row_layer_norm.json").gamma.dtype == np.float32
    assert sknorm.load(VERSION_1 / "row_rms_norm.json").dtype is np.float32
