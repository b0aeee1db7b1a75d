"""
Scale photographs, and get them back
====================================

Pixels to the range from 0 to 1, to mean 0 and variance 1 in each channel, and back bit for bit.

Run it with ``python examples/scale_photographs.py``; the picture is saved as ``scale_photographs.png``, or where an
argument says. Needs ``pip install ".[examples]"``.
"""
