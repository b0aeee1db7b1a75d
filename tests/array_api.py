"""Arrays of other libraries: which the tests can make here, and what the results made from them must be.

Those of array-api-strict, which the extra ``test`` brings, and of torch where it is installed.
"""

import os
from importlib.util import find_spec
from unittest.mock import patch

import numpy as np
import pytest
from sklearn import config_context
from sklearn.utils._array_api import _check_array_api_dispatch

from sknorm import RowLayerNorm, RowRMSNorm, RowSoftmax

with_dispatch = pytest.mark.usefixtures("dispatch")


def dispatches():
    """Whether scikit-learn dispatches with the SciPy that is installed: with 1.13, which it allows, it does not."""
    try:
        with patch.dict(os.environ, SCIPY_ARRAY_API="1"), config_context(array_api_dispatch=True):
            _check_array_api_dispatch(True)
    except ImportError:
        return False
    return True


def is_here(library, device):
    return find_spec(library) is not None and (library != "torch" or device == "cpu")


def places_of(check):
    """The libraries and devices whose arrays one of scikit-learn's checks makes."""
    given = check.keywords
    if "X_ns_and_device" in given:
        return [given["X_ns_and_device"], given["other_ns_and_device"]]
    return [(given["array_namespace"], given.get("device_name", given.get("device")))]


def assert_is_like(result, given, expected):
    """The same library and device as what was given, and every bit of NumPy's result."""
    assert type(result) is type(given)
    assert result.device == given.device
    assert np.asarray(result).dtype == expected.dtype
    np.testing.assert_array_equal(np.asarray(result), expected)


def results_of(norm, data, convert):
    """What every method returns, from arrays that ``convert`` made."""
    given = convert(data)
    Y = norm.fit_transform(given)
    yield Y
    yield norm.fit(given).transform(given)
    if isinstance(norm, (RowLayerNorm, RowRMSNorm, RowSoftmax)):
        statistics = norm.row_statistics(given)
        yield from statistics
        yield norm.inverse_transform(Y, row_stats=statistics)
    else:
        yield norm.inverse_transform(Y)
        weights = convert(np.arange(len(data), dtype=np.float32))
        yield norm.fit(given, sample_weight=weights).partial_fit(given, sample_weight=weights).transform(given)
