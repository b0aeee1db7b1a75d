"""F4, the command line: ``python -m sknorm norms PATH``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .checkpoint import list_norms


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m sknorm", description="Exact normalization for scikit-learn.")
    commands = parser.add_subparsers(dest="command", required=True)
    norms = commands.add_parser("norms", help="list the normalization layers of a checkpoint")
    norms.add_argument("path", help="a file of weights, or a model directory")
    norms.add_argument("names", nargs="?", default="*", help="glob of the layers to list (default: all)")
    options = parser.parse_args(arguments)
    try:
        print(list_norms(options.path, options.names))
    except (ImportError, KeyError, OSError, ValueError) as error:
        print(f"{parser.prog}: {error.args[-1]}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
