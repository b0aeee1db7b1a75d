"""The exact oracle: the five transforms in rational arithmetic, and errors in units in the last place.

Arrays of dtype object hold a `Fraction` for a value and None for a missing one (NaN). Only roots and
exponentials are rounded, 200 bits wide. Features are the last axis. Nothing here knows the code under test.
"""

from decimal import Context, Decimal
from fractions import Fraction
from functools import wraps
from itertools import repeat
from math import isnan, isqrt

import numpy as np

DECIMAL = Context(prec=70)


# Values


def exact(value):
    """One number as a Fraction: None for NaN; an infinity stays a float."""
    if value is None or isinstance(value, Fraction):
        return value
    if isinstance(value, (bool, int, np.bool_, np.integer)):
        return Fraction(int(value))
    value = float(value)  # float16, float32 and float64 all fit
    return None if isnan(value) else value if abs(value) == float("inf") else Fraction(value)


def exact_array(X):
    """`exact` of every element."""
    X = np.asarray(X)
    result = np.empty(X.shape, object)
    result.reshape(-1)[:] = [exact(value) for value in X.reshape(-1).tolist()]
    return result


def present(values):
    """The values that are not missing."""
    return [value for value in values if value is not None]


def output_dtype(dtype):
    """Floats as they came; bool and integers of up to 16 bits float32; wider integers float64."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return dtype
    return np.dtype(np.float32 if dtype.itemsize <= 2 else np.float64)


def root(square):
    """The square root of a Fraction, to more than 200 bits."""
    size = square.numerator.bit_length() - square.denominator.bit_length()
    shift = max(0, 256 - size // 2)
    return Fraction(isqrt((square.numerator << 2 * shift) // square.denominator), 1 << shift)


def exponential(power):
    """e to a power of at most 0, and 0 below -2000, where every float type has long reached 0."""
    if power < -2000:
        return Fraction(0)
    return Fraction(DECIMAL.exp(DECIMAL.divide(Decimal(power.numerator), Decimal(power.denominator))))


def logarithm(value):
    """The natural logarithm of a positive Fraction."""
    return Fraction(DECIMAL.ln(DECIMAL.divide(Decimal(value.numerator), Decimal(value.denominator))))


# Units in the last place


def ulp(magnitude, dtype):
    """The distance between neighbours of `dtype` at `magnitude`; constant below its smallest normal.

    Beyond its largest number it goes on growing, as if there were more.
    """
    info = np.finfo(dtype)
    magnitude = abs(Fraction(magnitude))
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    exponent -= magnitude < Fraction(2) ** exponent
    if magnitude == 0:
        exponent = info.minexp
    return Fraction(2) ** int(max(exponent, info.minexp) - info.nmant)


def rounded(value, dtype):
    """A Fraction rounded once to `dtype`, half to even."""
    unit = ulp(value, dtype)
    value = round(Fraction(value) / unit) * unit
    if abs(value) >= Fraction(2) ** int(np.finfo(dtype).maxexp):
        return np.dtype(dtype).type(np.inf if value > 0 else -np.inf)
    return np.dtype(dtype).type(float(value))


def errors(got, want, at):
    """|got - want| in ulps of got's dtype at the magnitudes `at` (broadcast); 1e9 is the largest it tells.

    Infinite where only one is missing. What the type cannot reach counts as the first power of two it cannot.
    """
    limit = Fraction(2) ** int(np.finfo(got.dtype).maxexp)
    units = {size: ulp(size, got.dtype) for size in set(np.ravel(at))}
    result = np.zeros(got.shape)
    pairs = zip(exact_array(got).flat, want.flat, np.broadcast_to(at, got.shape).flat, strict=True)
    for i, (g, w, size) in enumerate(pairs):
        if g is None or w is None:
            result.flat[i] = 0 if g is w else np.inf
            continue
        g, w = (min(max(v, -limit), limit) for v in (g, w))
        result.flat[i] = min(abs(Fraction(g) - w) / units[size], 10**9)
    return result


def largest(values):
    """The largest magnitude among the values that are not missing."""
    return max((abs(value) for value in present(values)), default=Fraction(0))


def feature_sizes(want):
    """The largest magnitude of each feature."""
    return np.array([largest(column) for column in want.reshape(-1, want.shape[-1]).T], object)


def feature_errors(got, want, *, at_least=0):
    """Errors in ulps at the largest magnitude of each feature of `want`, or at `at_least` if larger."""
    return errors(got, want, np.maximum(feature_sizes(want), exact_array(at_least)))


def sample_errors(got, want):
    """Errors in ulps at the largest magnitude of each sample of `want`."""
    sizes = [largest(sample) for sample in want.reshape(-1, want.shape[-1])]
    return errors(got, want, np.array(sizes, object).reshape(*want.shape[:-1], 1))


# Dataset statistics


def moments(values, weights=None, ddof=0):
    """(mean, variance) of the values present; the variance is None where the weights do not exceed ddof."""
    weighted = zip(values, repeat(1) if weights is None else map(exact, weights), strict=False)
    pairs = [(value, weight) for value, weight in weighted if value is not None and weight]
    total = sum(weight for _, weight in pairs)
    if not pairs:
        return None, None
    mean = sum(weight * value for value, weight in pairs) / total
    m2 = sum(weight * (value - mean) ** 2 for value, weight in pairs)
    return mean, m2 / (total - ddof) if total > ddof else None


def by_feature(learn):
    """Turn `learn(values, weights, j, ...)`, which returns the map of feature j's values, into one of arrays.

    It learns on X and maps `new` (X itself if not given). Missing values and weights of zero are left out.
    """

    @wraps(learn)
    def apply(X, new=None, *, weights=None, per_feature=True, **params):
        X, result = exact_array(X), exact_array(X if new is None else new)
        weights = np.ones(len(X)) if weights is None else np.asarray(weights)
        weights = np.broadcast_to(weights.reshape(-1, *[1] * (X.ndim - 1)), X.shape)
        kept = np.not_equal(X, None) & (weights != 0)
        for j in range(X.shape[-1]):
            feature = (..., j) if per_feature else ...
            keep = kept[feature]
            function = learn(X[feature][keep].tolist(), weights[feature][keep].tolist(), j, **params)
            column = result[..., j]
            for index in np.ndindex(column.shape):
                column[index] = None if column[index] is None else function(column[index])
        return result

    return apply


@by_feature
def standardized(values, weights, j, *, with_mean=True, with_std=True, ddof=0, mean=None, std=None):
    """(x - mean) / std; std is 1 for a constant feature; `mean`, `std` (arrays) replace what is learned."""
    centre, variance = moments(values, weights, ddof)
    if values and min(values) == max(values):
        variance = Fraction(1)
    centre = centre if mean is None else exact(mean[j])
    divisor = (variance and root(variance)) if std is None else exact(std[j])
    centre, divisor = (centre if with_mean else 0), (divisor if with_std else 1)
    return lambda x: None if centre is None or divisor is None else (x - centre) / divisor


@by_feature
def minmax_scaled(values, _, j, *, dtype, feature_range=(0, 1), in_range=None, clip=False):
    """low + (high - low) (x - min) / (max - min), low and high rounded to the output `dtype` first.

    The range of a constant feature is 1; `in_range` (two arrays) replaces the learned limits.
    """
    low, high = (exact(rounded(exact(end), dtype)) for end in feature_range)
    if not values and in_range is None:
        return lambda x: None
    minimum, maximum = (min(values), max(values)) if in_range is None else (exact(end[j]) for end in in_range)

    def scale(x):
        y = low + (high - low) * (x - minimum) / ((maximum - minimum) or 1)
        return min(max(y, low), high) if clip else y

    return scale


# Sample statistics


def by_sample(transform):
    """Turn a function of one sample's values into one of an array."""

    @wraps(transform)
    def apply(X, **params):
        X = exact_array(X)
        result = np.empty(X.shape, object)
        for index in np.ndindex(X.shape[:-1]):
            result[index] = transform(list(X[index]), **params)
        return result

    return apply


def parameter(values, default):
    """gamma or beta as Fractions, or the default for ever."""
    return repeat(Fraction(default)) if values is None else exact_array(values).tolist()


@by_sample
def layer_normed(sample, *, eps=1e-5, gamma=None, beta=None):
    """gamma (x - mean) / sqrt(var + eps) + beta; a constant sample is 0 before gamma."""
    mean, variance = moments(sample)
    divisor = root(variance + Fraction(eps)) if variance else 1
    rows = zip(sample, parameter(gamma, 1), parameter(beta, 0), strict=False)
    return [None if x is None else g * (x - mean) / divisor + b for x, g, b in rows]


@by_sample
def rms_normed(sample, *, eps=1e-6, gamma=None):
    """gamma x / sqrt(mean(x^2) + eps); an all-zero sample is 0."""
    squares = [x * x for x in present(sample)]
    divisor = root(sum(squares) / len(squares) + Fraction(eps)) if any(squares) else 1
    return [None if x is None else g * x / divisor for x, g in zip(sample, parameter(gamma, 1), strict=False)]


@by_sample
def softmaxed(sample, *, temperature=1.0):
    """exp(x / T) / sum(exp(x / T)); minus infinity has probability 0; a sample of nothing else is missing."""
    top = max(present(sample), default=None)
    if top in (None, float("-inf")):
        return [None] * len(sample)
    shifted = [x if x is None or x == float("-inf") else (x - top) / Fraction(temperature) for x in sample]
    powers = [None if z is None else Fraction(0) if z == float("-inf") else exponential(z) for z in shifted]
    total = sum(present(powers))
    return [None if power is None else power / total for power in powers]


def logsumexp(sample, temperature=1.0):
    """log(sum(exp(x / T))) of one sample's finite values."""
    values = [x / Fraction(temperature) for x in present(exact_array(sample))]
    return max(values) + logarithm(sum(exponential(x - max(values)) for x in values))
