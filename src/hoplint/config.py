"""Settings: `hoplint.toml`, or `[tool.hoplint]` in `pyproject.toml`.

The nearest file from the working folder up to the boundary counts. Paths in it are relative to the file and stay inside
the boundary. A setting never makes hoplint execute anything.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoplint.model.finding import Severity
from hoplint.rulebook import Rulebook

if TYPE_CHECKING:
    import datetime

NAMES = ("hoplint.toml", "pyproject.toml")


class SettingsError(Exception):
    """A setting that is wrong; its text is for the user."""


class Accepted:
    """A finding that is ignored by the settings: rule, pattern of addresses, reason, and until when."""

    __slots__ = ("rules", "address", "reason", "expires", "used")

    def __init__(self, rules: set[str], address: str, reason: str, expires: datetime.date | None) -> None:
        self.rules = rules
        self.address = address
        self.reason = reason
        self.expires = expires
        self.used = False

    def covers(self, rule: str, address: str) -> bool:
        """Whether it ignores a rule on an address."""
        return rule in self.rules and fnmatchcase(address, self.address)

    def expired(self) -> bool:
        """Whether its day is over."""
        if self.expires is None:
            return False
        import datetime

        return datetime.date.today() > self.expires


class Settings:
    """What the settings say; all is optional. `path` is the file, or empty."""

    def __init__(self) -> None:
        self.path = ""
        self.select: list[str] = []
        self.ignore: list[str] = []
        self.fail_on: str | None = None
        self.severities: dict[str, Severity] = {}
        self.options: dict[str, dict[str, object]] = {}
        self.exclude: list[str] = []
        self.var_files: list[str] = []
        self.per_file: list[tuple[str, set[str]]] = []
        self.accepted: list[Accepted] = []


def find(working: str, boundary: str) -> str | None:
    """The settings file that holds for a working folder."""
    folder = Path(os.path.realpath(working))
    top = Path(os.path.realpath(boundary))
    while True:
        for name in NAMES:
            path = folder / name
            if path.is_file() and (name != "pyproject.toml" or "hoplint" in _read(str(path)).get("tool", {})):
                return str(path)
        if folder == top or top not in folder.parents:
            return None
        folder = folder.parent


def load(path: str, rulebook: Rulebook) -> Settings:
    """Read a settings file.

    Raises SettingsError for what cannot be read, a key that does not exist (with the nearest that does), or a wrong
    value; RuleError for a rule that does not exist.
    """
    data = _read(path)
    if os.path.basename(path) == "pyproject.toml":
        data = data.get("tool", {}).get("hoplint", {})
    return _Reader(path, rulebook).read(data)


def _read(path: str) -> dict[str, Any]:
    import tomllib

    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: {error}") from error


class _Reader:
    def __init__(self, path: str, rulebook: Rulebook) -> None:
        self.path = path
        self.rulebook = rulebook
        self.found = Settings()
        self.found.path = path

    def wrong(self, key: str, wanted: str) -> SettingsError:
        return SettingsError(f"{self.path}: {key} must be {wanted}")

    def read(self, data: dict[str, Any]) -> Settings:
        keys: dict[str, Callable[[str, Any], None]] = {
            "select": self.select,
            "ignore": self.ignore,
            "fail-on": self.fail_on,
            "severity": self.severity,
            "options": self.options,
            "exclude": self.exclude,
            "var-files": self.var_files,
            "alarms-elsewhere": self.alarms_elsewhere,
            "per-file-ignores": self.per_file_ignores,
            "ignores": self.ignores,
        }
        for key, value in data.items():
            self.known(key, keys, "")
            keys[key](key, value)
        return self.found

    def known(self, key: str, keys: object, where: str) -> None:
        names = list(keys)  # type: ignore[call-overload]
        if key not in names:
            near = difflib.get_close_matches(key, names, 1, 0.5)
            hint = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(names)}"
            raise SettingsError(f"{self.path}: unknown key {where}{key}{hint}")

    def texts(self, key: str, value: Any) -> list[str]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(key, "a list of strings")
        return value

    def rules(self, value: list[str]) -> set[str]:
        return {rule.id for name in value for rule in self.rulebook.named(name)}

    def select(self, key: str, value: Any) -> None:
        self.found.select = self.texts(key, value)
        self.rules(self.found.select)

    def ignore(self, key: str, value: Any) -> None:
        self.found.ignore = self.texts(key, value)
        self.rules(self.found.ignore)

    def fail_on(self, key: str, value: Any) -> None:
        if value not in ("error", "warning", "info", "never"):
            raise self.wrong(key, "error, warning, info or never")
        self.found.fail_on = value

    def severity(self, key: str, value: Any) -> None:
        if not isinstance(value, dict):
            raise self.wrong(key, "a table of rules and severities")
        for name, level in value.items():
            if level not in list(Severity):
                raise self.wrong(f"{key}.{name}", "error, warning or info")
            for rule_id in self.rules([name]):
                self.found.severities[rule_id] = Severity(level)

    def options(self, key: str, value: Any) -> None:
        if not isinstance(value, dict) or not all(isinstance(table, dict) for table in value.values()):
            raise self.wrong(key, "a table of rules with their options")
        for name, table in value.items():
            for rule_id in sorted(self.rules([name])):
                rule = self.rulebook.rules[rule_id]
                for option, given in table.items():
                    self.known(option, rule.options, f"options.{name}.")
                    default = rule.options[option].default
                    if type(given) is not type(default):
                        raise self.wrong(f"{key}.{name}.{option}", f"like its default {default!r}")
                    self.found.options.setdefault(rule_id, {})[option] = given

    def exclude(self, key: str, value: Any) -> None:
        self.found.exclude = self.texts(key, value)

    def var_files(self, key: str, value: Any) -> None:
        folder = os.path.dirname(self.path)
        self.found.var_files = [os.path.join(folder, path) for path in self.texts(key, value)]

    def alarms_elsewhere(self, key: str, value: Any) -> None:
        for rule in self.rulebook:
            if "alarms_elsewhere" in rule.options:
                self.found.options.setdefault(rule.id, {})["alarms_elsewhere"] = self.texts(key, value)

    def per_file_ignores(self, key: str, value: Any) -> None:
        if not isinstance(value, dict):
            raise self.wrong(key, "a table of path patterns with lists of rules")
        for pattern, names in value.items():
            self.found.per_file.append((pattern, self.rules(self.texts(f"{key}.{pattern}", names))))

    def ignores(self, key: str, value: Any) -> None:
        import datetime

        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            raise self.wrong(key, "a list of tables with rule, address, reason and, if wanted, expires")
        for entry in value:
            for name in entry:
                self.known(name, ("rule", "address", "reason", "expires"), "ignores.")
            for name in ("rule", "reason"):
                if not isinstance(entry.get(name), str) or not entry[name].strip():
                    raise self.wrong(f"{key}.{name}", "a text")
            expires = entry.get("expires")
            if expires is not None and (
                not isinstance(expires, datetime.date) or isinstance(expires, datetime.datetime)
            ):
                raise self.wrong(f"{key}.expires", "a date such as 2027-01-31")
            address = entry.get("address", "*")
            if not isinstance(address, str):
                raise self.wrong(f"{key}.address", "a text")
            self.found.accepted.append(Accepted(self.rules([entry["rule"]]), address, entry["reason"], expires))
