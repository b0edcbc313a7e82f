"""Settings: what they change, and what they answer when something in them is wrong."""

import shutil
from pathlib import Path

import pytest

from hoplint.config import SettingsError
from hoplint.run import Request, run

BROKEN = Path(__file__).resolve().parents[1] / "fixtures" / "_stacks" / "order-pipeline-broken" / "terraform"


@pytest.fixture
def stack(tmp_path):
    shutil.copytree(BROKEN, tmp_path, dirs_exist_ok=True)
    return tmp_path


def codes(folder, text, name="hoplint.toml", **options):
    (folder / name).write_text(text, "utf-8")
    outcome = run(Request([], working=str(folder), **options))
    return {found.rule.code: found for found in outcome.report.findings}, outcome


def test_ignored_rules_do_not_speak(stack):
    """`ignore` takes ids, codes and groups."""
    found, _ = codes(stack, 'ignore = ["HOP5", "HOP101", "dlq-without-alarm"]\n')
    assert set(found) == {"HOP102", "HOP401", "HOP402", "HOP601"}


def test_the_command_line_selects_over_the_settings(stack):
    """A selection on the command line replaces the settings' one."""
    found, _ = codes(stack, 'select = ["HOP101"]\n', select=["HOP102"])
    assert set(found) == {"HOP102"}


def test_a_severity_replaces_the_rules_own(stack):
    """`severity` per rule."""
    found, _ = codes(stack, '[severity]\nHOP101 = "info"\n')
    assert found["HOP101"].severity == "info" and found["HOP102"].severity == "error"


def test_queues_watched_elsewhere_need_no_alarm_here(stack):
    """`alarms-elsewhere` takes names and addresses with wildcards."""
    assert "HOP301" not in codes(stack, 'alarms-elsewhere = ["returns-*"]\n')[0]
    assert "HOP301" not in codes(stack, 'alarms-elsewhere = ["aws_sqs_queue.returns_dlq"]\n')[0]


def test_an_option_changes_its_rule(stack):
    """With one timeout as the factor, 60 s outlast a timeout of 30 s and a window of 5 s."""
    assert "HOP101" not in codes(stack, "[options.visibility-below-six-timeouts]\nfactor = 1\n")[0]


def test_accepted_findings_carry_their_reason(stack):
    """An entry in `ignores` suppresses by rule and address, with its reason, until it expires."""
    entry = '[[ignores]]\nrule = "HOP401"\naddress = "aws_sqs_queue.aud*"\nreason = "known"\n'
    assert codes(stack, entry)[0]["HOP401"].suppressed == "known"
    assert codes(stack, entry + "expires = 2020-01-01\n")[0]["HOP401"].suppressed is None


def test_an_entry_that_ignores_nothing_is_told(stack):
    """What was accepted and is gone can be removed: a finding on the entry's line."""
    found, _ = codes(stack, '[[ignores]]\nrule = "HOP401"\naddress = "nobody"\nreason = "gone"\n')
    assert (found["HOP003"].place.path, found["HOP003"].place.line) == ("hoplint.toml", 4)


def test_files_can_have_rules_of_their_own(stack):
    """`per-file-ignores` goes by the place of the finding."""
    found, _ = codes(stack, '[per-file-ignores]\n"queues.tf" = ["HOP1"]\n')
    assert found["HOP101"].suppressed and not found["HOP401"].suppressed


def test_pyproject_holds_settings_too(stack):
    """`[tool.hoplint]` in pyproject.toml counts where there is no hoplint.toml."""
    assert "HOP101" not in codes(stack, '[tool.hoplint]\nignore = ["HOP101"]\n', "pyproject.toml")[0]


def test_excluded_folders_are_not_read(stack):
    """`exclude` takes path patterns."""
    (stack / "old").mkdir()
    (stack / "old" / "main.tf").write_text("not terraform {{{", "utf-8")
    assert "HOP001" in codes(stack, "")[0]
    assert "HOP001" not in codes(stack, 'exclude = ["old"]\n')[0]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('ignores-elsewhere = ["x"]', "alarms-elsewhere"),
        ("[options.visibility-below-six-timeouts]\nfaktor = 3", "did you mean factor"),
        ('[options.visibility-below-six-timeouts]\nfactor = "six"', "like its default 6"),
        ('[severity]\nHOP101 = "fatal"', "error, warning or info"),
        ('select = "HOP101"', "a list of strings"),
        ('[[ignores]]\nrule = "HOP101"', "ignores.reason"),
        ("select = [", "hoplint.toml"),
    ],
)
def test_wrong_settings_get_one_clear_line(stack, text, answer):
    """The file, the key, and the nearest that is known or what is wanted."""
    with pytest.raises(SettingsError) as caught:
        codes(stack, text)
    assert answer in str(caught.value) and "\n" not in str(caught.value)
