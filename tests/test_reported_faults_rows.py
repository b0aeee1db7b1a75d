"""Faults reported in other packages, as tests of their kind: statistics of each sample.

Each test names the public issues; the input that was reported stands among others of its kind.
"""

import numpy as np
import pytest

from sknorm import RowLayerNorm, RowRMSNorm, RowSoftmax

from .exact import exact_array, sample_errors

FLOATS = [np.float16, np.float32, np.float64]
NORMS = [RowLayerNorm, RowRMSNorm]
ALL = [*NORMS, RowSoftmax]


def ulps(got, want):
    """The worst error in ulps at the largest magnitude of its sample."""
    return sample_errors(got, exact_array(want)).max()


# Offsets, tiny and huge rows, constants


@pytest.mark.parametrize(
    "dtype, offset", [(np.float16, 1024), (np.float32, 40000), (np.float32, 2**23), (np.float64, 10**15)]
)
@pytest.mark.parametrize("eps", [1e-5, 0])
def test_layer_norm_of_a_row_with_a_large_mean_is_right(dtype, offset, eps):
    """pytorch#51102, burn#5607, onnxruntime#28463: the mean of squares less the squared mean cancels."""
    X = offset + np.array([[0, 1, 2, 3], [0, 1, 3, 3]])
    # The means of 0, 1, 2, 3 and 0, 1, 3, 3 are 6/4 and 7/4, the variances 20/16 and 27/16.
    want = np.array([[-6, -2, 2, 6], [-7, -3, 5, 5]]) / np.sqrt(np.array([[20], [27]]) + 16 * eps)
    assert ulps(RowLayerNorm(eps=eps).fit_transform(X.astype(dtype)), want) <= 4


@pytest.mark.parametrize("offset", [1e15, -1e15, 0])
def test_layer_norm_keeps_the_reported_digits_in_float64(offset):
    """pytorch#51102: the same fault in double precision, where values stand 0.125 apart."""
    X = offset + np.array([[0.0, 1.0, 3.0]])
    want = np.array([[-4, -1, 5]]) / np.sqrt(14 + 9e-5)  # mean 4/3, variance 14/9
    assert ulps(RowLayerNorm(eps=1e-5).fit_transform(X), want) <= 4


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("eps", [1e-12, 0, 1e-5])
@pytest.mark.parametrize("width", [7, 64, 1000])
def test_a_constant_row_gives_exact_zeros(dtype, eps, width):
    """pytorch#108072 and #41527: the rounded mean differs from the constant, and a tiny eps blows it up."""
    constants = np.append([14.3, 0.1, -1 / 3, 6e4], np.random.default_rng(0).lognormal(0, 3, 200))
    X = np.tile(constants.astype(dtype).reshape(-1, 1), width)
    np.testing.assert_array_equal(RowLayerNorm(eps=eps).fit_transform(X), np.zeros(X.shape, dtype))


@pytest.mark.parametrize(
    "dtype, units",
    [
        (np.float16, [2.0**-24, 1e-6, 1e-3, 1.5e4]),
        (np.float32, [2.0**-149, 1e-30, 1e-18, 1e18, 8e37]),
        (np.float64, [5e-324, 1e-300, 1e-160, 1e160, 4e307]),
    ],
)
def test_rows_of_any_unit_are_normed_without_underflow_or_overflow(dtype, units):
    """onnxruntime#32573, onnx#8450: the squares of a tiny row vanish, those of a huge one overflow."""
    X = (np.array(units).reshape(-1, 1) * [3.0, 4.0]).astype(dtype)
    # The rounded values are no longer exactly 3 : 4, so want is taken from what was stored, scaled near 1.
    near_1 = X.astype(np.longdouble) / X.max(axis=1, keepdims=True)
    want = near_1 / np.sqrt((near_1**2).mean(axis=1, keepdims=True))
    assert ulps(RowRMSNorm(eps=0).fit_transform(X), want.astype(np.float64)) <= 4
    assert ulps(RowLayerNorm(eps=0).fit_transform(X), np.tile([-1.0, 1.0], (len(units), 1))) <= 4


def test_the_reported_tiny_row_has_root_mean_square_one():
    """onnxruntime#32573: 3e-30 and 4e-30 in float32."""
    out = RowRMSNorm(eps=0).fit_transform(np.array([[3e-30, 4e-30]], np.float32))
    assert ulps(out, np.array([[3, 4]]) / np.sqrt(12.5)) <= 4


def test_eps_counts_in_the_units_of_the_row():
    """coremltools#2822: dividing by max|x| first, and not eps, made eps 10,000 times too large."""
    X = np.array([[100.0] + [1e-3] * 4095], np.float32)
    out = RowRMSNorm(eps=1e-6).fit_transform(X)
    np.testing.assert_allclose(out[0, :2], [63.999973788814856, 0.000639999768286505], rtol=1e-6)


@pytest.mark.parametrize("cls", NORMS)
@pytest.mark.parametrize("exponent", [-60, -7, 20, 100])
def test_scaling_a_row_by_a_power_of_two_and_eps_by_its_square_changes_no_bit(cls, exponent):
    """coremltools#2822: the law behind the fault, for tiny and for huge rows."""
    X = np.random.default_rng(1).normal(0, 1e-2, (20, 33))
    scaled = cls(eps=np.ldexp(1e-5, 2 * exponent)).fit_transform(np.ldexp(X, exponent))
    np.testing.assert_array_equal(scaled, cls(eps=1e-5).fit_transform(X))


@pytest.mark.parametrize("cls", NORMS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("eps", [None, 0, 1e-12])
def test_a_row_of_zeros_gives_zeros_in_every_precision(cls, dtype, eps):
    """coremltools#2822, RL-Kernel#383, pytorch#32137, kornia#4021, model2vec#369: 0/0, or eps became 0."""
    X = np.array([[0, 0, 0], [0, 3, 4], [0, 0, 0]], dtype)
    out = (cls() if eps is None else cls(eps=eps)).fit_transform(X)
    np.testing.assert_array_equal(out[[0, 2]], np.zeros((2, 3), dtype))
    assert np.isfinite(out).all()


@pytest.mark.parametrize("dtype", FLOATS)
def test_eps_is_one_number_whatever_the_dtype(dtype):
    """pytorch#155527 and #173039: with an eps of its own for float16 the answer was 0.032, not 0.945."""
    X = np.full((1, 4), 1e-3, dtype)
    eps = float(np.finfo(np.float32).eps)
    x = float(X[0, 0])
    assert ulps(RowRMSNorm(eps=eps).fit_transform(X), np.full((1, 4), x / np.sqrt(x * x + eps))) <= 4
    assert ulps(RowRMSNorm().fit_transform(X), np.full((1, 4), x / np.sqrt(x * x + 1e-6))) <= 4


def test_the_product_with_gamma_is_rounded_once():
    """lmdeploy#2842, transformers#29402, IRON#139: rounding to half precision before gamma rounds twice."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 8)).astype(np.float16)
    gamma = rng.normal(1, 0.3, 8).astype(np.float16)
    wide = X.astype(np.float64)
    want = wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-6) * gamma.astype(np.float64)
    out = RowRMSNorm(gamma=gamma).fit_transform(X)
    assert out.dtype == np.float16
    half_ulp = np.spacing(np.abs(want).astype(np.float16)).astype(np.float64) / 2
    assert (np.abs(out - want) <= half_ulp * (1 + 1e-9)).all()  # 1e-9: `want` itself is rounded, in float64


# Kinds of input


@pytest.mark.parametrize("beta", [None, [0.5]])
def test_rows_of_one_column_are_zero_and_fit_says_so(beta):
    """pytorch#108956: whatever the value, layer norm of one number is 0, or beta."""
    X = np.array([[3.0], [5.0]])
    norm = RowLayerNorm(beta=beta)
    with pytest.warns(UserWarning, match="one"):
        norm.fit(X)
    np.testing.assert_array_equal(norm.transform(X), np.full((2, 1), 0.5 if beta else 0.0))


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.int16, np.uint8, np.uint64])
def test_integer_rows_are_normed_as_numbers(dtype):
    """pytorch#78444, onnx#8450: integers were refused, or divided in their own type."""
    X = np.array([[1, 2, 3]], dtype)
    up = np.sqrt(1.5)
    assert ulps(RowLayerNorm(eps=0).fit_transform(X), [[-up, 0, up]]) <= 4
    assert ulps(RowRMSNorm(eps=0).fit_transform(X), np.array([[1, 2, 3]]) / np.sqrt(14 / 3)) <= 4


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_is_left_out_of_its_row_and_reaches_no_other(dtype):
    """tslearn#175 and #177, torch-xpu-ops#5022: one NaN made the row, or the batch, NaN."""
    nan, up = np.nan, np.sqrt(1.5)
    X = np.array([[0, nan, 6], [1, 2, 3], [nan, nan, nan], [nan, 5, nan]], dtype)
    want = [[-1, nan, 1], [-up, 0, up], [nan, nan, nan], [nan, 0, nan]]
    assert ulps(RowLayerNorm(eps=0).fit_transform(X), want) <= 4


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_memory_order_of_the_input_changes_no_bit(cls, dtype):
    """kernl#193: a transposed array was read as if it were contiguous."""
    base = np.random.default_rng(3).normal(size=(60, 40)).astype(dtype)
    views = [np.arange(24, dtype=dtype).reshape(4, 6).T, base.T, base[::-1, ::-1], base[::3, 1::2]]
    views += [np.asfortranarray(base), base.reshape(4, 15, 40).transpose(2, 0, 1)]
    for view in views:
        want = cls().fit_transform(np.ascontiguousarray(view))
        np.testing.assert_array_equal(cls().fit_transform(view), want)


# Softmax


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_fully_masked_row_is_nan_without_a_warning(dtype):
    """pytorch#55056, #25110, #131060; mlx#2395; allennlp#890; tt-metal#56056: it must not look uniform."""
    masked = -np.inf
    X = np.array([[masked, masked, masked], [0, masked, 0], [masked, 7, masked]], dtype)
    out = RowSoftmax().fit_transform(X)
    np.testing.assert_array_equal(out, [[np.nan] * 3, [0.5, 0, 0.5], [0, 1, 0]])


@pytest.mark.parametrize("sample", [0, 2])
def test_plus_infinity_is_refused_and_its_sample_named(sample):
    """NNlib.jl#206, tt-metal#56056: it gave NaN, or a uniform row."""
    X = np.ones((3, 2))
    X[sample, 0] = np.inf
    with pytest.raises(ValueError, match=rf"(?s)(?=.*infinity)(?=.*\b{sample}\b)"):
        RowSoftmax().fit(np.ones((3, 2))).transform(X)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("width", [1, 10, 2049, 70000])
def test_a_long_uniform_row_has_the_right_share_everywhere(dtype, width):
    """candle#3727, executorch#20090, tt-metal#52045: the sum of exponentials saturated in half precision."""
    for value in (0, 11, -300):
        out = RowSoftmax().fit_transform(np.full((1, width), value, dtype))
        assert ulps(out[:, :1], [[1 / width]]) <= 1
        assert (out == out[0, 0]).all()


# The way back


@pytest.mark.parametrize("constant", [5.0, 0.1, -300.0])
def test_the_inverse_of_a_constant_row_uses_the_divisor_of_the_way_forth(constant):
    """timesfm#522: the way forth divided by 1, the way back multiplied by 0."""
    norm, X, Y = RowLayerNorm(), np.full((1, 3), constant), np.array([[0.5, 0.0, -0.5]])
    back = norm.inverse_transform(Y, row_stats=norm.row_statistics(X))
    np.testing.assert_array_equal(back, constant + Y)


def test_the_inverse_of_a_row_of_zeros_uses_the_divisor_of_the_way_forth():
    """timesfm#522: the same for the root mean square."""
    norm, Y = RowRMSNorm(), np.array([[0.5, 0.0, -0.5]])
    np.testing.assert_array_equal(norm.inverse_transform(Y, row_stats=norm.row_statistics(0 * Y)), Y)


@pytest.mark.parametrize("cls", NORMS)
@pytest.mark.parametrize("gamma, zeros", [([1.0, 0.0], [1]), ([0.0, 2.0, -0.0, 3.0], [0, 2])])
def test_a_zero_in_gamma_has_no_inverse_and_its_positions_are_named(cls, gamma, zeros):
    """neuralforecast#781, danfojs#271: the inverse gave infinity or NaN."""
    X = np.arange(2.0 * len(gamma)).reshape(2, -1)
    norm = cls(gamma=gamma).fit(X)
    Y, statistics = norm.transform(X), norm.row_statistics(X)
    named = "".join(rf"(?=.*\b{position}\b)" for position in zeros)
    with pytest.raises(ValueError, match=f"(?s)(?=.*gamma){named}"):
        norm.inverse_transform(Y, row_stats=statistics)
