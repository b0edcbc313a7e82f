"""Switches of the tests."""

from __future__ import annotations

import pytest
from hypothesis import settings

# The same examples every time: a test that fails on one run in a hundred tells nobody anything.
settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("fixed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true",
        help="write golden output, pages and indexes anew, and the lines in expect.yaml files",
    )  # fmt: skip
    parser.addoption("--all", action="store_true", help="the tests that are not settled, and the long ones, too")
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


# Whole files that are run with `--all`: some rules of groups 1 to 5 do not hold in them yet, or they take many minutes.
UNSETTLED = {
    "test_blur.py": "blur: HOP108, HOP110 and HOP114 gain findings from unknown values",
    "test_metamorphic.py": "metamorphic: places of values through nested stacks differ",
    "test_mutants.py": "mutants: takes many minutes, and some rules of groups 1 to 4 have survivors",
    "test_validity.py": "validity: starts cfn-lint and terraform on every fixture, which takes many minutes",
}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip by name what is not settled, unless everything is asked for; leave out most mutants."""
    if not config.getoption("--all") and not config.getoption("keyword"):
        for item in items:
            reason = UNSETTLED.get(item.path.name)
            if reason is not None:
                item.add_marker(pytest.mark.skip(reason=f"{reason} (run with --all)"))
    _few_mutants(config, items)


def _few_mutants(config: pytest.Config, items: list[pytest.Item]) -> None:
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
