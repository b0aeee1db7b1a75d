"""torch, with a stand-in for it: the table needs no torch, and no two versions of it."""

import pickle
from types import SimpleNamespace
from typing import Any

from sknorm import RowLayerNorm, RowRMSNorm, RowSoftmax
from sknorm.checkpoint import from_torch, list_norms, to_torch

from .row import Row, replaced, without, written


class Module:
    """One module without others inside."""

    def __init__(self, *shape: int, eps: Any = 1e-5, weight: Any = None) -> None:
        self.normalized_shape, self.eps, self.weight, self.bias = shape, eps, weight, None

    def named_modules(self, remove_duplicate=True):
        return [("", self)]

    def named_parameters(self, recurse=True, remove_duplicate=True):
        return []

    def state_dict(self):
        return {}


class LayerNorm(Module):
    pass


class RMSNorm(Module):
    pass


def torch_that_reads(found):
    def load(path, **options):
        if isinstance(found, Exception):
            raise found
        return found

    return SimpleNamespace(__version__="2.6.0", nn=SimpleNamespace(LayerNorm=LayerNorm, RMSNorm=RMSNorm), load=load)


def reading(found, version="2.6.0"):
    torch = torch_that_reads(found)
    torch.__version__ = version
    with replaced("torch", torch):
        return list_norms(written("model.pt", b""))


def with_torch(call):
    with replaced("torch", torch_that_reads(None)):
        return call()


ROWS = [
    # files
    Row(
        lambda: without("torch", lambda: list_norms(written("model.pt", b""))),
        ImportError,
        "Expected torch 2.6 or newer to be installed, got no such package. Run pip install --upgrade torch to read "
        "'model.pt', or convert the file to safetensors.",
    ),
    Row(
        lambda: reading({}, "2.5.1"),
        ImportError,
        "Expected torch 2.6 or newer to be installed, got torch 2.5.1. Run pip install --upgrade torch to read "
        "'model.pt' safely.",
    ),
    Row(
        lambda: reading(pickle.UnpicklingError("Weights only load failed.")),
        ValueError,
        "Expected tensors and nothing else in 'model.pt', got objects of other types. Loading them may run code, "
        "so it is refused: save the model's state_dict(), or use safetensors.",
    ),
    Row(
        lambda: reading(EOFError("Ran out of input")),
        ValueError,
        "Expected a torch file of tensors in 'model.pt', got EOFError: Ran out of input. The file is damaged or of "
        "another format: get it again, or convert it.",
    ),
    Row(
        lambda: reading([1, 2]),
        ValueError,
        "Expected tensors by name in 'model.pt', got a list. Save the model's state_dict(), or use safetensors.",
    ),
    # modules in
    Row(
        lambda: from_torch("a model"),
        TypeError,
        "Expected a torch.nn.LayerNorm or torch.nn.RMSNorm, got 'str'. Use load_norm for a layer inside of a "
        "model, and for layers of an author's own.",
    ),
    Row(
        lambda: with_torch(lambda: from_torch(Module())),
        TypeError,
        "Expected a torch.nn.LayerNorm or torch.nn.RMSNorm, got 'Module'. Use load_norm for a layer inside of a "
        "model, and for layers of an author's own.",
    ),
    Row(
        lambda: with_torch(lambda: from_torch(LayerNorm(4, 2))),
        ValueError,
        "Expected a module over the last axis, got normalized_shape=(4, 2). Make them one: a norm with "
        "gamma=weight.ravel() and beta=bias.ravel(), for X.reshape(len(X), -1).",
    ),
    Row(
        lambda: with_torch(lambda: from_torch(LayerNorm(2, weight="pruned"))),
        ValueError,
        "Expected a parameter 'weight' of the module, got none. Pruned or reparametrized: "
        "torch.nn.utils.prune.remove(module, 'weight') makes it one again.",
    ),
    Row(
        lambda: with_torch(lambda: from_torch(RMSNorm(2, eps=None))),
        ValueError,
        "Expected evidence of the eps of the layer, got eps=None, for which torch takes the machine epsilon of the "
        "input's dtype. Pass eps=, as the code of the model says.",
    ),
    # modules out
    Row(
        lambda: without("torch", lambda: to_torch(RowRMSNorm())),
        ImportError,
        "Expected torch 2.6 or newer to be installed, got no such package. Run pip install --upgrade torch.",
    ),
    Row(
        lambda: to_torch(RowSoftmax()),
        TypeError,
        "Expected a RowLayerNorm or RowRMSNorm, got 'RowSoftmax'. Pass one of these; a softmax needs no weights: "
        "torch.nn.Softmax(dim=-1).",
    ),
    Row(
        lambda: to_torch(RowLayerNorm(keep_stats=True)),
        ValueError,
        "Expected keep_stats=False, got keep_stats=True. torch modules append no statistics: use "
        "norm.set_params(keep_stats=False).",
    ),
    Row(
        lambda: with_torch(lambda: to_torch(RowRMSNorm())),
        ValueError,
        "Expected a norm that knows its number of features, got neither a fit nor gamma. Fit the norm, or give it "
        "gamma.",
    ),
]
