"""A SAM template and what the translator makes of it, in one form in which both can be compared.

What is compared: the resources of our kinds with the settings that are written, and the hops that link them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

from hoplint.graph.hops import Hop
from hoplint.graph.link import link
from hoplint.model.condition import OTHER, Condition, Scenario
from hoplint.model.resource import Resource, Stack
from hoplint.model.value import DEFAULT, Choice, Known, Ref, Text, Unknown, Value, branches, print_scalar
from hoplint.readers.cloudformation import Options, join_exports, read_template
from hoplint.readers.template_scope import Scope
from hoplint.readers.tree import Tree

NO_HOPS = ("apigateway.amazonaws.com", "cognito-idp.amazonaws.com", "alexa-appkit.amazon.com", "*")
OFF_THE_PATH = ("ec2", "glue", "secretsmanager", "mq", "rds", "kms", "athena", "codecommit")


def read(folder: Path, name: str) -> Stack:
    [stack] = read_template(Tree(folder), name, Options())
    join_exports([stack])
    return stack


def scope_of(stack: Stack) -> Scope:
    scopes = stack.sources["scopes"]
    assert isinstance(scopes, list)
    scope = scopes[0]
    assert isinstance(scope, Scope)
    return scope


def when(condition: Condition) -> str:
    """A condition as the assignments of its atoms, by name, in which it holds."""
    atoms = sorted({atom.name: atom for atom in condition.atoms()}.values(), key=lambda atom: atom.name)
    if len(atoms) > 6:
        return "many"
    rows = []
    for values in product(*(sorted(atom.values()) for atom in atoms)):
        by_name = dict(zip((atom.name for atom in atoms), values, strict=True))
        scenario = Scenario({atom: by_name[atom.name] for atom in condition.atoms()})
        if condition.holds(scenario):
            rows.append(" ".join(f"{name}={value.replace(OTHER, 'other')}" for name, value in by_name.items()))
    return " | ".join(rows)


def canonical(value: Value, names: dict[int, str]) -> Any:
    """A value as plain data in which both readings look alike."""
    if isinstance(value, Choice):
        found = ([when(condition), json.dumps(canonical(one, names))] for one, condition in branches(value))
        return sorted(one for one in found if one[0])
    if isinstance(value, Known):
        if isinstance(value.data, list):
            return [canonical(item, names) for item in value.data]
        if isinstance(value.data, dict):
            return {key: canonical(item, names) for key, item in value.data.items()}
        return None if value.data is None else print_scalar(value.data)
    if isinstance(value, Ref):
        return f"<{names.get(id(value.target), '?')}.{value.attribute}>"
    if isinstance(value, Text):
        return "".join(part if isinstance(part, str) else str(canonical(part, names)) for part in value.parts)
    assert isinstance(value, Unknown)
    # The translator runs in one region, and so it knows the partition.
    return "aws" if value.symbol.name == "partition" else f"<{value.symbol.name}>"


def statements(document: Any) -> list[str]:
    """A policy document as one line per action and resource."""
    if not isinstance(document, dict):
        return [json.dumps(document)]
    found = []
    listed = document.get("Statement")
    for statement in listed if isinstance(listed, list) else [listed]:
        actions, resources = statement.get("Action"), statement.get("Resource")
        rest = json.dumps({key: item for key, item in statement.items() if key not in ("Action", "Resource")})
        for action in actions if isinstance(actions, list) else [actions]:
            for resource in resources if isinstance(resources, list) else [resources]:
                if not str(action).lower().startswith(OFF_THE_PATH):
                    found.append(f"{str(action).lower()} {json.dumps(resource)} {rest}")
    return found


def graph(stack: Stack) -> dict[str, tuple[str, dict[str, Any]]]:
    """The resources of our kinds by logical id, with the settings that are written."""
    scope = scope_of(stack)
    plain_id = {name: re.sub(r"(Version)[0-9a-f]{10}$", r"\1", name) for name in scope.resources}
    names = {id(one): plain_id[name] for name, one in scope.resources.items() if isinstance(one, Resource)}
    found = {}
    for name, one in scope.resources.items():
        if not isinstance(one, Resource) or name.startswith("CodeDeployServiceRole"):
            continue
        settings: dict[str, Any] = {"exists": when(one.exists)}
        for prop in one.kind.properties:
            value = one.raw(prop)
            if not (isinstance(value, Known) and value.origin == DEFAULT):
                settings[prop] = canonical(value, names)
        if one.kind.name == "lambda.permission" and settings.get("principal") in NO_HOPS:
            continue
        if one.kind.name == "iam.role":
            inline = settings.pop("inline_policies", [])
            settings["statements"] = sorted(
                {
                    line
                    for policy in inline
                    for line in (statements(policy["PolicyDocument"]) if isinstance(policy, dict) else [str(policy)])
                }
            )
            managed = settings.get("managed_policies", [])
            settings["managed_policies"] = sorted({json.dumps(arn).strip('"').rpartition("/")[2] for arn in managed})
        if isinstance(settings.get("policy"), dict):
            settings["policy"] = sorted(set(statements(settings["policy"])))
        if one.kind.name == "events.rule":
            for target in settings.get("targets", []):
                target.pop("Id", None)
        if one.kind.name == "iam.policy":
            settings.pop("name", None)
        for unlike in ("definition", "substitutions", "handler", "runtime", "boundary"):
            settings.pop(unlike, None)
        found[plain_id[name]] = (one.kind.name, settings)
    return found


def differences(ours: Stack, theirs: Stack) -> list[str]:
    one, other = graph(ours), graph(theirs)
    found = [f"{name} is missing" for name in other.keys() - one.keys()]
    found += [f"{name} is too much" for name in one.keys() - other.keys()]
    for name in one.keys() & other.keys():
        mine, wanted = one[name][1], other[name][1]
        found += [
            f"{name}.{key}: {mine.get(key)!r} is not {wanted.get(key)!r}"
            for key in sorted(mine.keys() | wanted.keys())
            if mine.get(key) != wanted.get(key)
        ]
    mine_hops, wanted_hops = hops(ours), hops(theirs)
    found += [f"no {line}" for line in (Counter(wanted_hops) - Counter(mine_hops))]
    found += [f"too much: {line}" for line in (Counter(mine_hops) - Counter(wanted_hops))]
    return sorted(found)


def hops(stack: Stack) -> list[str]:
    """The hops of a stack, each as a line: its type, its ends, what declares it, and when it is there."""
    scope = scope_of(stack)
    names = {
        id(one): re.sub(r"(Version)[0-9a-f]{10}$", r"\1", name)
        for name, one in scope.resources.items()
        if isinstance(one, Resource)
    }

    def name_of(resource: Resource | None) -> str:
        if resource is None:
            return "-"
        found = names.get(id(resource))
        if found is None and resource.parent is not None:
            found = name_of(resource.parent)
        return found or f"{resource.kind.name} elsewhere"

    lines = []
    for listed in link([stack]).by_hop.values():
        for hop in listed:
            if hop.via.kind.name == "lambda.permission" and _without_hop(hop):
                continue
            ends = (name_of(one) for one in (hop.source, hop.to, hop.via, hop.entry))
            rest = [when(hop.exists), getattr(hop, "metric", "")]
            lines.append(" ".join([type(hop).__name__, *ends, *filter(None, rest)]))
    return sorted(lines)


def _without_hop(hop: Hop) -> bool:
    principal = hop.via.raw("principal")
    return isinstance(principal, Known) and principal.data in NO_HOPS


def facts(stack: Stack) -> dict[str, Any]:
    """How many resources and hops of which kind there are, and a digest of them with all their settings."""
    resources, lines = graph(stack), hops(stack)
    whole = json.dumps([sorted(resources.items()), lines], sort_keys=True)
    return {
        "resources": dict(sorted(Counter(kind for kind, _ in resources.values()).items())),
        "hops": dict(sorted(Counter(line.partition(" ")[0] for line in lines).items())),
        "digest": hashlib.sha256(whole.encode()).hexdigest()[:16],
    }
