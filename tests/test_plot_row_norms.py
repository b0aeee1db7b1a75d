"""One vector under the row norms."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sknorm import RowLayerNorm, RowRMSNorm, RowSoftmax
from sknorm.plotting import RowNormDisplay

from .pictures import drawn, spans
from .wording import assert_says

draw_vector = RowNormDisplay.from_vector


@pytest.mark.parametrize("n", [5, 100])
def test_a_vector_is_drawn_under_the_three_norms_with_their_constraints(n):
    x = np.random.default_rng(0).normal(2, 3, size=n)
    display = drawn(draw_vector(x))
    softmax, layer, rms = display.images
    assert softmax.sum() == pytest.approx(1)
    assert layer.var() == pytest.approx(1, abs=1e-4)
    assert (rms**2).mean() == pytest.approx(1, abs=1e-4)
    for cls, image in zip([RowSoftmax, RowLayerNorm, RowRMSNorm], display.images, strict=True):
        np.testing.assert_array_equal(image, cls().transform([x])[0])
    for bar, y in zip(display.bars_, [x, *display.images], strict=True):
        np.testing.assert_array_equal(spans(bar, listed=n == 5), np.sort(np.stack([0 * y, y], axis=1), axis=1))
    titles = [" ".join(ax.get_title().split()) for ax in display.ax_[1:]]
    for title, words in zip(titles, ["probability sum 1", "unit variance", "unit energy mean square 1"], strict=True):
        assert all(word in title for word in words.split())


def test_entries_have_names_and_missing_ones_are_marked():
    series = pd.Series([1.0, np.nan, 3.0], index=["a", "b", "c"])
    display = drawn(draw_vector(series, norms=[RowSoftmax(temperature=2)]))
    assert display.names == ["a", "b", "c"]
    assert [list(line.get_ydata()) for line in display.marks_] == [[1], [1]]
    assert display.figure_.legends[0].get_texts()[0].get_text() == "missing: 1 entry"
    assert draw_vector([1, None], names=["p", "q"]).names == ["p", "q"]
    assert draw_vector(pl.Series([1, 2])).names == ["0", "1"]


def test_a_constant_vector_is_said_to_become_zeros():
    display = drawn(draw_vector([2.0, 2.0, 2.0]))
    assert [[text.get_text() for text in ax.texts] for ax in display.ax_] == [[], [], ["constant: all zeros"], []]
    labels = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert labels == ["sum, standard deviation or root mean square of 1"]


def test_a_vector_is_one_sample_of_numbers():
    with pytest.raises(ValueError) as error:  # noqa: PT011
        draw_vector([[1.0, 2.0]])
    assert_says(error.value, "one vector, 1D", "(1, 2)", "X[0]")
    with pytest.raises(ValueError, match="infinity"):
        draw_vector([1.0, np.inf])
    with pytest.raises(ValueError) as error:  # noqa: PT011
        draw_vector([1.0, 2.0], names=["a"])
    assert_says(error.value, "2 names", "1", "number the entries")
