"""Switches of the tests."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true",
        help="write golden output, pages and indexes anew, and the lines in expect.yaml files",
    )  # fmt: skip


@pytest.fixture(scope="session")
def update(request: pytest.FixtureRequest) -> bool:
    """Whether generated files are to be written anew."""
    return bool(request.config.getoption("--update"))
