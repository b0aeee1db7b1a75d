"""Arrays of other libraries: array-api-strict, and what torch has beside it in a stand-in."""

import array_api_strict as xp

from sknorm import RowLayerNorm, RowRMSNorm, Standardizer

from .row import Row, X

GIVEN = xp.asarray(X)


class Tensor:
    """What NumPy cannot read, as torch says it."""

    device, dtype = "cpu", "torch.float32"

    def __init__(self, **attributes):
        self.__dict__ |= attributes

    def __dlpack__(self):
        raise AssertionError

    def __array__(self, dtype=None, copy=None):
        raise TypeError("can't convert it to numpy. Use another.")


def elsewhere(values):
    return xp.asarray(values, device=xp.Device("device1"))


ROWS = [
    Row(
        lambda: Standardizer().fit(Tensor(requires_grad=True)),
        ValueError,
        "Expected X without gradients, got Tensor that requires grad. Call .detach() on it first.",
    ),
    Row(
        lambda: RowLayerNorm(gamma=Tensor(requires_grad=True)).fit(X),
        ValueError,
        "Expected gamma without gradients, got Tensor that requires grad. Call .detach() on it first.",
    ),
    Row(
        lambda: Standardizer().fit(Tensor(layout="torch.sparse_coo")),
        TypeError,
        "Expected X to be a dense array that NumPy can read, got Tensor of torch.float32 on cpu (can't convert it "
        "to numpy). Call .to_dense() on it first, or pass a SciPy sparse matrix.",
    ),
    Row(
        lambda: Standardizer().fit(Tensor(is_meta=True)),
        TypeError,
        "Expected X to be a dense array that NumPy can read, got Tensor of torch.float32 on cpu (can't convert it "
        "to numpy). A meta tensor holds no values: make it on another device.",
    ),
    Row(
        lambda: Standardizer().fit(Tensor(dtype="torch.bfloat16")),
        TypeError,
        "Expected X to be a dense array that NumPy can read, got Tensor of torch.bfloat16 on cpu (can't convert it "
        "to numpy). Convert it to float32 first, X.float() say.",
    ),
    Row(
        lambda: Standardizer().fit(elsewhere(X)),
        TypeError,
        "Expected X to be a dense array that NumPy can read, got Array of array_api_strict.float64 on "
        "array_api_strict.Device('device1') (<...>). Copy it to the host, X.cpu() say, or switch on scikit-learn's "
        "array_api_dispatch.",
    ),
    Row(
        lambda: RowRMSNorm(gamma=elsewhere(X[0])).fit(X),
        TypeError,
        "Expected gamma to be a dense array that NumPy can read, got Array of array_api_strict.float64 on "
        "array_api_strict.Device('device1') (<...>). Copy it to the host, X.cpu() say, or switch on scikit-learn's "
        "array_api_dispatch.",
    ),
    Row(
        lambda: Standardizer().fit(X, sample_weight=elsewhere(X[0])),
        TypeError,
        "Expected sample_weight to be a dense array that NumPy can read, got Array of array_api_strict.float64 on "
        "array_api_strict.Device('device1') (<...>). Copy it to the host, X.cpu() say, or switch on scikit-learn's "
        "array_api_dispatch.",
    ),
    Row(
        lambda: Standardizer().fit(Tensor(is_meta=True)),
        TypeError,
        "Expected X to be a dense array that NumPy can read, got Tensor of torch.float32 on cpu (Tensor is not a "
        "supported array type). A meta tensor holds no values: make it on another device.",
        dispatches=True,
    ),
    Row(
        lambda: Standardizer().fit(GIVEN).transform(X),
        ValueError,
        "Expected X of array_api_strict on array_api_strict.Device('CPU_DEVICE'), got numpy on cpu. Inputs passed "
        "to Standardizer.transform() must use the same namespace and the same device as those passed to fit(): "
        "convert X, or fit again.",
        dispatches=True,
    ),
    Row(
        lambda: RowRMSNorm().fit(GIVEN).transform(elsewhere(X)),
        ValueError,
        "Expected X of array_api_strict on array_api_strict.Device('CPU_DEVICE'), got array_api_strict on "
        "array_api_strict.Device('device1'). Inputs passed to RowRMSNorm.transform() must use the same namespace "
        "and the same device as those passed to fit(): convert X, or fit again.",
        dispatches=True,
    ),
    Row(
        lambda: Standardizer(dtype="float16").fit_transform(GIVEN),
        TypeError,
        "Expected results of a dtype that array_api_strict on array_api_strict.Device('CPU_DEVICE') has, got "
        "float16. Choose another dtype or inverse_dtype.",
        dispatches=True,
    ),
]
