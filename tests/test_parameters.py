"""Checks of parameters: what passes, what is refused, and in which words."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from sknorm import MinMaxNormalizer, Standardizer
from sknorm import _parameters as check

from .wording import assert_says

F64 = np.dtype(float)
DURATION = np.timedelta64(1, "s")  # which to Python is an integer

# function, arguments, what it returns
PASSED = [
    *[(check.check_output_dtype, (d,), None) for d in (None, "float16", np.float32, float, np.dtype("f8"), ">f4")],
    *[(check.check_inverse_dtype, (d,), None) for d in (None, "input", "uint8", bool, int, np.float16, "longdouble")],
    *[(check.check_boolean, ("copy", b), None) for b in (True, False, np.True_, np.False_)],
    (check.check_range, ("r", (0, 1), F64), (0, 1)),
    (check.check_range, ("r", [-1.5, np.int8(2)], F64), (-1.5, 2)),
    (check.check_range, ("r", np.array([0.1, 1]), np.dtype("f4")), (np.float32(0.1), 1)),
    (check.check_range, ("r", (Fraction(1, 4), 0.5), F64), (0.25, 0.5)),
    *[
        (check.starts_at_zero, (r,), True)
        for r in [(0, 1), [-0.0, 1], (False, True), (np.uint8(0), 1), np.array([0.0, 1]), ([0, 0], 1)]
    ],
    *[
        (check.starts_at_zero, (r,), False)
        for r in [(1, 2), (-1.0, 0), (True, 2), ([0, 1], 2), None, 5, "01", (), ("0", 1), (None, 1), ([[0], [0, 0]], 1)]
    ],
    (check.check_in_range, ("dtype", np.dtype("uint8"), 2), ([0, 0], [255, 255])),
    (check.check_in_range, ("dtype", np.dtype("int64"), 1), ([-(2**63)], [2**63 - 1])),
    (check.check_in_range, ("dtype", np.dtype(bool), 1), ([0], [1])),
    (check.check_in_range, ((0, [1, 2]), F64, 2), ([0, 0], [1, 2])),
    (check.check_in_range, (np.array([[0, 1], [2, 3]]), F64, 2), ([0, 1], [2, 3])),
    (check.check_known, ("mean", 0.5, 3), [0.5] * 3),
    (check.check_known, ("mean", [7], 3), [7] * 3),
    (check.check_known, ("mean", [1, -2, 3], 3), [1, -2, 3]),
    (check.check_known, ("mean", True, 1), [1]),
    (check.check_known, ("mean", np.array([7], np.uint8), 2), [7, 7]),
    *[(check.check_ddof, (d,), d) for d in (0, 3, np.int64(1))],
    (check.check_vector, ("gamma", None, 3), None),
    (check.check_vector, ("gamma", [1, 0, -2], 3), [1.0, 0.0, -2.0]),
    (check.check_vector, ("gamma", np.array([0.5], np.float16), 1), [0.5]),
    (check.check_vector, ("gamma", np.array([5], np.uint8), 1), [5.0]),
    (check.check_vector, ("gamma", [True, False], 2), [1.0, 0.0]),
    (check.check_no_zero, (None,), None),
    (check.check_no_zero, (np.array([1.0, -2.0]),), None),
    (check.check_same_dtype, (F64, F64), None),
    (check.check_features, ("b", ["a", "b"], 2), [1]),
    (check.check_features, (["b", 0], ["a", "b"], 2), [1, 0]),
    (check.check_features, (pd.Index(["b", "a"]), ["a", "b"], 2), [1, 0]),
    (check.check_features, (1, None, 3), [1]),
    (check.check_features, (-1, None, 3), [2]),
    (check.check_features, (np.int64(2), None, 3), [2]),
    (check.check_features, ([2, 0], None, 3), [2, 0]),
    (check.check_features, (slice(1, None), None, 3), [1, 2]),
    (check.check_features, ([True, False, True], None, 3), [0, 2]),
    (check.check_features, (np.array([False, True]), ["a", "b"], 2), [1]),
]

# function, arguments, parts of what was expected, of what was got, of the remedy
NO_DTYPES = ("(1,f4", "\ud800", ("f4", -1))  # for which NumPy has a SyntaxError and ValueErrors of its own
DTYPE = ("dtype to be None, float16, float32 or float64", "Pass one of these.")
INVERSE = ('inverse_dtype to be None, "input" or a real dtype', 'Pass "input" to get the dtype of fit.')
PAIR = ("r to be two finite numbers (low, high)", "Pass (0, 1), say.")
LIMITS = ('in_range to be None, (low, high) or "dtype"', "Pass two numbers or two arrays.")
INTEGER = ('in_range to be None, (low, high), or "dtype" with integer data', "in_range=(0, 1) say, or fit on integers.")
KNOWN = ("std to be a number or 3 numbers, one per feature", "Pass one number, or one for each feature in their order.")
DDOF = ("ddof to be an integer of at least 0", "Pass 0 (population) or 1 (sample).")
VECTOR = ("gamma to be 2 finite numbers, one per feature", "Pass gamma of shape (2,), or None.")
NAN, INF = np.nan, np.inf

REFUSED = [
    *[
        (check.check_output_dtype, (d,), DTYPE[0], repr(d), DTYPE[1])
        for d in (int, "longdouble", "f2,f4", "x", 3.5, *NO_DTYPES)
    ],
    *[
        (check.check_inverse_dtype, (d,), INVERSE[0], repr(d), INVERSE[1])
        for d in (complex, "U3", "inputs", "M8[s]", 3.5, np.array([1, 2]), *NO_DTYPES)
    ],
    *[
        (check.check_boolean, ("clip", b), "clip to be True or False", repr(b), "Pass a bool.")
        for b in (1, 0.0, None, "no")
    ],
    *[
        (check.check_range, ("r", r, F64), PAIR[0], repr(r), PAIR[1])
        for r in [
            (0,),
            (0, 1, 2),
            (0, 1, "a"),
            1,
            None,
            "01",
            ("0", "1"),
            (0, NAN),
            (-INF, 1),
            (0, None),
            {},
            (0, 1j),
            (0, DURATION),
        ]
    ],
    *[
        (check.check_range, ("r", r, F64), "r with low < high in float64", repr(r), "must be below its maximum.")
        for r in [(1, 0), (2, 2)]
    ],
    (check.check_range, ("r", (1, 1 + 1e-9), np.dtype("f4")), "low < high in float32", "(1, 1.000000001)", "below"),
    (check.check_range, ("r", (0, 1e5), np.dtype("f2")), PAIR[0], "(0, 100000.0)", PAIR[1]),
    (check.check_in_range, ("dtype", F64, 1), INTEGER[0], "'dtype' with data of dtype float64", INTEGER[1]),
    (check.check_in_range, ("auto", np.dtype(int), 1), INTEGER[0], "'auto' with data of dtype int64", INTEGER[1]),
    *[(check.check_in_range, (r, F64, 2), LIMITS[0], repr(r), LIMITS[1]) for r in [5, (1,), (1, 2, 3), {0, 1}, None]],
    *[
        (check.check_in_range, (r, F64, 2), "in_range with low < high", repr(r), "below the maximum.")
        for r in [(1, 1), (2, 0), ([0, 3], [1, 2])]
    ],
    (check.check_in_range, ((0, INF), F64, 1), "each limit of in_range to be finite", "inf", "Correct it"),
    *[
        (check.check_known, ("std", v, 3), KNOWN[0], f"of shape {np.shape(v)}", KNOWN[1])
        for v in ([1, 2], [[1, 2, 3]], [])
    ],
    *[
        (check.check_known, ("std", v, 3), KNOWN[0], f"{v.dtype} of shape (2,)", KNOWN[1])
        for v in (np.array([True, False]), np.ones(2, np.uint8))
    ],
    *[(check.check_known, ("std", v, 3), KNOWN[0], repr(v), KNOWN[1]) for v in ("a", 1j, [None], [[1], [1, 2]])],
    (check.check_known, ("std", [1, 2], 4, (5, 2, 4)), "std to be", "of shape (2,)", "np.moveaxis(X, 1, -1)."),
    (check.check_known, ("std", [1, 2], 4, (2, 5, 4)), "std to be", "of shape (2,)", "np.moveaxis(X, 0, -1)."),
    (check.check_known, ("std", [1, 2], 4, (2, 2, 4)), "std to be", "of shape (2,)", "np.moveaxis(X, 1, -1)."),
    (check.check_known, ("std", [1, 2], 4, (2, 4)), "std to be", "of shape (2,)", KNOWN[1]),
    *[
        (check.check_known, ("std", v, 3), "std to be finite", got, "Correct it, or leave it out.")
        for v, got in [(NAN, "nan"), (INF, "inf"), ([1, 2, NAN], "nan at position 2")]
    ],
    *[
        (
            check.check_number,
            ("eps", v),
            {"zero": True},
            "eps to be a finite number of at least 0",
            repr(v)[:200],
            "leave it out for the default.",
        )
        for v in (-1e-9, NAN, INF, 10**400, -(10**400), "1", None, True, np.True_, [1.0], 1j, Decimal(1), DURATION)
    ],
    *[
        (
            check.check_number,
            ("t", v),
            {"zero": False},
            "t to be a finite number above 0",
            repr(v),
            "leave it out for the default.",
        )
        for v in (0, -0.0, -1, NAN)
    ],
    (check.check_known, ("std", -1, 3), {"positive": True}, "std to be finite and not negative", "-1", "Correct"),
    *[(check.check_ddof, (d,), DDOF[0], repr(d)[:200], DDOF[1]) for d in (-1, 1.0, None, True, "1", DURATION, 10**400)],
    *[
        (check.check_vector, ("gamma", v, 2), VECTOR[0], f"{np.asarray(v).dtype} of shape {np.shape(v)}", VECTOR[1])
        for v in (1.0, [[1, 2]])
    ],
    *[
        (check.check_vector, ("gamma", v, 2), VECTOR[0], repr(v), VECTOR[1])
        for v in (["a", "b"], [1, None], [1j, 1], [[1], [1, 2]])
    ],
    *[
        (
            check.check_vector,
            ("gamma", v, 2),
            VECTOR[0],
            f"int64 of shape ({len(v)},)",
            f"Pass X with {len(v)} features on its last axis, or gamma of shape (2,).",
        )
        for v in ([1], [1, 2, 3])
    ],
    *[
        (check.check_vector, ("gamma", np.ones(3, d), 2, (4, 3, 2)), VECTOR[0], f"{d} of", "np.moveaxis(X, 1, -1).")
        for d in ("int64", "bool", "uint8", "float32")
    ],
    *[
        (check.check_vector, ("gamma", [1, v], 2), VECTOR[0], f"{v} at position 1", "Correct it, or pass None.")
        for v in (NAN, INF)
    ],
    (check.check_no_zero, (np.array([1.0, 0, 2, -0.0]),), "gamma without zeros", "positions [1, 3]", "leave them out."),
    (check.check_same_dtype, (np.dtype("u1"), np.dtype("u2")), "dtype uint8, as before", "dtype uint16", "convert it"),
    (
        check.check_features,
        ("c", ["a", "b"], 2),
        "features among ['a', 'b']",
        "unknown ['c']",
        "Pass names that fit saw",
    ),
    (check.check_features, (["c", 0, "d"], None, 2), "as fit saw no names", "unknown ['c', 'd']", "fit on a frame."),
    *[
        (check.check_features, (f, None, 2), "features among 0 to 1", repr(f), "Pass positions, names or a mask.")
        for f in ([2], -3, [True], [0.5], 0.5)
    ],
    *[
        (check.check_features, (f, None, 2), "at least one feature", repr(f), "Name the features to keep.")
        for f in ([], slice(0, 0), [False, False])
    ],
]


def name_of(case):
    return f"{case[0].__name__}-{case[1]!r:.40}"


@pytest.mark.parametrize("function, arguments, result", PASSED, ids=map(name_of, PASSED))
def test_what_is_valid_passes(function, arguments, result):
    found = function(*arguments)
    assert (found is None) == (result is None)
    if result is not None:
        np.testing.assert_array_equal(found, result)


@pytest.mark.parametrize("case", REFUSED, ids=name_of)
def test_what_is_not_is_refused_and_the_message_says_what_to_do(case):
    function, arguments, *options, expected, got, remedy = case
    with pytest.raises(ValueError, match=r"^Expected") as error:
        function(*arguments, **(options[0] if options else {}))
    assert_says(error.value, expected, got, remedy)


@pytest.mark.parametrize(
    "zero, numbers", [(True, [0, 0.0, 1e-300, np.float32(2)]), (False, [1e-300, 3, Fraction(1, 2)])]
)
def test_a_number_comes_back_as_a_float(zero, numbers):
    for number in numbers:
        found = check.check_number("eps", number, zero=zero)
        assert type(found) is float
        assert found == number


def test_results_have_the_types_that_arithmetic_needs():
    low, high = check.check_range("r", (0, 1), np.dtype(np.float32))
    assert low.dtype == high.dtype == np.float32
    assert check.check_vector("gamma", [1, 2], 2).dtype == np.float64
    assert check.check_vector("gamma", np.array([1, 2], np.float32), 2).dtype == np.float64
    assert type(check.check_ddof(np.int64(1))) is int
    low, high = check.check_in_range("dtype", np.dtype(np.uint64), 1)
    assert (low.dtype, high.dtype) == (np.uint64, np.uint64)


def test_a_vector_of_another_shape_is_not_blamed_for_its_values():
    with pytest.raises(ValueError, match=r"got float64 of shape \(1,\)\. "):
        check.check_vector("gamma", [NAN], 2)


def test_known_standard_deviations_may_be_zero_and_known_means_negative():
    with pytest.raises(ValueError, match="mean to be finite, got nan"):
        check.check_known("mean", NAN, 2)
    np.testing.assert_array_equal(check.check_known("std", [0, 1], 2, positive=True), [0, 1])
    np.testing.assert_array_equal(check.check_known("mean", -1, 2), [-1, -1])


# Transformers that merge

X = np.arange(6.0).reshape(3, 2)
FRAME = pd.DataFrame(X, columns=["a", "b"])


@pytest.mark.parametrize(
    "one, other",
    [
        (Standardizer(), Standardizer()),
        (Standardizer(copy=True), Standardizer(copy=False)),
        (Standardizer(mean=[1, 2]), Standardizer(mean=np.array([1.0, 2.0]))),
        (MinMaxNormalizer((0, 1)), MinMaxNormalizer([0, 1])),
        (MinMaxNormalizer(in_range=(0, [10, 20])), MinMaxNormalizer(in_range=(0.0, np.array([10, 20])))),
    ],
)
def test_equal_parameters_merge_and_copy_does_not_matter(one, other):
    check.check_mergeable(one.fit(X), other.fit(X))
    check.check_mergeable(one.fit(FRAME), other.fit(FRAME))


EQUAL, SAME = (
    ("transformers of equal parameters", "Fit both with"),
    ("transformers of the same features", "Fit both on"),
)


@pytest.mark.parametrize(
    "one, other, kind, expected, got, remedy",
    [
        (Standardizer(), MinMaxNormalizer(), TypeError, "fitted Standardizer", "MinMaxNormalizer", "of one class."),
        (Standardizer(), X, TypeError, "a fitted Standardizer to merge", "ndarray", "Merge transformers of one class."),
        (Standardizer(), Standardizer(ddof=1), ValueError, EQUAL[0], "ddof=0 and 1", EQUAL[1]),
        (
            Standardizer(mean=[1, 2]),
            Standardizer(mean=[1, 3]),
            ValueError,
            EQUAL[0],
            "mean=[1, 2] and [1, 3]",
            EQUAL[1],
        ),
        (
            MinMaxNormalizer(in_range=(0, [1, 2])),
            MinMaxNormalizer(in_range=(0, [1, 3])),
            ValueError,
            EQUAL[0],
            "in_range=(0, [1, 2]) and (0, [1, 3])",
            EQUAL[1],
        ),
        (Standardizer(std=1), Standardizer(mean=1), ValueError, EQUAL[0], "mean=None and 1, std=1 and None", EQUAL[1]),
        (Standardizer(mean=[0]), Standardizer(mean=[0, 0]), ValueError, EQUAL[0], "mean=[0] and [0, 0]", EQUAL[1]),
        *[
            (
                MinMaxNormalizer(in_range=a),
                MinMaxNormalizer(in_range=b),
                ValueError,
                EQUAL[0],
                f"{a!r} and {b!r}",
                EQUAL[1],
            )
            for a, b in [(None, (0, 1)), ((0, 1), None), (None, (0, [1, 2])), ((0, [1, 2]), None), ("dtype", (0, 1))]
        ],
        (Standardizer().fit(X), Standardizer().fit(X[:, :1]), ValueError, SAME[0], "[0, 1] and [0]", SAME[1]),
        (Standardizer().fit(FRAME), Standardizer().fit(X), ValueError, SAME[0], "['a', 'b'] and [0, 1]", SAME[1]),
        (
            Standardizer().fit(FRAME),
            Standardizer().fit(FRAME[["b", "a"]]),
            ValueError,
            SAME[0],
            "['a', 'b'] and ['b', 'a']",
            SAME[1],
        ),
    ],
)
def test_others_do_not_merge(one, other, kind, expected, got, remedy):
    with pytest.raises(kind, match=r"^Expected") as error:
        check.check_mergeable(one, other)
    assert_says(error.value, expected, got, remedy)
