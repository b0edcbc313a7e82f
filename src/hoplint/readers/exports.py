"""What the stacks of one run offer each other: exports, outputs, and what CDK hands from region to region."""

from __future__ import annotations

from hoplint.model.condition import FALSE, Condition
from hoplint.model.identity import ACCOUNT, PARTITION, REGION
from hoplint.model.value import Known, Ref, Text, Unknown, Value, choose
from hoplint.readers.nodes import Mapping, Sequence
from hoplint.readers.template_scope import Foreign, Scope

Offer = tuple[Scope, str, Condition | None]


class Workspace:
    """The scopes of a run. Exports are looked for when the first import is asked for."""

    __slots__ = ("scopes", "_known", "_shaped", "_crossed")

    def __init__(self, scopes: list[Scope]) -> None:
        self.scopes = scopes
        self._known: dict[str, list[Offer]] | None = None
        self._shaped: dict[tuple[str, ...], list[Offer]] = {}
        self._crossed: dict[str, Value] | None = None
        for scope in scopes:
            scope.workspace = self

    def find(self, name: Value, scope: Scope) -> Value | None:
        """The value of an export; None if no stack here exports it, or more than one does."""
        if self._known is None:
            self._index()
        assert self._known is not None
        if isinstance(name, Known):
            return self._offered(self._known.get(str(name.data), []), scope)
        shape = _shape(name, scope)
        found = self._offered(self._shaped.get(shape, []), scope) if shape else None
        if found is None and name.site is not None:
            parts = name.parts if isinstance(name, Text) else ()
            known = max((part for part in parts if isinstance(part, str)), key=len, default="")
            scope.stack.open_imports.append(known)
        return found

    def _offered(self, offers: list[Offer], scope: Scope) -> Value | None:
        if not offers:
            return None
        near = [offer for offer in offers if offer[0].stack is scope.stack] or offers
        first = near[0]
        if any(offer[0].path != first[0].path for offer in near):
            return None
        same = [offer for offer in near if offer[0] is first[0]]
        value = first[0].output(first[1])
        for other, output, condition in reversed(same[1:]):
            alternative = other.output(output)
            if value is not None and alternative is not None and condition is not None:
                value = choose(condition, alternative, value, value.site)
        return value

    def _index(self) -> None:
        self._known = {}
        for scope in self.scopes:
            for name, export in exported(scope):
                output = scope.outputs[name]
                condition_name = output.get("Condition") if isinstance(output, Mapping) else None
                text = getattr(condition_name, "data", None)
                condition = scope.conditions.named(text) if isinstance(text, str) else None
                if condition is FALSE:
                    continue
                if isinstance(export, Known):
                    self._known.setdefault(str(export.data), []).append((scope, name, condition))
                else:
                    shape = _shape(export, scope)
                    if shape:
                        self._shaped.setdefault(shape, []).append((scope, name, condition))

    def output(self, stack_name: str, name: str) -> Value | None:
        """An output of a stack by the stack's name; None if it is not here or not the only one of its name."""
        found = [scope for scope in self.scopes if scope.parent is None and scope.stack_name == stack_name]
        return found[0].output(name) if len(found) == 1 else None

    def crossed(self, name: str) -> Value | None:
        """What a stack of a CDK app hands to stacks in other regions under this name."""
        if self._crossed is None:
            self._crossed = {}
            for scope in self.scopes:
                for target in scope.resources.values():
                    if isinstance(target, Foreign) and target.type == "Custom::CrossRegionExportWriter":
                        self._written(scope, target)
        return self._crossed.get(name)

    def _written(self, scope: Scope, writer: Foreign) -> None:
        assert self._crossed is not None
        properties = writer.node.get("Properties")
        props = properties.get("WriterProps") if isinstance(properties, Mapping) else None
        exports = props.get("exports") if isinstance(props, Mapping) else None
        if isinstance(exports, Mapping):
            for name, node in exports.entries.items():
                self._crossed[name] = scope.lower(node)


def exported(scope: Scope) -> list[tuple[str, Value]]:
    """The outputs of a template that have an export name, with that name."""
    found: list[tuple[str, Value]] = []
    for name, output in scope.outputs.items():
        export = output.get("Export") if isinstance(output, Mapping) else None
        export_name = export.get("Name") if isinstance(export, Mapping) else None
        if export_name is not None and not isinstance(export_name, Sequence):
            found.append((name, scope.lower(export_name)))
    return found


def _shape(name: Value, scope: Scope) -> tuple[str, ...]:
    """A partly known name by its pieces: unknown parameters of one name are taken to be given the same value.

    Nothing (an empty shape) where a piece is something else, like the name of the stack.
    """
    pieces: list[str] = []
    shared = [scope.stack.sources.get(what) for what in (PARTITION, REGION, ACCOUNT)]
    for part in name.parts if isinstance(name, Text) else ():
        if isinstance(part, str):
            pieces.append(part)
        elif isinstance(part, Ref) or not isinstance(part, Unknown):
            return ()
        elif part.symbol in shared:
            pieces.append(f"\0{part.symbol.name}")
        else:
            own = part.symbol.name[len(scope.prefix) :]
            if own not in scope.parameters or scope.prefix + own != part.symbol.name:
                return ()
            pieces.append(f"\0parameter {own}")
    return tuple(pieces)
