"""The commands and their options, as click sees them."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from hoplint import __version__
from hoplint.match_command import match

if TYPE_CHECKING:
    from hoplint.model.report import Report

USAGE, FINDINGS = 2, 1
FORMATS = ["text", "json", "sarif", "junit", "github", "gitlab", "markdown", "html"]


class Wrong(click.ClickException):
    """Wrong use or configuration: one line, exit 2."""

    exit_code = USAGE

    def show(self, file: Any = None) -> None:
        """Print the line."""
        click.echo(f"hoplint: {self.message}", err=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, message="hoplint %(version)s")
def cli() -> None:
    """Where does a failed message end up? A linter for event-driven AWS."""


cli.add_command(match)


def _pairs(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for value in values:
        name, sign, text = value.partition("=")
        if not sign or not name.strip():
            raise Wrong(f"--{parameter.name}: write NAME=VALUE, not {value!r}")
        found[name.strip()] = text
    return found


def _names(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[str]:
    return [name.strip() for value in values for name in value.split(",") if name.strip()]


def _outputs(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for value in values:
        form, sign, path = value.partition("=")
        if not sign or not path or form not in FORMATS:
            raise Wrong(f"--output: write FORMAT=FILE with one of {', '.join(FORMATS)}, not {value!r}")
        found.append((form, path))
    return found


def write_whole(path: str, text: str) -> None:
    """Write a file so that it is never seen half written. Raises Wrong where it cannot be."""
    import tempfile

    folder = os.path.dirname(os.path.abspath(path))
    try:
        handle, part = tempfile.mkstemp(dir=folder, prefix=".hoplint-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(part, 0o666 & ~mask)
            os.replace(part, path)
        except BaseException:
            os.unlink(part)
            raise
    except OSError as error:
        raise Wrong(f"{path}: cannot be written: {error.strerror}") from error


@cli.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option(
    "--output", "outputs", multiple=True, callback=_outputs, metavar="FORMAT=FILE", help="Another format, into a file."
)
@click.option("--select", multiple=True, callback=_names, metavar="RULE[,…]", help="Only these rules (HOP1: a group).")
@click.option("--ignore", multiple=True, callback=_names, metavar="RULE[,…]", help="Not these rules.")
@click.option("--pedantic", is_flag=True, help="The pedantic rules as well.")
@click.option(
    "--fail-on", type=click.Choice(["error", "warning", "info", "never"]),
    help="Exit 1 from this severity on.  [default: warning]",
)  # fmt: skip
@click.option("--var", multiple=True, callback=_pairs, metavar="NAME=VALUE", help="A Terraform variable.")
@click.option("--var-file", "var_files", multiple=True, metavar="FILE", help="A tfvars file.")
@click.option("--parameter", multiple=True, callback=_pairs, metavar="NAME=VALUE", help="A CloudFormation parameter.")
@click.option("--parameters", "parameter_files", multiple=True, metavar="FILE", help="A CloudFormation parameter file.")
@click.option("--rules", "rule_folders", multiple=True, metavar="DIR", help="A folder of rules of your own.")
@click.option("--config", metavar="FILE", help="The settings (default: the nearest hoplint.toml or pyproject.toml).")
@click.option("--changed", is_flag=True, help="The PATHs are changed files: lint whole the stacks that they belong to.")
@click.option("--undecided", is_flag=True, help="List what could not be decided, and why.")
@click.option("--quiet", is_flag=True, help="Findings only: no notes, no summary.")
@click.option("--no-color", is_flag=True, help="No colours, even on a terminal.")
def check(paths: tuple[str, ...], form: str, fail_on: str | None, undecided: bool, quiet: bool, no_color: bool,
          outputs: list[tuple[str, str]], **options: Any) -> None:  # fmt: skip
    """Lint what the PATHs hold (default: the current folder)."""
    from hoplint.model.finding import Severity
    from hoplint.run import Request, run

    progress = Progress(on=sys.stderr.isatty() and not quiet)
    request = Request(list(paths), progress=progress.say, **options)
    try:
        outcome = run(request)
    except request.refusals as error:
        raise Wrong(str(error)) from error
    finally:
        progress.clear()
    for kind, path in outputs:
        write_whole(path, _render(outcome.report, kind, undecided, quiet, no_color=True))
    if form == "github" or any(kind == "github" for kind, _ in outputs):
        _summarise(outcome.report)
    click.echo(_render(outcome.report, form, undecided, quiet, no_color), nl=False, color=True)
    for message in outcome.wrong:
        click.echo(f"hoplint: {message}", err=True)
    if outcome.wrong:
        raise SystemExit(USAGE)
    fail_on = fail_on or outcome.settings.fail_on or "warning"
    order = list(Severity)
    limit = len(order) if fail_on == "never" else order.index(Severity(fail_on))
    if fail_on != "never" and any(outcome.report.count(severity) for severity in order[: limit + 1]):
        raise SystemExit(FINDINGS)


def _render(report: Report, form: str, undecided: bool, quiet: bool, no_color: bool) -> str:
    if form != "text":
        return render_as(form, report)
    from hoplint.report import text

    colour = sys.stdout.isatty() and not no_color and "NO_COLOR" not in os.environ
    rendered = text.render(report, colour=colour, undecided=undecided, quiet=quiet)
    encoding = sys.stdout.encoding or "utf-8"
    return rendered.encode(encoding, "replace").decode(encoding)


def _summarise(report: Report) -> None:
    """The job summary of GitHub Actions, where there is one."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        try:
            with open(path, "a", encoding="utf-8") as file:
                file.write(render_as("markdown", report) + "\n")
        except OSError as error:
            click.echo(f"hoplint: {path}: cannot be written: {error.strerror}", err=True)


def render_as(form: str, report: Report) -> str:
    """Write a report in a format that is not for the terminal."""
    import importlib

    rendered: str = importlib.import_module(f"hoplint.report.{form}").render(report)
    return rendered


class Progress:
    """A line that tells how far a long run is, on a terminal only."""

    def __init__(self, on: bool) -> None:
        import time

        self.on = on
        self._clock = time.monotonic
        self._began = self._last = time.monotonic()
        self._shown = False

    def say(self, what: str) -> None:
        """Replace the line, at most ten times a second and only after the first second."""
        now = self._clock()
        if self.on and now - self._began > 1 and now - self._last > 0.1:
            self._last = now
            self._shown = True
            click.echo(f"\r\x1b[K{what[:100]}", err=True, nl=False)

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            click.echo("\r\x1b[K", err=True, nl=False)


@cli.command()
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--rules", "rule_folders", multiple=True, metavar="DIR", help="A folder of rules of your own.")
def rules(form: str, rule_folders: tuple[str, ...]) -> None:
    """List all rules, a line each."""
    import json

    from hoplint.rulebook import Rulebook, RuleError

    try:
        book = Rulebook.load(rule_folders)
    except RuleError as error:
        raise Wrong(str(error)) from error
    if form == "json":
        keys = ("code", "id", "group", "category", "severity", "tier", "title", "fixable", "options")
        click.echo(
            json.dumps([{key: rule.facts()[key] for key in keys} for rule in book], indent=2, ensure_ascii=False)
        )
        return
    width = max(len(rule.id) for rule in book)
    for rule in book:
        tier = " (pedantic)" if rule.tier == "pedantic" else ""
        click.echo(f"{rule.code}  {rule.id:<{width}}  {rule.severity:<7}  {rule.title}{tier}")


@cli.command()
@click.argument("name", metavar="RULE")
@click.option("--rules", "rule_folders", multiple=True, metavar="DIR", help="A folder of rules of your own.")
def explain(name: str, rule_folders: tuple[str, ...]) -> None:
    """Print a rule's page: what is wrong, what it costs, how to mend it."""
    from hoplint.rulebook import Rulebook, RuleError

    try:
        found = Rulebook.load(rule_folders).named(name)
    except RuleError as error:
        raise Wrong(str(error)) from error
    for rule in found:
        title, _, rest = rule.page().partition("\n")
        tier = ", pedantic" if rule.tier == "pedantic" else ""
        click.echo(f"{rule.code} {rule.id}: {title}\n{rule.severity}, {rule.category}{tier}\n{rest}")
        for key, option in rule.options.items():
            click.echo(f"\nOption `{key}` (default {option.default}): {option.text}")
        if rule is not found[-1]:
            click.echo()


@cli.command("new-rule")
@click.argument("name", metavar="GROUP/ID")
@click.option("--into", default=".", metavar="DIR", help="The project's root.", show_default=True)
def new_rule(name: str, into: str) -> None:
    """Write the files of a new rule: the rule and its fixture folder."""
    from hoplint.scaffold import ScaffoldError, scaffold

    try:
        written = scaffold(name, into)
    except ScaffoldError as error:
        raise Wrong(str(error)) from error
    for path in written:
        click.echo(f"wrote {path}")
    click.echo(
        "next: write the check, fill the fixtures, then run `python -m pytest -k " + name.rpartition("/")[2] + "`"
    )
