"""The `configuration` of a plan: which attributes of which resources an argument refers to, through modules too.

A plan lists what an expression mentions, not the expression; locals are not in it at all.
"""

from __future__ import annotations

import json
import re
from typing import Any

from hoplint.model.value import Encoded, Known, Value

_PART = re.compile(r'\.?([A-Za-z_][\w-]*)|\[("(?:[^"\\]|\\.)*"|[0-9]+)\]')
DEEPEST = 30


class Target:
    """An attribute of a resource instance, by its address."""

    __slots__ = ("address", "attribute")

    def __init__(self, address: str, attribute: str) -> None:
        self.address = address
        self.attribute = attribute


class Place:
    """Where an expression stands: a module instance, and the resource instance in it."""

    __slots__ = ("module", "config", "key", "each", "outer", "call")

    def __init__(
        self,
        module: str,
        config: dict[str, Any],
        key: object = None,
        each: list[str] | None = None,
        outer: Place | None = None,
        call: dict[str, Any] | None = None,
    ) -> None:
        self.module = module
        self.config = config
        self.key = key
        self.each = each or []
        self.outer = outer
        self.call = call or {}


def parts_of(reference: str) -> list[str | int]:
    """`module.q["eu"].arn` as its words and keys; keys are marked by their quotes or are numbers."""
    found: list[str | int] = []
    for word, key in _PART.findall(reference):
        found.append(word or (int(key) if key.isdigit() else key))
    return found


def table(value: object) -> dict[str, Any]:
    """A mapping, or an empty one where the plan holds something else."""
    return value if isinstance(value, dict) else {}


def module_place(configuration: dict[str, Any], module_address: str) -> Place | None:
    """The place of a module instance: `module.a["x"].module.b`; empty for the root."""
    place = Place("", table(configuration.get("root_module")))
    parts = parts_of(module_address)
    at = 0
    while at + 1 < len(parts):
        name = parts[at + 1]
        at += 2
        suffix = ""
        key: object = None
        if at < len(parts) and (isinstance(parts[at], int) or str(parts[at]).startswith('"')):
            key = parts[at]
            suffix = f"[{key}]"
            at += 1
        call = table(table(place.config.get("module_calls")).get(str(name)))
        if not call:
            return None
        each = table(call.get("for_each_expression")).get("references") or []
        # Arguments of the call are evaluated outside, but with the key of the instance.
        outer = Place(place.module, place.config, key, each, place.outer, place.call)
        address = f"{place.module}module.{name}{suffix}."
        place = Place(address, table(call.get("module")), None, [], outer, call)
    return place


def expressions_of(place: Place, mode: str, type_name: str, name: str) -> tuple[dict[str, Any], list[str], str]:
    """The expressions of a resource's arguments, what its for_each mentions, and the key of its provider."""
    for resource in place.config.get("resources") or ():
        if isinstance(resource, dict) and (resource.get("mode"), resource.get("type"), resource.get("name")) == (
            mode, type_name, name,
        ):  # fmt: skip
            each = table(resource.get("for_each_expression")).get("references") or []
            return table(resource.get("expressions")), each, str(resource.get("provider_config_key", ""))
    return {}, [], ""


def mentioned(expression: object) -> list[str]:
    """Everything that an expression, or the blocks of one, mention, in order."""
    found: list[str] = []
    if isinstance(expression, dict):
        references = expression.get("references")
        if isinstance(references, list):
            found += [item for item in references if isinstance(item, str)]
        else:
            for item in expression.values():
                found += mentioned(item)
    elif isinstance(expression, list):
        for item in expression:
            found += mentioned(item)
    return found


def targets(references: list[str], place: Place, depth: int = 0) -> list[Target] | None:
    """The attributes that are mentioned, each once; None where something else is mentioned too."""
    found: dict[tuple[str, str], Target] = {}
    complete = True
    for reference in references:
        if any(other.startswith((f"{reference}.", f"{reference}[")) for other in references):
            continue
        resolved = _resolve(parts_of(reference), place, depth)
        if resolved is None:
            complete = False
            continue
        for target in resolved:
            found.setdefault((target.address, target.attribute), target)
    return list(found.values()) if complete else None


def _resolve(parts: list[str | int], place: Place, depth: int) -> list[Target] | None:
    if len(parts) < 2 or depth > DEEPEST:
        return None
    first = parts[0]
    if first in ("path", "terraform", "local", "count"):
        return None
    if first == "each":
        return _each(parts, place, depth)
    if first == "var":
        if place.outer is None:
            return []
        expression = table(place.call.get("expressions")).get(str(parts[1]))
        return targets(mentioned(expression), place.outer, depth + 1) if expression is not None else []
    if first == "module":
        return _output(parts, place, depth)
    return _resource(parts, place)


def _each(parts: list[str | int], place: Place, depth: int) -> list[Target] | None:
    if len(place.each) != 1 or parts[1] != "value" or place.key is None:
        return None
    key: str | int = place.key if isinstance(place.key, int) else str(place.key)
    if isinstance(key, str) and not key.startswith('"'):
        key = json.dumps(key)
    return _resolve([*parts_of(place.each[0]), key, *parts[2:]], place, depth + 1)


def _output(parts: list[str | int], place: Place, depth: int) -> list[Target] | None:
    name, rest = str(parts[1]), parts[2:]
    suffix = ""
    if rest and (isinstance(rest[0], int) or str(rest[0]).startswith('"')):
        suffix = f"[{rest[0]}]"
        rest = rest[1:]
    call = table(table(place.config.get("module_calls")).get(name))
    inner = table(call.get("module"))
    if not rest or not inner:
        return None
    output = table(table(inner.get("outputs")).get(str(rest[0])))
    each = table(call.get("for_each_expression")).get("references") or []
    key: object = suffix[1:-1] if suffix else None
    outer = Place(place.module, place.config, key, each, place.outer, place.call)
    within = Place(f"{place.module}module.{name}{suffix}.", inner, None, [], outer, call)
    return targets(mentioned(output.get("expression")), within, depth + 1)


def _resource(parts: list[str | int], place: Place) -> list[Target] | None:
    prefix = ""
    if parts[0] == "data":
        prefix, parts = "data.", parts[1:]
    if len(parts) < 3:
        return None
    address = f"{place.module}{prefix}{parts[0]}.{parts[1]}"
    rest = parts[2:]
    if isinstance(rest[0], int) or str(rest[0]).startswith('"'):
        address += f"[{rest[0]}]"
        rest = rest[1:]
    return [Target(address, str(rest[0]))] if rest else None


def placed(planned: Value, written: Value, depth: int = 0) -> Value:
    """A value of the plan, each part of it where the sources write that part, or what it stands in."""
    through = (*written.through, *(step for step in planned.through if step.secret))
    if depth > DEEPEST:
        return planned.moved(written.site, through)
    if isinstance(planned, Encoded):
        tree = placed(planned.tree, written.tree if isinstance(written, Encoded) else written, depth + 1)
        return Encoded(tree, written.site, through)
    inside = written.data if isinstance(written, Known) else None
    if isinstance(planned, Known) and isinstance(planned.data, dict):
        known = inside if isinstance(inside, dict) else {}
        members = {key: placed(item, known.get(key, written), depth + 1) for key, item in planned.data.items()}
        return Known(members, written.site, planned.origin, through)
    if isinstance(planned, Known) and isinstance(planned.data, list):
        alike = inside if isinstance(inside, list) and len(inside) == len(planned.data) else None
        items = [
            placed(item, alike[number] if alike is not None else written, depth + 1)
            for number, item in enumerate(planned.data)
        ]
        return Known(items, written.site, planned.origin, through, unordered=planned.unordered)
    return planned.moved(written.site, through)
