"""What is drawn before and after is what the transformers give."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer
from sknorm.plotting import NormalizationDisplay, RowNormDisplay

from .pictures import drawn, spans
from .wording import assert_says

LEVELS = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]
DATASET = [MinMaxNormalizer, Standardizer]
ROWS = [RowLayerNorm, RowRMSNorm, RowSoftmax]
draw = NormalizationDisplay.from_estimator
draw_vector = RowNormDisplay.from_vector


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    X = rng.normal([1, -2, 0, 5], [1, 3, 0.5, 2], size=(61, 4))
    return pd.DataFrame(X, columns=["a", "b", "c", "d"])


@pytest.mark.parametrize("cls", DATASET)
def test_bars_are_quantiles_of_the_data_and_of_what_the_transformer_gives(cls, frame):
    norm = cls().fit(frame)
    display = drawn(draw(norm, frame))
    before = np.quantile(frame.to_numpy(), LEVELS, axis=0, method="inverted_cdf")
    after = norm.transform(pd.DataFrame(before, columns=frame.columns))  # an increasing map, so it maps quantiles
    for k, expected in enumerate([before, after]):
        for i in range(3):
            np.testing.assert_array_equal(spans(display.bands_[k, i]), expected[[i, -1 - i]].T)
        median = display.medians_[k].get_xdata().reshape(-1, 3)
        np.testing.assert_array_equal(median[:, :2], np.stack([expected[3]] * 2, axis=1))


@pytest.mark.parametrize("cls", ROWS)
def test_a_row_norm_is_drawn_by_sample(cls, frame):
    norm, X = cls(keep_stats=True), frame.iloc[:7]
    display = drawn(draw(norm, X))
    expected = cls().transform(X.to_numpy())
    found = spans(display.bands_[1, 0])
    np.testing.assert_array_equal(found, np.stack([expected.min(axis=1), expected.max(axis=1)], axis=1))
    assert display.names == [str(i) for i in range(7)]
    assert display.item == "sample"


def test_of_many_samples_at_most_200_are_drawn_and_the_title_says_so():
    X = np.random.default_rng(0).normal(size=(1001, 5))
    display = drawn(draw(RowRMSNorm(), X))
    index = display.index
    assert len(index) == len(set(index)) == 200
    assert list(index) == sorted(index) == list(draw(RowRMSNorm(), X).index)
    assert len(set(np.diff(index))) > 3  # which a period of the data does not meet
    assert display.ax_[0].get_title() == "Before\n200 of 1001 samples of 5 features"
    found = spans(display.bands_[0, 0], listed=False)
    np.testing.assert_array_equal(found, np.stack([X[index].min(axis=1), X[index].max(axis=1)], axis=1))


def test_missing_and_constant_features_are_marked_and_the_legend_counts_them(frame):
    frame.loc[3:9, "a"] = np.nan
    frame["b"] = 4.0
    frame["c"] = np.nan
    norm = Standardizer().fit(frame)
    display = drawn(draw(norm, frame))
    at = {what: [list(line.get_ydata()) for line in lines] for what, lines in display.marks_.items()}
    assert at == {"constant": [[1], [1]], "missing in part": [[0], [0]], "missing": [[2], [2]]}
    assert [line.get_xdata()[0] for line in display.marks_["constant"]] == [4, 0]
    np.testing.assert_array_equal(display.before.constant, norm.constant_features_)
    labels = [text.get_text() for text in display.legend_.get_texts()]
    assert labels[4:7] == ["one value only: 1 feature", "some values missing: 1 feature", "all missing: 1 feature"]
    np.testing.assert_array_equal(display.before.missing, [7 / 61, 0, 1, 0])


def test_what_is_not_there_is_neither_marked_nor_in_the_legend(frame):
    display = draw(Standardizer().fit(frame), frame)
    assert display.marks_ == {}
    labels = [text.get_text() for text in display.legend_.get_texts()]
    assert labels == ["minimum to maximum", "5 to 95 %", "25 to 75 %", "median", "mean 0, ±1 standard deviation"]
    labels = [text.get_text() for text in draw(RowLayerNorm(), np.zeros((1, 3))).legend_.get_texts()]
    assert labels == ["median", "one value only: 1 sample", "mean 0, ±1 standard deviation"]


@pytest.mark.parametrize("n", [41, 300])
def test_many_features_stand_side_by_side_with_their_positions(n):
    X = np.random.default_rng(0).normal(size=(50, n))
    X[:, 7] = 2.0
    X[::2, n - 1] = np.nan
    display = drawn(draw(MinMaxNormalizer().fit(X), X))
    found = spans(display.bands_[1, 0], listed=False)
    assert len(found) == n
    np.testing.assert_array_equal(np.delete(found, 7, axis=0), [[0, 1]] * (n - 1))
    assert list(display.marks_["constant"][0].get_xdata()) == [7]
    assert list(display.marks_["missing in part"][0].get_xdata()) == [n - 1]
    assert display.ax_[1].xaxis.get_major_formatter()(7, 0) == "7"


@pytest.mark.parametrize(
    "features, names", [(["d", "a"], ["d", "a"]), ("b", ["b"]), ([2, 0], ["c", "a"]), (slice(1, 3), ["b", "c"])]
)
def test_features_are_selected_by_name_or_position_and_named(features, names, frame):
    display = drawn(draw(Standardizer().fit(frame), frame, features=features))
    assert [label.get_text() for label in display.ax_[0].get_yticklabels()] == names == display.names
    np.testing.assert_array_equal(display.before.levels[[0, -1]], [frame[names].min(), frame[names].max()])
    assert display.ax_[0].get_title() == f"Before\n{len(names)} of 4 features, 61 samples"


def test_positions_name_what_is_selected_of_many():
    X = np.random.default_rng(0).normal(size=(20, 400))
    display = draw(Standardizer().fit(X), X, features=range(100, 200))
    assert display.ax_[1].xaxis.get_major_formatter()(5, 0) == "105"
    assert display.names[0] == "x100"


def test_axes_of_images_are_pooled():
    X = np.random.default_rng(0).integers(0, 256, size=(5, 4, 6, 3)).astype(np.uint8)
    display = drawn(draw(MinMaxNormalizer(in_range="dtype").fit(X), X))
    np.testing.assert_array_equal(display.before.levels[-1], X.reshape(-1, 3).max(axis=0))
    assert display.ax_[0].get_title() == "Before\n3 features, 120 samples"
    assert draw(RowLayerNorm(), X[:1, :2, :2]).names == ["0, 0, 0", "0, 0, 1", "0, 1, 0", "0, 1, 1"]


@pytest.mark.parametrize("norm", [Standardizer(with_mean=False), RowRMSNorm()])
def test_a_sparse_matrix_is_drawn_as_the_dense_one(norm):
    values = np.random.default_rng(0).normal(size=(30, 8))
    X = sp.csr_array(np.where(values > 0.3, values, 0))
    ours, dense = (draw(norm.fit(data), data) for data in (X, X.toarray()))
    np.testing.assert_array_equal(ours.before.levels, dense.before.levels)
    np.testing.assert_allclose(ours.after.levels, dense.after.levels, rtol=1e-15)


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_frames_go_in_and_come_out(output, frame):
    X = pl.from_pandas(frame) if output == "polars" else frame
    norm = Standardizer().set_output(transform=output).fit(X)
    expected = draw(Standardizer().fit(frame.to_numpy()), frame.to_numpy())
    np.testing.assert_array_equal(draw(norm, X).after.levels, expected.after.levels)


@pytest.mark.parametrize("norm", [Standardizer(copy=False), RowLayerNorm(copy=False)])
def test_data_and_estimator_stay_as_they_are(norm, frame):
    X = frame.to_numpy().copy()
    norm.fit(X)
    draw(norm, X)
    np.testing.assert_array_equal(X, frame)
    assert norm.copy is False


def test_masked_scores_count_as_missing():
    display = drawn(draw(RowSoftmax(), np.array([[0.0, -np.inf, 1.0], [-np.inf, -np.inf, -np.inf]])))
    assert list(display.marks_) == ["missing in part", "missing"]


@pytest.mark.parametrize(
    "norm, aim",
    [
        (MinMaxNormalizer((-1, 1)), "from -1 to 1, in each feature"),
        (MinMaxNormalizer(per_feature=False), "from 0 to 1, all features together"),
        (MinMaxNormalizer(in_range=(0, 9)), "known limits from 0 to 1, in each feature"),
        (Standardizer(), "mean 0, variance 1, in each feature"),
        (Standardizer(with_std=False), "mean 0, in each feature"),
        (Standardizer(with_mean=False, with_std=False), "nothing changed, in each feature"),
        (Standardizer(mean=[0] * 4, std=[1] * 4), "known mean to 0, known deviation to 1, in each feature"),
        (RowLayerNorm(), "mean 0, variance 1, in each sample"),
        (RowLayerNorm(gamma=[2] * 4, beta=[1] * 4), "mean 0, variance 1, then gamma and beta, in each sample"),
        (RowRMSNorm(), "mean square 1, in each sample"),
        (RowSoftmax(), "positive, sum 1, in each sample"),
    ],
)
def test_the_title_says_what_the_transformer_aims_at(norm, aim, frame):
    title = draw(norm.fit(frame), frame).ax_[1].get_title()
    assert " ".join(title.split()) == f"After {type(norm).__name__} {aim}"


@pytest.mark.parametrize(
    "norm, guides, label",
    [
        (MinMaxNormalizer((-1, 1)), 2, "range: -1 and 1"),
        (Standardizer(), 3, "mean 0, ±1 standard deviation"),
        (Standardizer(with_std=False), 1, "mean 0"),
        (Standardizer(with_mean=False), 0, None),
        (RowLayerNorm(), 3, "mean 0, ±1 standard deviation"),
        (RowRMSNorm(), 3, "0, ±1 root mean square"),
        (RowLayerNorm(gamma=[2] * 4), 1, "0"),
        (RowSoftmax(temperature=0.1), 2, "limits: 0 and 1"),
    ],
)
def test_dashed_lines_are_drawn_where_they_mean_something_and_the_legend_names_them(norm, guides, label, frame):
    display = drawn(draw(norm.fit(frame), frame))
    dashed = [line for line in display.ax_[1].lines if line.is_dashed()]
    assert len(dashed) == guides
    labels = [text.get_text() for text in display.legend_.get_texts()]
    assert labels[labels.index("median") + 1 :] == ([label] if label else [])


def test_an_estimator_has_to_be_one_of_the_five_and_fitted(frame):
    with pytest.raises(NotFittedError):
        draw(Standardizer(), frame)
    with pytest.raises(TypeError) as error:
        draw(make_pipeline(Standardizer()), frame)
    assert_says(error.value, "one of the five transformers", "Pipeline(steps=[", "pass one step, as pipeline[-1]")
    with pytest.raises(TypeError) as error:
        draw(Standardizer, frame)
    assert_says(error.value, "one of the five transformers", "sknorm", "Call it: Standardizer()")
    with pytest.raises(TypeError) as error:
        draw("standard", frame)
    assert_says(error.value, "one of the five transformers", "'standard'", "Pass one, as Standardizer()")
    for norms in ([Standardizer()], Standardizer()):
        with pytest.raises(TypeError) as error:
            draw_vector([1, 2], norms=norms)
        assert_says(error.value, "row norms", "Standardizer()", "Pass one, as RowLayerNorm()")
    with pytest.raises(TypeError) as error:
        draw_vector([1, 2], norms=RowSoftmax)
    assert_says(error.value, "row norms", "RowSoftmax", "Call it: RowSoftmax()")
    assert len(draw_vector([1, 2], norms=RowSoftmax()).images) == 1


def test_data_are_refused_as_by_transform(frame):
    norm = Standardizer().fit(frame)
    for X in (frame[["a", "b"]], frame[["d", "c", "b", "a"]], frame.replace(frame.iloc[0, 0], np.inf), frame["a"]):
        with pytest.raises(ValueError) as expected:  # noqa: PT011
            norm.transform(X)
        with pytest.raises(ValueError) as error:  # noqa: PT011
            draw(norm, X)
        assert str(error.value) == str(expected.value)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        draw(norm, frame[:0])
    assert_says(error.value, "at least one sample", "(0, 4)", "Pass some samples")


def test_features_and_axes_that_do_not_fit_are_refused(frame):
    norm = Standardizer().fit(frame)
    with pytest.raises(ValueError, match=r"unknown \['z'\]"):
        draw(norm, frame, features=["z"])
    with pytest.raises(ValueError) as error:  # noqa: PT011
        draw(RowRMSNorm(), frame, features=["a"])
    assert_says(error.value, "features=None for RowRMSNorm", "['a']", "X[:20]")
    pair, other = plt.figure().subplots(1, 2), plt.figure().subplots()
    gone = plt.figure().subplots()
    gone.remove()
    for ax, got in [
        (3, "3"),
        (plt.figure().subplots(1, 3), "Axes"),
        (plt.figure().subplots(subplot_kw={"projection": "polar"}), "polar axes"),
        (gone, "removed"),
        ([pair[0], pair[0]], "the same axes"),
        ([pair[0], other], "several figures"),
    ]:
        with pytest.raises(ValueError) as error:  # noqa: PT011
            draw(norm, frame, ax=ax)
        assert_says(error.value, "None, one Axes, or 2 of them", got, "Leave it out")
