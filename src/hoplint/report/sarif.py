"""SARIF 2.1.0, for code scanning: one descriptor per rule, the way of the event as a code flow."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from hoplint import __version__
from hoplint.model.place import Place
from hoplint.model.report import Report, Reported, RuleFacts
from hoplint.report.text import help_links, section

LEVELS = {"error": "error", "warning": "warning", "info": "note"}
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
# What GitHub takes of one run; what lies beyond is cut there without a word.
MOST_RESULTS, MOST_RULES, MOST_STEPS, MOST_MESSAGE = 25_000, 25_000, 1_000, 1_024
ROOT = "%SRCROOT%"


def render(report: Report) -> str:
    """Write a report as SARIF."""
    findings = report.findings[:MOST_RESULTS]
    rules: dict[str, RuleFacts] = {}
    for found in findings:
        rules.setdefault(found.rule.code, found.rule)
    order = {code: number for number, code in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "hoplint",
                "semanticVersion": __version__,
                "rules": [_descriptor(rule) for rule in list(rules.values())[:MOST_RULES]],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the repository."}}},
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {"level": "note", "message": {"text": note.message}} for note in report.notes
                ],
            }
        ],
        "results": [_result(found, order[found.rule.code]) for found in findings],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=False) + "\n"


def _descriptor(rule: RuleFacts) -> dict[str, Any]:
    page = rule.page()
    links = help_links(page)
    body = page.partition("\n")[2].strip()
    described: dict[str, Any] = {
        "id": rule.code,
        "name": "".join(part.capitalize() for part in rule.id.split("-")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": (section(page, "Why it matters") or rule.title)[:MOST_MESSAGE]},
        "help": {"text": body or rule.title, "markdown": body or rule.title},
        "defaultConfiguration": {"level": LEVELS[str(rule.severity)]},
        "properties": {"tags": ["event-driven", str(rule.category)], "id": rule.id},
    }
    if links:
        described["helpUri"] = links[0]
    return described


def _result(found: Reported, index: int) -> dict[str, Any]:
    subject = f"{found.address}: " if found.address else ""
    when = f" (when {found.when})" if found.when else ""
    result: dict[str, Any] = {
        "ruleId": found.rule.code,
        "ruleIndex": index,
        "level": LEVELS[str(found.severity)],
        "message": {"text": f"{subject}{found.finding.message}{when}"[:MOST_MESSAGE]},
        "locations": [_location(found.place, found.source.path, found.address)],
        "partialFingerprints": {"hoplint/v1": found.fingerprint, "primaryLocationLineHash": _line_hash(found)},
        "properties": {"confidence": found.finding.confidence, "stack": found.stack, "construct": found.construct},
    }
    steps = found.trail[:MOST_STEPS]
    if steps:
        result["relatedLocations"] = [
            {**_location(step.place, step.source.path, step.address), "id": number, "message": {"text": step.label}}
            for number, step in enumerate(steps)
        ]
        flow = [
            {"location": {**_location(step.place, step.source.path, step.address), "message": {"text": step.label}}}
            for step in steps
        ]
        start = _location(found.place, found.source.path, found.address)
        label = found.finding.primary.label or found.finding.message
        flow.insert(0, {"location": {**start, "message": {"text": label}}})
        result["codeFlows"] = [{"threadFlows": [{"locations": flow}]}]
    if found.suppressed is not None:
        result["suppressions"] = [{"kind": "inSource", "status": "accepted", "justification": found.suppressed}]
    fix = found.finding.fix
    if fix is not None and found.edits:
        changes: dict[str, list[dict[str, Any]]] = {}
        for edit, (place, text) in zip(fix.edits, found.edits, strict=True):
            changes.setdefault(edit.site.source.path, []).append(
                {"deletedRegion": _region(place), "insertedContent": {"text": text}}
            )
        result["fixes"] = [
            {
                "description": {"text": fix.title},
                "artifactChanges": [
                    {"artifactLocation": _artifact(path), "replacements": replacements}
                    for path, replacements in changes.items()
                ],
            }
        ]
    return result


def _artifact(path: str) -> dict[str, str]:
    from urllib.parse import quote

    return {"uri": quote(path), "uriBaseId": ROOT}


def _region(place: Place) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }


def _location(place: Place, path: str, address: str) -> dict[str, Any]:
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": _artifact(path), "region": _region(place)}}
    if address:
        location["logicalLocations"] = [{"fullyQualifiedName": address, "kind": "resource"}]
    return location


def _line_hash(found: Reported) -> str:
    """GitHub tells findings apart by this: made of what stays when lines move."""
    return f"{hashlib.sha256(found.fingerprint.encode()).hexdigest()[:16]}:1"
