"""The works that are timed: the data, ours, the same by others, and a bare copy or read of the same bytes."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np
import pandas as pd
from scipy.special import softmax
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

SKLEARN = {Standardizer: StandardScaler, MinMaxNormalizer: MinMaxScaler}
IMAGES = (200, 224, 224, 3)
IMAGENET = {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]}
CALLS = 200  # of one row, which takes microseconds


@dataclass
class Peer:
    package: str
    call: Callable
    asked: float  # how many times as fast ours should be

    def __str__(self):
        return f"{self.package} {version(self.package)}"


@dataclass
class Work:
    ours: Callable
    peers: list[Peer]
    limit: Callable | None = None  # of a function that maps in threads


def by_torch(call, asked):
    """Return a list of one peer, or of none where torch is not installed. ``call`` takes torch and the converter."""
    if not find_spec("torch"):
        return []
    import torch

    return [Peer("torch", torch.inference_mode()(partial(call, torch, torch.from_numpy)), asked)]


def parts(X):
    """Two halves of the array's memory."""
    return np.array_split(X.ravel(order="K"), 2)


def read(X):
    def limit(spread):
        spread(lambda part: part.view(np.uint8).max(), parts(X))

    return limit


def copy(X, dtype=None):
    def limit(spread):
        out = np.empty(X.shape, dtype or X.dtype)
        spread(partial(np.copyto, casting="unsafe"), parts(out), parts(X))
        return out

    return limit


def normal(shape, dtype=np.float64):
    X = np.random.default_rng(0).standard_normal(shape, dtype)
    X *= 3
    X += 50
    return X


def frame(X):
    return pd.DataFrame(X).add_prefix("feature ")


def fit(ours, asked, shape, order="C", missing=0.0):
    X = normal(shape)
    if missing:
        X[np.random.default_rng(1).random(shape) < missing] = np.nan
    X = np.asarray(X, order=order)
    theirs = SKLEARN[ours]
    return Work(
        lambda: ours().fit(X).scale_, [Peer("scikit-learn", lambda: theirs().fit(X).scale_, asked)], limit=read(X)
    )


def transform(ours, asked, shape):
    X = normal(shape)
    norm, scaler = ours().fit(X), SKLEARN[ours]().fit(X)
    return Work(lambda: norm.transform(X), [Peer("scikit-learn", lambda: scaler.transform(X), asked)], limit=copy(X))


def fit_transform_of_a_frame(ours, asked, shape):
    data = frame(normal(shape))
    norm, scaler = (cls().set_output(transform="pandas") for cls in (ours, SKLEARN[ours]))
    X = data.to_numpy()

    def limit(spread):
        read(X)(spread)
        return copy(X)(spread)

    return Work(
        lambda: norm.fit_transform(data),
        [Peer("scikit-learn", lambda: scaler.fit_transform(data), asked)],
        limit,
    )


def one_row(ours, asked, container):
    X = container(normal((100, 10)))
    row = X[:1]

    def repeat(fitted):
        for _ in range(CALLS - 1):
            fitted.transform(row)
        return fitted.transform(row)

    norm, scaler = ours().fit(X), SKLEARN[ours]().fit(X)
    return Work(lambda: repeat(norm), [Peer("scikit-learn", lambda: repeat(scaler), asked)])


def pixels(asked):
    X = np.random.default_rng(0).integers(0, 256, IMAGES, np.uint8)
    norm = MinMaxNormalizer(in_range="dtype").fit(X)
    return Work(
        lambda: norm.transform(X),
        [Peer("numpy", lambda: X.astype(np.float32) / 255, asked)],
        limit=copy(X, np.float32),
    )


def imagenet(asked_of_numpy, asked_of_torch):
    X = np.random.default_rng(0).random(IMAGES, np.float32)
    mean, std = (np.float32(IMAGENET[name]) for name in ("mean", "std"))
    norm = Standardizer(**IMAGENET).fit(X)
    return Work(
        lambda: norm.transform(X),
        [
            Peer("numpy", lambda: (X - mean) / std, asked_of_numpy),
            *by_torch(lambda _, t: t(X).sub(t(mean)).div_(t(std)), asked_of_torch),
        ],
        limit=copy(X),
    )


def layer_norm(asked, shape):
    X = normal(shape, np.float32)
    gamma, beta = np.random.default_rng(1).random((2, shape[-1]), np.float32)
    norm = RowLayerNorm(gamma=gamma, beta=beta).fit(X)

    def peer(torch, t):
        return torch.nn.functional.layer_norm(t(X), shape[-1:], t(gamma), t(beta), norm.eps)

    return Work(lambda: norm.transform(X), by_torch(peer, asked), limit=copy(X))


def rms_norm(asked, shape):
    X = normal(shape, np.float32)
    gamma = np.random.default_rng(1).random(shape[-1], np.float32)
    norm = RowRMSNorm(gamma=gamma).fit(X)

    def peer(torch, t):
        return torch.nn.functional.rms_norm(t(X), shape[-1:], t(gamma), norm.eps)

    return Work(lambda: norm.transform(X), by_torch(peer, asked), limit=copy(X))


def probabilities(asked_of_torch, asked_of_scipy, shape):
    X = normal(shape, np.float32)
    norm = RowSoftmax().fit(X)
    return Work(
        lambda: norm.transform(X),
        [
            *by_torch(lambda torch, t: torch.softmax(t(X), -1), asked_of_torch),
            Peer("scipy", lambda: softmax(X, axis=-1), asked_of_scipy),
        ],
        limit=copy(X),
    )


TALL, NARROW, WIDE = (1_000_000, 32), (5_000_000, 4), (20_000, 2000)

WORKS = {
    "Standardizer.fit 1e6 x 32": partial(fit, Standardizer, 15, TALL),
    "Standardizer.fit 5e6 x 4": partial(fit, Standardizer, 25, NARROW),
    "Standardizer.fit 20000 x 2000": partial(fit, Standardizer, 15, WIDE),
    "Standardizer.fit 1e6 x 32, Fortran order": partial(fit, Standardizer, 10, TALL, order="F"),
    "Standardizer.fit 5e6 x 4, Fortran order": partial(fit, Standardizer, 10, NARROW, order="F"),
    "Standardizer.fit 20000 x 2000, Fortran order": partial(fit, Standardizer, 10, WIDE, order="F"),
    "Standardizer.fit 1e6 x 32, 1 % NaN": partial(fit, Standardizer, 10, TALL, missing=0.01),
    "Standardizer.fit 5e6 x 4, 1 % NaN": partial(fit, Standardizer, 10, NARROW, missing=0.01),
    "Standardizer.fit 20000 x 2000, 1 % NaN": partial(fit, Standardizer, 10, WIDE, missing=0.01),
    "MinMaxNormalizer.fit 1e6 x 32": partial(fit, MinMaxNormalizer, 6, TALL),
    "Standardizer.transform 1e6 x 32": partial(transform, Standardizer, 3.5, TALL),
    "MinMaxNormalizer.transform 1e6 x 32": partial(transform, MinMaxNormalizer, 3.5, TALL),
    "Standardizer.fit_transform DataFrame 1e6 x 32": partial(fit_transform_of_a_frame, Standardizer, 5, TALL),
    "MinMaxNormalizer.fit_transform DataFrame 1e6 x 32": partial(fit_transform_of_a_frame, MinMaxNormalizer, 5, TALL),
    "uint8 images / 255": partial(pixels, 5),
    "float32 images, ImageNet's mean and std": partial(imagenet, 4, 1.5),
    "RowLayerNorm 16384 x 7168": partial(layer_norm, 2, (16_384, 7168)),
    "RowLayerNorm 100000 x 768": partial(layer_norm, 2, (100_000, 768)),
    "RowLayerNorm 2e6 x 32": partial(layer_norm, 3, (2_000_000, 32)),
    "RowLayerNorm 5e6 x 8": partial(layer_norm, 4, (5_000_000, 8)),
    "RowRMSNorm 16384 x 7168": partial(rms_norm, 6, (16_384, 7168)),
    "RowRMSNorm 100000 x 768": partial(rms_norm, 6, (100_000, 768)),
    "RowRMSNorm 2e6 x 32": partial(rms_norm, 6, (2_000_000, 32)),
    "RowRMSNorm 5e6 x 8": partial(rms_norm, 6, (5_000_000, 8)),
    "RowSoftmax 100000 x 768": partial(probabilities, 1, 5, (100_000, 768)),
    "Standardizer.transform 1 x 10": partial(one_row, Standardizer, 3, np.asarray),
    "MinMaxNormalizer.transform 1 x 10": partial(one_row, MinMaxNormalizer, 3, np.asarray),
    "Standardizer.transform DataFrame 1 x 10": partial(one_row, Standardizer, 3, frame),
    "MinMaxNormalizer.transform DataFrame 1 x 10": partial(one_row, MinMaxNormalizer, 3, frame),
}
