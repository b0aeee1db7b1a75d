"""F4, pictures of what the transformers do, in the manner of scikit-learn's displays (extra ``plot``: matplotlib).

`NormalizationDisplay` shows data before and after any of the five, `RowNormDisplay` one vector under the row norms.

A figure that a display makes itself is unknown to pyplot: none stays open, and no setting changes. A notebook shows the
display that a cell ends with; anywhere ``display.figure_.savefig("picture.png")`` keeps it. In a figure of your own,
of pyplot say, pass ``ax``.
"""

from ._plot_normalization import NormalizationDisplay
from ._plot_row_norms import RowNormDisplay

__all__ = ["NormalizationDisplay", "RowNormDisplay"]
