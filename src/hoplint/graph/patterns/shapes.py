"""What a producer's messages look like: which keys they certainly, possibly and never have, and of which kind."""

from __future__ import annotations

STRING, NUMBER, BOOLEAN, NULL = "a string", "a number", "true or false", "null"


class Shape:
    """What is known of a value that a producer sends."""

    __slots__ = ()


class Anything(Shape):
    """Nothing is known; `why` says so to the user."""

    __slots__ = ("why",)

    def __init__(self, why: str = "its content is not known here") -> None:
        self.why = why

    def __repr__(self) -> str:
        return f"Anything({self.why})"


class Plain(Shape):
    """Text that is certainly no JSON object: `text` where it is known."""

    __slots__ = ("text",)

    def __init__(self, text: str | None = None) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"Plain({self.text!r})"


class Scalar(Shape):
    """A leaf of one kind; `values` are all that it can be, where that is known. `note` tells what it holds."""

    __slots__ = ("kind", "values", "note")

    def __init__(self, kind: str = STRING, values: tuple[object, ...] | None = None, note: str = "") -> None:
        self.kind = kind
        self.values = values
        self.note = note

    def __repr__(self) -> str:
        return f"Scalar({self.kind}, {self.values!r})"


class Items(Shape):
    """An array, maybe an empty one."""

    __slots__ = ("item",)

    def __init__(self, item: Shape) -> None:
        self.item = item

    def __repr__(self) -> str:
        return f"Items({self.item!r})"


class Fields(Shape):
    """An object: `fields` it may have, and does have where `always` names them.

    An `open` one may have any key besides (of the shape `each`), but those in `never`. `name` says whose keys these
    are ("an EventBridge event"); `home` is the field under which a sender's own data stands, if there is one.
    """

    __slots__ = ("fields", "open", "each", "always", "never", "name", "home")

    def __init__(
        self,
        fields: dict[str, Shape],
        *,
        open: bool = False,
        each: Shape | None = None,
        always: tuple[str, ...] = (),
        never: tuple[str, ...] = (),
        name: str = "",
        home: str = "",
    ) -> None:
        self.fields = fields
        self.open = open or each is not None
        self.each = each
        self.always = frozenset(always)
        self.never = frozenset(never)
        self.name = name
        self.home = home

    def __repr__(self) -> str:
        return f"Fields({', '.join(self.fields)}{', …' if self.open else ''})"


class OneOf(Shape):
    """One of several; the first is the one that is spoken of."""

    __slots__ = ("shapes",)

    def __init__(self, *shapes: Shape) -> None:
        self.shapes = shapes

    def __repr__(self) -> str:
        return f"OneOf{self.shapes!r}"


def follow(shape: Shape, keys: list[str]) -> Shape:
    """What a path of keys leads to; anything, where that is not known or there is nothing."""
    for key in keys:
        if not isinstance(shape, Fields):
            return Anything()
        shape = shape.fields.get(key) or shape.each or Anything()
    return shape
