"""
A table in a pipeline: let a search choose the scaler
=====================================================

A DataFrame of thirteen columns, each in its own unit; a grid search finds which scaling a classifier needs.

Run it with ``python examples/search_for_a_scaler.py``; the picture is saved as ``search_for_a_scaler.png``, or where an
argument says. Needs ``pip install ".[examples]"``.
"""
