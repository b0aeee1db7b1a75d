"""F0, the wording of all errors: what was expected, what came, what to do."""

from __future__ import annotations

from typing import Any

LONGEST = 200  # characters of what came, in an error


def message(expected: str, got: Any, remedy: str) -> str:
    """The one wording of all errors."""
    return f"Expected {expected}, got {got}. {remedy}"


def shown(value: Any, longest: int = LONGEST) -> str:
    """What an object says of itself, cut short and on one line; its type if it fails at that."""
    try:
        text = " ".join(map(str.strip, repr(value).splitlines()))
    except Exception:
        return f"a {type(value).__name__}"
    return text if len(text) <= longest else f"{text[:longest]}..."
