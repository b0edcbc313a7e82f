"""Switches of the tests."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true",
        help="write golden output, pages and indexes anew, and the lines in expect.yaml files",
    )  # fmt: skip
    parser.addoption(
        "--mutants", choices=("some", "all"), default="some",
        help="the mutants of the headline rules (a minute), or of all rules (an hour on two cores)",
    )  # fmt: skip


# The rules that everything else grew on, and whose shapes the others repeat.
HEADLINE = {
    "visibility-below-six-timeouts", "visibility-below-timeout", "dlq-without-alarm", "queue-policy-missing",
    "queue-policy-wrong-source", "filter-format-mismatch", "filter-misses-envelope", "filter-invalid",
    "provisioned-concurrency-on-latest",
}  # fmt: skip


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the mutants of most rules to `--mutants all`: they take longer than everything else together."""
    if config.getoption("--mutants") == "all":
        return
    left_out = [
        item
        for item in items
        if "test_every_mutant_dies_or_is_excused" in item.name
        and item.name.partition("[")[2].rstrip("]") not in HEADLINE
        and not config.getoption("keyword")
    ]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


@pytest.fixture(scope="session")
def update(request: pytest.FixtureRequest) -> bool:
    """Whether generated files are to be written anew."""
    return bool(request.config.getoption("--update"))
