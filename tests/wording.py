"""The one wording of all errors, taken apart: what was expected, what came, what to do."""

import re

WORDING = re.compile(r"^Expected (?P<expected>.+), got (?P<got>.+?)\. (?P<remedy>.+\.)$", re.MULTILINE)


def assert_says(error, expected, got, remedy):
    """The three parts of the message hold these."""
    said = WORDING.search(str(error))
    assert said, str(error)
    assert expected in said["expected"]
    assert got in said["got"]
    assert remedy in said["remedy"]
