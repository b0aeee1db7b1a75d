"""One row of the table of errors: a call, and what it must raise."""

import os
import sys
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ANY = "<...>"  # in a text, for what differs by machine or version


class Row(NamedTuple):
    """Calls run in an empty directory, with every warning an error."""

    call: Callable[[], Any]
    kind: type[Exception]
    text: str
    words: str = "sknorm"
    """Whose words they are: ours have the form of all errors, those of others have their own."""
    dispatches: bool = False
    """Whether scikit-learn is to send results back to other libraries of arrays, which an old SciPy cannot."""


@contextmanager
def replaced(name, module):
    """Another module under a name; None makes it missing."""
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        yield
    finally:
        del sys.modules[name]
        if before is not None:
            sys.modules[name] = before


def without(package, call):
    with replaced(package, None):
        return call()


def written(name, content):
    """The path of a file with this content."""
    path = Path(name)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def made_pipe(name):
    os.mkfifo(name)
    return name


def made_directory(name):
    os.mkdir(name)
    return name


X = np.array([[1.0, 5.0], [3.0, 2.0]])
ENDLESS = np.array([[1.0, np.inf], [3.0, 2.0]])
