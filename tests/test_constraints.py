"""Data that are normalised are recognised, near misses are not."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer, diagnose
from sknorm import _constraints as c

rng = np.random.default_rng(11)
DTYPES = [np.float16, np.float32, np.float64]
TABLES = {
    "normal": rng.normal(5, 2, (500, 7)),
    "skewed": rng.gamma(2, size=(2000, 3)),
    "two samples": rng.normal(size=(2, 3)),
    "wide": rng.normal(0.3, 0.2, (20, 3000)),
    "long": rng.uniform(size=(40_000, 2)),
    "wine": load_wine().data,
    "cancer": load_breast_cancer().data,
}
BY_FEATURE = [
    (Standardizer(), c.STANDARD),
    (StandardScaler(), c.STANDARD),
    (MinMaxNormalizer(), c.UNIT),
    (MinMaxScaler(), c.UNIT),
    (MinMaxNormalizer((-1, 1)), c.SYMMETRIC),
    (MinMaxScaler((-1, 1)), c.SYMMETRIC),
    (Standardizer(with_mean=False), c.VARIANCE),
    (Standardizer(with_mean=False, ddof=1), c.VARIANCE),
    (StandardScaler(with_mean=False), c.VARIANCE),
]
BY_SAMPLE = [
    (RowLayerNorm(), {c.LAYER, c.LAYER_BELOW}),
    (RowLayerNorm(eps=0), {c.LAYER}),
    (RowRMSNorm(), {c.RMS, c.RMS_BELOW}),
    (RowRMSNorm(eps=0), {c.RMS}),
    (RowSoftmax(), {c.PROBABILITY}),
    (Normalizer(), {c.UNIT_LENGTH}),
    (Normalizer("l1"), {c.UNIT_SUM}),
]
ordinary = rng.normal(0.1, 1, (300, 5))
STANDARD = Standardizer().fit_transform(ordinary)
UNIT = MinMaxNormalizer().fit_transform(ordinary)
LAYER = RowLayerNorm(eps=0).fit_transform(ordinary)


def verdicts(report):
    return {feature.verdict for feature in report.features.values()}


def holds_for_all(report, name):
    return all(name in feature.holds for feature in report.features.values())


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("norm, expected", BY_FEATURE, ids=str)
def test_what_is_normalised_by_feature_is_recognised(norm, expected, dtype, table):
    report = diagnose(norm.fit_transform(TABLES[table].astype(dtype)))
    assert holds_for_all(report, expected)
    assert table == "two samples" or verdicts(report) == {expected}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("norm, expected", BY_SAMPLE, ids=str)
def test_what_is_normalised_by_sample_is_recognised(norm, expected, dtype, table):
    X = (TABLES[table] / np.abs(TABLES[table]).max() * 8).astype(dtype)  # whose sums of squares float16 holds
    if isinstance(norm, Normalizer) and norm.norm == "l1":
        X = X - X.dtype.type(0.1)  # or it would be a probability
        expected = {c.UNIT_SUM, c.PROBABILITY}
    if dtype == np.float16 and isinstance(norm, Normalizer):
        X = norm.fit_transform(X.astype(np.float32)).astype(dtype)  # float16 cannot add so many numbers
        assert diagnose(X).samples.verdict in expected
    else:
        assert diagnose(norm.fit_transform(X)).samples.verdict in expected


OFFSETS = {np.float16: 1, np.float32: 30, np.float64: 3000}  # standard deviations
DRAWS = [
    lambda rng, shape: rng.normal(size=shape),
    lambda rng, shape: rng.exponential(size=shape),
    lambda rng, shape: rng.uniform(size=shape),
    lambda rng, shape: rng.standard_t(3, size=shape),
]


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("dtype", DTYPES)
def test_data_of_any_shape_unit_and_offset_are_recognised_once_they_are_normalised(dtype, seed):
    rng = np.random.default_rng(seed)
    n, d = rng.integers([3, 2], [3000, 40])
    raw = DRAWS[seed % 4](rng, (n, d))
    unit = 1 if dtype == np.float16 else 10.0 ** rng.uniform(-5, 12, d)
    X = ((raw + rng.uniform(-1, 1, d) * OFFSETS[dtype]) * unit).astype(dtype)
    for norm, expected in BY_FEATURE:
        assert holds_for_all(diagnose(norm.fit_transform(X)), expected)
    samples = raw.astype(dtype)
    for norm, expected in BY_SAMPLE[:-1]:
        assert diagnose(norm.fit_transform(samples)).samples.verdict in expected
    plain = diagnose(samples)
    assert plain.samples.verdict == c.NONE
    assert dtype == np.float16 or not verdicts(plain) & {c.STANDARD, c.STANDARD_1}


@pytest.mark.parametrize(
    "dtype, said", [(np.float32, c.STANDARD_1), (np.float64, c.STANDARD_1), (np.float16, c.STANDARD)]
)
def test_a_variance_of_the_sample_is_said_where_it_can_be_told(dtype, said):
    report = diagnose(Standardizer(ddof=1).fit_transform(ordinary.astype(dtype)))
    assert verdicts(report) == {said}
    assert report.advice["Standardizer"].effect == "useless"


def test_values_that_were_computed_in_float32_and_widened_are_judged_as_float32():
    X = StandardScaler().fit_transform(ordinary.astype(np.float32)).astype(np.float64)
    assert verdicts(diagnose(X)) == {c.STANDARD}
    X[:, 0] += 1e-12  # now as float64
    assert [f.verdict for f in diagnose(X).features.values()] == [c.NONE, *[c.STANDARD] * 4]
    U = Normalizer().fit_transform(ordinary.astype(np.float32)).astype(np.float64)
    assert diagnose(U).samples.verdict == c.UNIT_LENGTH
    assert diagnose(U * (1 + 1e-9)).samples.verdict == c.NONE


def test_sums_of_many_float32_are_allowed_the_rounding_that_they_have():
    X = (np.random.default_rng(0).uniform(size=(200_000, 2)) + 2).astype(np.float32)
    Y = (X - X.mean(0)) / X.std(0)  # NumPy adds the rows one by one, in float32
    assert np.abs(Y.mean(0, dtype=np.float64)).max() > c.slack(2.0**-23, 100, centred=True)
    assert verdicts(diagnose(Y)) == {c.STANDARD}


def test_probabilities_below_the_normal_numbers_of_float16_are_allowed_their_rounding():
    P = RowSoftmax().fit_transform(np.zeros((1, 746_000), np.float16))  # 22.5 of the smallest step become 22
    assert P.sum(dtype=np.float64) < 0.98
    assert diagnose(P).samples.verdict == c.PROBABILITY


def test_what_is_standardised_from_an_offset_is_recognised_up_to_a_third_of_the_digits():
    for offset, dtype in [(1e4, np.float64), (20, np.float32), (1, np.float16)]:
        X = (ordinary + offset).astype(dtype)
        assert verdicts(diagnose(StandardScaler().fit_transform(X))) == {c.STANDARD}


def outside(X, value):
    Y = X.copy()
    Y[0] = value
    return Y


BY_FEATURE_MISSES = {
    "mean off": lambda eps: STANDARD + eps,
    "variance off": lambda eps: STANDARD * (1 + eps),
    "above 1": lambda eps: outside(UNIT, 1 + eps),
    "below 0": lambda eps: outside(UNIT, -eps),
    "1 not reached": lambda eps: UNIT * (1 - eps),
    "-1 not reached": lambda eps: outside(2 * UNIT - 1, 0.5) * (1 - eps),
}
BY_SAMPLE_MISSES = {
    "mean off": lambda eps: LAYER * (1 + 2 * eps) + eps,
    "sum off": lambda eps: RowSoftmax().fit_transform(ordinary) * (1 + eps),
    "one negative": lambda eps: outside(RowSoftmax().fit_transform(ordinary), [-eps, 1 + eps, 0, 0, 0]),
    "mean square off": lambda eps: RowRMSNorm(eps=0).fit_transform(ordinary) * (1 + eps),
    "length off": lambda eps: Normalizer().fit_transform(ordinary) * (1 - eps),
    "one sample off": lambda eps: outside(Normalizer().fit_transform(ordinary), 0.3),
}


@pytest.mark.parametrize("dtype, eps", [(np.float64, 1e-3), (np.float64, 1e-9), (np.float32, 1e-3), (np.float16, 0.1)])
@pytest.mark.parametrize("miss", BY_FEATURE_MISSES)
def test_a_near_miss_by_feature_is_none(miss, dtype, eps):
    left = c.VARIANCE if miss == "mean off" else c.NONE
    assert verdicts(diagnose(BY_FEATURE_MISSES[miss](eps).astype(dtype))) == {left}


@pytest.mark.parametrize("dtype, eps", [(np.float64, 1e-3), (np.float64, 1e-9), (np.float32, 1e-3), (np.float16, 0.1)])
@pytest.mark.parametrize("miss", BY_SAMPLE_MISSES)
def test_a_near_miss_by_sample_is_none(miss, dtype, eps):
    assert diagnose(BY_SAMPLE_MISSES[miss](eps).astype(dtype)).samples.verdict == c.NONE


def test_the_bounds_are_those_that_are_documented():
    for dtype, mean in [(np.float64, 4.1e-11), (np.float32, 2.7e-5), (np.float16, 1.4e-2)]:
        eps = float(np.finfo(dtype).eps)
        assert c.slack(eps, 300, centred=True) == pytest.approx(mean, rel=0.15)
        assert c.slack(eps, 300, centred=False) < 4.1 * eps + 18 * 2.0**-23


def test_the_eps_that_is_seen_through_is_the_default_of_the_classes():
    assert (RowLayerNorm().eps, RowRMSNorm().eps) == (c.LAYER_EPS, c.RMS_EPS)


@pytest.mark.parametrize("scale", [1, 0.1, 0.02])
def test_an_eps_that_shrinks_samples_is_seen_through(scale):
    X = rng.normal(size=(1000, 16)) * scale
    X[:100] *= 1e-3  # whose variance is far below eps
    assert diagnose(RowLayerNorm().fit_transform(X)).samples.verdict == c.LAYER_BELOW
    assert diagnose(RowRMSNorm().fit_transform(X)).samples.verdict == c.RMS_BELOW
    assert diagnose(RowRMSNorm().fit_transform(X) * 0.9).samples.verdict == c.NONE


def test_samples_of_zeros_and_missing_values_do_not_count_against_the_others():
    X = RowLayerNorm(eps=0).fit_transform(ordinary)
    X[3], X[5] = 0, np.nan
    found = diagnose(X).samples
    assert (found.verdict, found.n, found.judged, found.zero, found.missing) == (c.LAYER, 300, 298, 1, 1)
    padded = ordinary.copy()
    padded[::2, 3:] = np.nan
    for norm, expected in [(RowLayerNorm(eps=0), c.LAYER), (RowRMSNorm(eps=0), c.RMS), (RowSoftmax(), c.PROBABILITY)]:
        assert diagnose(norm.fit_transform(padded)).samples.verdict == expected


@pytest.mark.parametrize("dtype", [*DTYPES, np.longdouble])
def test_constant_and_nearly_constant_features_are_told_apart(dtype):
    eps = float(np.finfo(dtype).eps) if np.dtype(dtype).itemsize < 8 else 2.0**-52
    wide = eps ** (2 / 3) * np.array([0, 0, 0.5, 2])
    X = np.array([[3, 0, 1000, 1000], [3, 0, 1000, 1000]]) * (1 + np.outer([0, 1], wide))
    X[1, 2:] = np.maximum(X[1, 2:], 1000 * (1 + 2 * eps))
    assert [f.verdict for f in diagnose(X.astype(dtype)).features.values()] == [
        c.CONSTANT,
        c.CONSTANT,
        c.NEARLY_CONSTANT,
        c.NONE,
    ]


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float16, np.float32, np.float64])
def test_pixels_indicators_and_codes_are_whole_numbers(dtype):
    images = rng.integers(0, 256, (4, 8, 8, 3))
    images[0, 0, 0] = 255
    assert verdicts(diagnose(images.astype(dtype))) == {c.PIXELS}
    X = np.c_[images[0, :, :, 0].ravel() % 2, images[0, :, :, 1].ravel() % 5, images[0, :, :, 2].ravel() % 100]
    assert [f.verdict for f in diagnose(X.astype(dtype)).features.values()] == [c.BINARY, c.CODES, c.NONE]
    if np.dtype(dtype).kind == "f":
        assert verdicts(diagnose(images.astype(dtype) + dtype(0.5))) == {c.NONE}
    assert "in_range=(0, 255)" in diagnose(images.astype(dtype)).advice["MinMaxNormalizer"].text


def test_dark_pixels_are_known_by_their_dtype():
    dark = rng.integers(0, 180, (100, 3))
    assert verdicts(diagnose(dark.astype(np.uint8))) == {c.PIXELS}
    assert verdicts(diagnose(dark)) == {c.NONE}


def test_neither_wide_integers_nor_the_smallest_floats_are_taken_for_constant():
    wide = np.array([[2**62, 2**62], [2**62 + 1, 2**62]])
    assert [f.verdict for f in diagnose(wide).features.values()] == [c.NEARLY_CONSTANT, c.CONSTANT]
    assert verdicts(diagnose(np.array([[0.0], [5e-324]]))) == {c.NONE}
    assert verdicts(diagnose(np.array([[1e308], [-1e308]]))) == {c.NONE}


def test_random_numbers_are_not_taken_for_a_range():
    rng = np.random.default_rng(0)
    for X in [rng.random((300, 20)).astype("f2"), rng.random((100_000, 20), dtype="f4")]:
        assert verdicts(diagnose(X)) == {c.NONE}
        found = diagnose(2 * X - 1).to_frame()["verdict"]
        assert (found == c.NONE).mean() > 0.7  # some of which reach -1 and 1


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ranges", [1, 3, 10])
def test_what_min_max_scaler_loses_to_an_offset_is_allowed(ranges, dtype):
    X = (rng.random((500, 40)) + ranges).astype(dtype)
    assert holds_for_all(diagnose(MinMaxScaler().fit_transform(X)), c.UNIT) or (dtype, ranges) == (np.float16, 10)


DIGITS = load_digits().data
IMAGES = np.clip(rng.integers(0, 256, (200, 12)), 0, [40, *[255] * 10, 250])


@pytest.mark.parametrize("X", [DIGITS / 16, IMAGES / 255, (IMAGES * 257 + 3 * (IMAGES == 7)) / 65535])
@pytest.mark.parametrize("dtype", DTYPES)
def test_pixels_divided_by_what_their_type_holds_are_recognised(X, dtype):
    if dtype == np.float16 and (X * 255 % 1 * 16 % 1).any():
        X = np.rint(X * 255) / 255  # float16 tells no 65,535ths
    report = diagnose(X.astype(dtype))
    assert c.SHARES in verdicts(report)
    assert verdicts(report) <= {c.SHARES, c.CONSTANT, c.BINARY}
    assert report.verdict.startswith("Normalised: pixels, 0 to 1 (")
    assert report.advice["MinMaxNormalizer"].effect == "harmful"
    assert report.advice["Standardizer"].effect == "useful"
    if X is not DIGITS:
        assert c.SHARES in verdicts(diagnose(sp.csr_array(X.astype(np.float32))))


def test_what_each_reaches_0_and_1_or_is_no_step_is_no_pixels():
    for X in (MinMaxNormalizer().fit_transform(IMAGES), np.c_[UNIT, UNIT[:, :2] / 2 + 0.25]):
        assert c.SHARES not in verdicts(diagnose(X))
    table = np.c_[ordinary > 0, rng.integers(0, 5, (300, 2)) / 5]
    assert c.SHARES not in verdicts(diagnose(table))
    gaps = IMAGES / 255
    gaps[5], gaps[6] = np.nan, np.inf
    assert verdicts(diagnose(gaps)) == {c.SHARES}
    near = IMAGES / 255
    near[3] += 1e-6
    assert c.SHARES not in verdicts(diagnose(near))


def test_tables_of_whole_numbers_are_not_taken_for_pixels():
    table = np.c_[np.arange(256), np.arange(256) % 120]
    assert verdicts(diagnose(table)) == {c.NONE}
    with_nothing = np.c_[IMAGES, np.full(len(IMAGES), np.nan)]
    assert verdicts(diagnose(with_nothing)) == {c.PIXELS, c.EMPTY}
    ages = np.c_[np.arange(130), np.arange(130) % 91].astype(np.uint8)
    assert verdicts(diagnose(ages)) == {c.NONE}


def test_a_largest_magnitude_of_1_counts_only_where_all_features_have_it():
    for table in TABLES.values():
        assert holds_for_all(diagnose(MaxAbsScaler().fit_transform(table)), c.MAGNITUDE)
    X = MaxAbsScaler().fit_transform(ordinary)
    assert verdicts(diagnose(np.c_[X, ordinary > 0])) == {c.MAGNITUDE, c.BINARY}
    assert verdicts(diagnose(np.c_[X, ordinary[:, 0]])) == {c.NONE}


def test_a_variance_of_1_is_said_of_sparse_data():
    X = sp.random_array((300, 20), density=0.3, random_state=0, format="csr")
    report = diagnose(StandardScaler(with_mean=False).fit_transform(X))
    assert verdicts(report) == {c.VARIANCE}
    assert report.verdict == "Normalised by feature: variance 1 (20 of 20 features)."
    assert report.advice["Standardizer"].effect == "useless"
