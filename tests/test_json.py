"""Values as JSON: the same type and the same bits there and back, and a clear error for anything else."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sknorm._json import check_fields, decoded, encoded, parsed

from .wording import assert_says

DAMAGED = "The file is damaged, or sknorm.save did not write it"


def there_and_back(value):
    return decoded(parsed(json.dumps(encoded(value, "x"), allow_nan=False)), "x")


def same(a, b):
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (np.ndarray, np.generic)):
        # NaN is one value here, whatever its bits
        bits = [np.where(np.isnan(x), np.nan, x).tobytes() if x.dtype.kind == "f" else x.tobytes() for x in (a, b)]
        return type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape and bits[0] == bits[1]
    if isinstance(a, float):
        return type(b) is float and ((math.isnan(a) and math.isnan(b)) or a.hex() == b.hex())
    return type(a) is type(b) and a == b


PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(st.characters())
NUMBERS = (
    hnp.boolean_dtypes() | hnp.integer_dtypes(endianness="?") | hnp.floating_dtypes(endianness="?", sizes=(16, 32, 64))
)
ARRAYS = hnp.arrays(NUMBERS, hnp.array_shapes(min_dims=0, min_side=0, max_dims=3, max_side=4))


@given(st.recursive(PLAIN | ARRAYS, lambda inner: st.lists(inner) | st.lists(inner).map(tuple), max_leaves=5))
def test_a_value_comes_back_with_its_type_and_its_bits(value):
    assert same(value, there_and_back(value))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.int64, np.uint64, np.bool_])
def test_a_numpy_scalar_stays_one(dtype):
    info = np.finfo(dtype) if np.dtype(dtype).kind == "f" else None
    for value in [0, 1] if info is None else [info.max, info.smallest_subnormal, -0.0, np.nan, -np.inf, 0.1]:
        assert same(dtype(value), there_and_back(dtype(value)))


@pytest.mark.parametrize(
    "kind",
    [*("float32", "input", float, int, bool, np.float32, np.uint8, np.bool_, np.longdouble)]
    + [np.dtype(code) for code in ("e", "f", "d", "?", "i1", "u8", ">f4", ">i2", "<u4", "g")],
    ids=repr,
)
def test_a_dtype_comes_back_as_what_it_was(kind):
    back = there_and_back(kind)
    assert type(back) is type(kind)
    assert back == kind


def test_what_can_become_an_array_of_numbers_comes_back_as_that_array():
    series = pd.Series([0.5, 2.0], index=["a", "b"], dtype=np.float32)
    assert same(there_and_back(series), np.array([0.5, 2.0], np.float32))
    assert same(there_and_back((series, series)), (series.to_numpy(), series.to_numpy()))


@pytest.mark.parametrize(
    "value",
    [
        object(),
        {1: 2},
        1j,
        np.array(["a"]),
        np.array([1, None]),
        np.longdouble(1),
        np.array("2020", "M8[D]"),
        print,
        list,
    ],
    ids=repr,
)
def test_what_is_not_of_numbers_is_not_written(value):
    with pytest.raises(TypeError, match=r"^Expected") as error:
        encoded([value], "gamma")
    assert_says(error.value, "gamma to be of numbers", type(value).__name__, "np.float64")


FLOAT32 = {"array": "float32", "shape": [2], "data": [0.5, 2.0]}


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"float": "1.0"},
        {"float": "nan", "also": 1},
        {"tuple": 3},
        {"tuple": [], "list": []},
        {"dtype": "object"},
        {"dtype": "S3"},
        {"dtype": "datetime64"},
        {"dtype": ["float32"]},
        {"type": "numpy.ndarray"},
        {"type": "os.system"},
        {"scalar": "float32"},
        {"scalar": "longdouble", "data": 1.0},
        {"scalar": "float32", "data": [1.0]},
        {"call": "print", "data": []},
        FLOAT32 | {"array": "object"},
        FLOAT32 | {"array": "float33"},
        FLOAT32 | {"array": None},
        FLOAT32 | {"shape": [3]},
        FLOAT32 | {"shape": [-1]},
        FLOAT32 | {"shape": [2.0]},
        FLOAT32 | {"shape": [10**30]},
        FLOAT32 | {"shape": [2**40, 2**40]},
        FLOAT32 | {"shape": "2"},
        FLOAT32 | {"data": "12"},
        FLOAT32 | {"data": [[0.5], [2.0]]},
        FLOAT32 | {"data": [0.5, None]},
        FLOAT32 | {"data": [0.5, "2.0"]},
        FLOAT32 | {"data": [0.5, "NaN"]},
        FLOAT32 | {"data": [0.5, {}]},
        FLOAT32 | {"data": [0.5, 0.1]},
        FLOAT32 | {"data": [0.5, 1e300]},
        FLOAT32 | {"data": [0.5, 10**400]},
        FLOAT32 | {"more": 1},
        {"array": "int64", "shape": [1], "data": [1.5]},
        {"array": "int64", "shape": [1], "data": [2**63]},
        {"array": "uint8", "shape": [1], "data": [-1]},
        {"array": "float64", "shape": [1], "data": [2**53 + 1]},
        2**64,
        float("inf"),  # which json reads where a number is too large
        float("nan"),
    ],
    ids=repr,
)
def test_what_was_never_written_is_not_read(document):
    with pytest.raises(ValueError, match=r"^Expected") as error:
        decoded([document], "gamma")
    assert_says(error.value, "gamma", "", DAMAGED)


@pytest.mark.parametrize(
    "text, got",
    [
        ("", "at line 1, column 1 (Expecting value)"),
        ('{"a": 1,\n"b"}', "at line 2, column 4"),
        ("{'a': 1}", "at line 1, column 2"),
        ("1" * 5000, "'111"),
        ('{"a": {"b": 1, "b": 2}}', "['b', 'b']"),
    ],
)
def test_what_is_no_json_is_refused_where_it_is_wrong(text, got):
    with pytest.raises(ValueError, match=r"^Expected") as error:
        parsed(text)
    assert_says(error.value, "", got, DAMAGED)


@pytest.mark.parametrize(
    "document, got",
    [
        ({"a": 1}, "one without ['b']"),
        ({"a": 1, "b": 2, "c": 3}, "one with ['c']"),
        ({"c": 3}, "one without ['a', 'b'] and with ['c']"),
        ([], "[]"),
    ],
)
def test_fields_are_exactly_those_expected(document, got):
    check_fields({"b": 2, "a": 1}, ("a", "b"), "the thing")
    with pytest.raises(ValueError, match=r"^Expected") as error:
        check_fields(document, ("a", "b"), "the thing")
    assert_says(error.value, "the thing to have its fields and no others", got, DAMAGED)
