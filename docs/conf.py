"""How `sphinx-build docs docs/_build/html` makes the pages: of what is installed, and without a network."""

import pathlib
import re
import runpy
from html import escape

from docutils import nodes
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from sklearn.datasets import load_wine
from sphinx.addnodes import pending_xref
from sphinx.transforms import SphinxTransform
from sphinx_gallery.sorting import ExplicitOrder

import sknorm
import sknorm.checkpoint
import sknorm.onnx
import sknorm.plotting

DOCS = pathlib.Path(__file__).parent

project = "sknorm"
author = copyright = "sknorm developers"
release = version = sknorm.__version__
extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
nitpicky = True
default_role = "literal"  # of which LinkPublicNames links what it knows

html_theme = "furo"
html_title = f"sknorm {release}"
html_static_path = ["_static"]
html_css_files = ["sknorm.css"]
html_copy_source = False
html_math_renderer = "outlines"

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 2

autodoc_typehints = "none"  # the docstrings say the types, and the shapes
numpydoc_show_class_members = False  # _templates lists the methods, and is_from_elsewhere leaves some out

# All but what a docstring of ours may leave out: examples and See Also in methods, words about `self` and the like.
numpydoc_validation_checks = {"all", "ES01", "EX01", "PR07", "RT02", "RT03", "SA01", "SA03", "SS05"}
numpydoc_validation_exclude = {
    r"\.partial_fit$",  # which is described by `fit`
    r"\.(Diagnosis|FeatureDiagnosis|SampleDiagnosis|Advice)$",  # which nobody but `diagnose` makes
}

GALLERY = [  # what is not named here comes before the last
    *("quickstart.py", "scale_photographs.py", "search_for_a_scaler.py", "compare_row_norms.py"),
    *("checkpoint_to_pipeline.py", "deploy_with_onnx.py", "*", "larger_than_memory.py"),
]
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "generated/gallery",
    "filename_pattern": "^(?!.*larger_than_memory)",  # shown and not run: it starts a cluster, and writes 300 MB
    "within_subsection_order": ExplicitOrder(GALLERY),
    "default_thumb_file": str(DOCS / "generated" / "pictures" / "row_layer_norm.svg"),  # of what draws nothing
    "download_all_examples": False,
    "image_srcset": ["2x"],
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 1000,
}


class LinkPublicNames(SphinxTransform):
    """Link `Standardizer` and the like, in Markdown as in the docstrings, to what the API says of it."""

    default_priority = 5
    names = {
        spelling: f"{module.__name__}.{name}"
        for module in (sknorm, sknorm.checkpoint, sknorm.plotting)
        for name in module.__all__
        for spelling in (name, f"{module.__name__}.{name}")
    } | {module.__name__: module.__name__ for module in (sknorm.checkpoint, sknorm.onnx, sknorm.plotting)}

    def apply(self):
        """Put a reference around each."""
        for literal in list(self.document.findall(nodes.literal)):
            name = literal.astext()
            if name in self.names and not isinstance(literal.parent, (nodes.title, nodes.reference, pending_xref)):
                target = {"refdomain": "py", "reftype": "obj", "reftarget": self.names[name]}
                literal.replace_self(pending_xref("", literal.deepcopy(), refdoc=self.env.docname, **target))


class EndBlocks(SphinxTransform):
    """Drop the empty line that ends a doctest in Markdown, without which the fence would be expected as output."""

    default_priority = 5

    def apply(self):
        """Strip each."""
        for block in self.document.findall(nodes.literal_block):
            if block.rawsource == block.astext():  # and so of nothing but text
                block[:] = [nodes.Text(block.astext().rstrip())]
                block.rawsource = block.astext()


def write_math(translator, node):
    """Draw a formula into the page, in the colour and size of the text: neither a network nor a font is needed."""
    formula = TextPath((0, 0), f"${node.astext()}$", size=1, prop=FontProperties(math_fontfamily="stix"))
    letters = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C"}
    outline = "".join(
        "Z" if code == Path.CLOSEPOLY else letters[code] + " ".join(f"{number:.3f}" for number in points)
        for points, code in formula.iter_segments()
    )
    x, y, width, height = formula.get_extents().padded(0.03).bounds
    size = f"width: {1.1 * width:.2f}em; height: {1.1 * height:.2f}em; vertical-align: {1.1 * y:.2f}em"
    view = f"{x:.3f} {-y - height:.3f} {width:.3f} {height:.3f}"
    picture = (
        f'<svg role="img" aria-label="{escape(node.astext())}" style="{size}" viewBox="{view}">'
        f'<path transform="scale(1 -1)" fill="currentColor" d="{outline}"/></svg>'
    )
    translator.body.append(f"<p>{picture}</p>" if isinstance(node, nodes.math_block) else picture)
    raise nodes.SkipNode


def hide_floor(app, what, name, thing, options, lines):
    """Take from a module's docstring the floor on which it stands, which only its developers know."""
    if what == "module" and re.match(r"F\d, ", lines[0]):
        lines[0] = lines[0][4].upper() + lines[0][5:]


def is_from_elsewhere(app, what, name, member, skip, options):
    """Leave out the methods that every class inherits from scikit-learn, which documents them."""
    return True if getattr(member, "__module__", None) and not member.__module__.startswith("sknorm") else None


def let_pictures_scroll(app, page, template, context, doctree):
    """Put each picture of the gallery into a box that scrolls where the page is narrow, and link it to the whole."""
    picture = re.compile(r'<img [^>]*src="([^"]*)"[^>]*sphx-glr-(?:single|multi)-img[^>]*>')
    wrapped = r'<div class="scrolls"><a href="\1">\g<0></a></div>'
    context["body"] = picture.sub(wrapped, context.get("body", ""))


def draw_pictures(app):
    """Draw what the pages show beside the gallery."""
    runpy.run_path(DOCS / "pictures.py", run_name="__main__")


def write_report(app):
    """Write the report that a page shows, of the table that the README diagnoses above it."""
    wine = load_wine(as_frame=True).data[["alcohol", "ash", "proline"]]
    report = sknorm.diagnose(wine.assign(ash=sknorm.Standardizer().fit_transform(wine[["ash"]])))
    (DOCS / "generated" / "report.txt").write_text(f"{report}\n", encoding="utf-8")
    (DOCS / "generated" / "report.html").write_text(report._repr_html_(), encoding="utf-8")


def setup(app):
    """Tell Sphinx of the functions above."""
    app.add_transform(LinkPublicNames)
    app.add_transform(EndBlocks)
    app.add_html_math_renderer("outlines", (write_math, None), (write_math, None))
    app.connect("builder-inited", draw_pictures, priority=100)  # before the gallery takes one
    app.connect("builder-inited", write_report, priority=101)  # after the folder is there
    app.connect("html-page-context", let_pictures_scroll)
    app.connect("autodoc-process-docstring", hide_floor)
    app.connect("autodoc-skip-member", is_from_elsewhere)
