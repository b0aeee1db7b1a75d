"""One hypothesis profile for every test: the same examples in every run, and no deadline."""

from hypothesis import settings

settings.register_profile("sknorm", derandomize=True, deadline=None, max_examples=50, database=None)
settings.load_profile("sknorm")
