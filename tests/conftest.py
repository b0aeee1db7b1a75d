"""For every test: one hypothesis profile, with the same examples in every run; and the arrays of other libraries."""

import pytest
from hypothesis import HealthCheck, settings
from sklearn import config_context

from .array_api import dispatches

# Collecting doctests would import them: a plugin that replaces classes of scikit-learn, and scripts.
collect_ignore = ["substitution.py", "hostile"]

settings.register_profile(
    "sknorm",
    derandomize=True,
    deadline=None,
    max_examples=50,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],  # which a machine that stalls for a second would fail
)
settings.load_profile("sknorm")


@pytest.fixture(params=["array_api_strict", "torch"])
def xp(request):
    """A library of arrays."""
    return pytest.importorskip(request.param)


@pytest.fixture
def dispatch(monkeypatch):
    """Switch array_api_dispatch on, with what scikit-learn asks for."""
    if not dispatches():
        pytest.skip("with this SciPy scikit-learn knows NumPy arrays only")
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    with config_context(array_api_dispatch=True):
        yield
