"""F0, the wording of errors about the files that transformers are kept in."""

from __future__ import annotations

from typing import Any

from ._wording import message, shown


def no_path(path: Any) -> TypeError:
    remedy = "Call save(estimator, path), or load(path)."
    got = f"{shown(path, 60)}, of type {type(path).__name__}"
    return TypeError(message("a path, str or path-like", got, remedy))


def not_a_file(path: Any) -> IsADirectoryError:
    return IsADirectoryError(message("the path of a file", f"the directory {str(path)!r}", "Add the name of a file."))


def no_regular_file(path: Any) -> ValueError:
    remedy = "Devices and pipes are not replaced: name a new file, or one to replace."
    return ValueError(message("the path of a regular file", repr(str(path)), remedy))


def not_written(path: Any, error: OSError) -> OSError:
    """The error of the system, about the file that was asked for."""
    return type(error)(error.errno, error.strerror, str(path))


def no_such_directory(path: Any) -> FileNotFoundError:
    got = f"{str(path)!r}, which is no directory"
    return FileNotFoundError(message("a directory to write to", got, "Create it first."))


def not_saved(estimator: Any, classes: list[str]) -> TypeError:
    remedy = "Use skops.io.dump or pickle for others, or save the steps of a pipeline one by one."
    return TypeError(message(f"a {', '.join(classes[:-1])} or {classes[-1]} to save", f"{type(estimator)}", remedy))


def unknown_version(got: Any, newest: int) -> ValueError:
    expected = f"a file of format version {newest}"
    return ValueError(message(expected, f"version {got!r:.50}", "Update sknorm, which reads its older versions."))
