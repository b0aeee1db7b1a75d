"""
Three row norms, three constraints
==================================

The same vectors with sum 1, with variance 1 and with mean square 1, and what each keeps of them.

Run it with ``python examples/compare_row_norms.py``; the picture is saved as ``compare_row_norms.png``, or where an
argument says. Needs ``pip install ".[examples]"``.
"""
