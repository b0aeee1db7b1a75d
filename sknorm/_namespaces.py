"""F0, arrays of other libraries, such as torch, CuPy and array-api-strict: read where they lie, results sent back.

The kernels need what the array-API standard lacks: float64 whatever the device, powers of two (frexp, ldexp) and
reductions that leave NaN out. So they run on NumPy's view of an array's memory or, from a device that is not the host,
on a copy. Whether results go back is for scikit-learn's setting ``array_api_dispatch`` to say.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import get_config

# no public way to the library and the device of an array, or from another device
from sklearn.utils._array_api import _convert_to_numpy, _max_precision_float_dtype, device, get_namespace

from ._precision import Array
from ._validation import as_array
from ._wording import message


def is_foreign(X: Any) -> bool:
    """Whether X is an array of another library than NumPy."""
    return not isinstance(X, np.ndarray) and hasattr(X, "__dlpack__")


def is_dispatched(X: Any) -> bool:
    """Whether results go back to the library and the device of X."""
    return is_foreign(X) and bool(get_config()["array_api_dispatch"])


def on_host(X: Any, what: str) -> Any:
    """NumPy's view of the memory of another library's array, a copy from another device; anything else as it is."""
    if not is_foreign(X):
        return X
    if getattr(X, "requires_grad", False):
        got, remedy = f"{type(X).__name__} that requires grad", "Call .detach() on it first."
        raise ValueError(message(f"{what} without gradients", got, remedy))
    try:
        return np.asarray(X)
    except (TypeError, RuntimeError) as error:
        if not is_dispatched(X):
            raise _unreadable(X, what, error) from error
    try:
        return _convert_to_numpy(X, get_namespace(X)[0])
    except (TypeError, RuntimeError) as error:
        raise _unreadable(X, what, error) from error


def as_numpy(value: Any, what: str) -> Array:
    """A parameter as a NumPy array."""
    return as_array(on_host(value, what), f"{what} to be numbers")


def _unreadable(X: Any, what: str, error: Exception) -> TypeError:
    if "sparse" in str(getattr(X, "layout", "")):
        remedy = "Call .to_dense() on it first, or pass a SciPy sparse matrix."
    elif getattr(X, "is_meta", False):
        remedy = "A meta tensor holds no values: make it on another device."
    elif not hasattr(np, str(X.dtype).rpartition(".")[2]):
        remedy = "Convert it to float32 first, X.float() say."
    else:
        remedy = "Copy it to the host, X.cpu() say, or switch on scikit-learn's array_api_dispatch."
    got = f"{type(X).__name__} of {X.dtype} on {X.device} ({str(error).partition('. ')[0].rstrip('.')})"
    return TypeError(message(f"{what} to be a dense array that NumPy can read", got, remedy))


def sent_back(values: Array, X: Any) -> Any:
    """A result as an array like the input X: of its library and on its device, where that is asked for."""
    return sent_to(values, X) if is_dispatched(X) else values


def sent_to(values: Array, place: Any) -> Any:
    """``values`` as an array of the library and on the device of the array ``place``; on the host the same memory."""
    xp, where = get_namespace(place)[0], device(place)
    if values.dtype == np.float64 and _max_precision_float_dtype(xp, where) == xp.float32:
        values = values.astype(np.float32)  # a device without float64
    try:
        return xp.asarray(values, device=where)
    except TypeError as error:
        remedy = "Choose another dtype or inverse_dtype."
        raise TypeError(message(f"results of a dtype that {_name(place)} has", values.dtype, remedy)) from error


def place_of(X: Any) -> Any:
    """An empty array that stands for the library and the device of X."""
    if not is_dispatched(X):
        return np.empty(0, dtype=bool)
    xp = get_namespace(X)[0]
    return xp.empty((0,), dtype=xp.bool, device=device(X))


def check_place(estimator: Any, X: Any, method: str) -> None:
    """Library and device must be those of fit, in scikit-learn's words, where results go back to them."""
    fitted = estimator._fitted_in
    if fitted is None or not (is_foreign(fitted) or is_foreign(X)) or not get_config()["array_api_dispatch"]:
        return
    if type(X) is type(fitted) and X.device == fitted.device:
        return  # nearly always
    if (expected := _name(fitted)) != (got := _name(X)):
        remedy = (
            f"Inputs passed to {type(estimator).__name__}.{method}() must use the same namespace and the same device "
            "as those passed to fit(): convert X, or fit again."
        )
        raise ValueError(message(f"X of {expected}", got, remedy))


def _name(X: Any) -> str:
    """Library and device of X, by name."""
    return f"{get_namespace(X)[0].__name__.rpartition('.')[2]} on {device(X)}" if is_foreign(X) else "numpy on cpu"


def shares_memory(X: Any, values: Array) -> bool:
    """Whether ``values`` are the caller's array itself, to which results of the same kind may be written."""
    if is_dispatched(X):
        try:
            X = np.asarray(X)
        except (TypeError, RuntimeError):
            return False  # on another device
    return isinstance(X, np.ndarray) and not isinstance(X, np.ma.MaskedArray) and np.may_share_memory(X, values)
