"""Reading pictures: rendered, and measured."""

import io

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg


def drawn(display):
    """The display, after its figure was rendered as a file would hold it."""
    display.figure_.savefig(io.BytesIO(), format="png")
    return display


def spans(band, listed=True):
    """Both ends of the bar of each item, in the order of the items."""
    axis = 0 if listed else 1
    boxes = [path.get_extents() for path in band.get_paths()]
    ends = np.array([[box.min[axis], box.max[axis], box.min[1 - axis]] for box in boxes])
    return ends[np.argsort(ends[:, 2]), :2]


def label_boxes(figure):
    """Where the titles and the labels stand that are seen, in pixels."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    texts = [text for legend in figure.legends for text in legend.get_texts()]
    for ax in figure.axes:
        texts += [ax.title, ax.xaxis.label, ax.yaxis.label]
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            texts += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    seen = [text for text in texts if text.get_visible() and text.get_text().strip()]
    return [text.get_window_extent(canvas.get_renderer()) for text in seen]
