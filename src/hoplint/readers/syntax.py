"""The syntax tree of Terraform's language, as small slotted nodes.

Every node knows its byte range; `Body` is read when first asked for, an attribute's expression when first evaluated.
"""

from __future__ import annotations

from hoplint.model.place import Source, Span


class Node:
    """An expression with its byte range in a source."""

    __slots__ = ("start", "end")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end


class Literal(Node):
    """A string without templates, a number (int or Fraction), a truth value or null."""

    __slots__ = ("data",)

    def __init__(self, data: object, start: int, end: int) -> None:
        super().__init__(start, end)
        self.data = data


class Template(Node):
    """A string or heredoc with interpolations or directives: strings, expressions, `TemplateIf`, `TemplateFor`.

    A template of one lone interpolation gives the expression itself (`lone` is true).
    """

    __slots__ = ("parts", "lone")

    def __init__(self, parts: list[str | Node], lone: bool, start: int, end: int) -> None:
        super().__init__(start, end)
        self.parts = parts
        self.lone = lone


class TemplateIf(Node):
    """`%{ if … }…%{ else }…%{ endif }` in a template."""

    __slots__ = ("test", "then", "otherwise")

    def __init__(self, test: Node, then: list[str | Node], otherwise: list[str | Node], start: int, end: int) -> None:
        super().__init__(start, end)
        self.test = test
        self.then = then
        self.otherwise = otherwise


class TemplateFor(Node):
    """`%{ for k, v in … }…%{ endfor }` in a template."""

    __slots__ = ("key", "item", "collection", "body")

    def __init__(
        self, key: str | None, item: str, collection: Node, body: list[str | Node], start: int, end: int
    ) -> None:
        super().__init__(start, end)
        self.key = key
        self.item = item
        self.collection = collection
        self.body = body


class Tuple(Node):
    """`[a, b]`."""

    __slots__ = ("items",)

    def __init__(self, items: list[Node], start: int, end: int) -> None:
        super().__init__(start, end)
        self.items = items


class Object(Node):
    """`{ k = v }`; a bare word as key is a `Literal` string."""

    __slots__ = ("items",)

    def __init__(self, items: list[tuple[Node, Node]], start: int, end: int) -> None:
        super().__init__(start, end)
        self.items = items


class Name(Node):
    """The root of a traversal: `var`, `local`, `aws_sqs_queue`, a loop variable."""

    __slots__ = ("name",)

    def __init__(self, name: str, start: int, end: int) -> None:
        super().__init__(start, end)
        self.name = name


class GetAttr(Node):
    """`x.name` (a legacy `x.0` index is an `Index` with a number)."""

    __slots__ = ("base", "name")

    def __init__(self, base: Node, name: str, start: int, end: int) -> None:
        super().__init__(start, end)
        self.base = base
        self.name = name


class Index(Node):
    """`x[key]`."""

    __slots__ = ("base", "key")

    def __init__(self, base: Node, key: Node, start: int, end: int) -> None:
        super().__init__(start, end)
        self.base = base
        self.key = key


class Splat(Node):
    """`x[*].a.b` or `x.*.a`: `each` holds what is applied to every element, as an expression over a `SplatItem`."""

    __slots__ = ("base", "each")

    def __init__(self, base: Node, each: Node, start: int, end: int) -> None:
        super().__init__(start, end)
        self.base = base
        self.each = each


class SplatItem(Node):
    """The element that a splat is at."""

    __slots__ = ()


class Call(Node):
    """`name(args…)`; `expand` when the last argument is followed by `...`. `name` keeps `provider::x::f` as written."""

    __slots__ = ("name", "args", "expand")

    def __init__(self, name: str, args: list[Node], expand: bool, start: int, end: int) -> None:
        super().__init__(start, end)
        self.name = name
        self.args = args
        self.expand = expand


class Unary(Node):
    """`-x`, `!x`."""

    __slots__ = ("operator", "operand")

    def __init__(self, operator: str, operand: Node, start: int, end: int) -> None:
        super().__init__(start, end)
        self.operator = operator
        self.operand = operand


class Binary(Node):
    """Arithmetic, comparison and logic."""

    __slots__ = ("operator", "left", "right")

    def __init__(self, operator: str, left: Node, right: Node, start: int, end: int) -> None:
        super().__init__(start, end)
        self.operator = operator
        self.left = left
        self.right = right


class Conditional(Node):
    """`test ? then : otherwise`."""

    __slots__ = ("test", "then", "otherwise")

    def __init__(self, test: Node, then: Node, otherwise: Node, start: int, end: int) -> None:
        super().__init__(start, end)
        self.test = test
        self.then = then
        self.otherwise = otherwise


class For(Node):
    """A for-expression: a tuple (`key_result` is None) or an object, with grouping (`...`) and a condition."""

    __slots__ = ("key", "item", "collection", "key_result", "result", "group", "test")

    def __init__(
        self,
        key: str | None,
        item: str,
        collection: Node,
        key_result: Node | None,
        result: Node,
        group: bool,
        test: Node | None,
        start: int,
        end: int,
    ) -> None:
        super().__init__(start, end)
        self.key = key
        self.item = item
        self.collection = collection
        self.key_result = key_result
        self.result = result
        self.group = group
        self.test = test


Expression = (
    Literal | Template | TemplateIf | TemplateFor | Tuple | Object | Name | GetAttr | Index | Splat | SplatItem | Call
    | Unary | Binary | Conditional | For
)  # fmt: skip


class Attribute:
    """`name = expression`: the expression is lowered when first asked for."""

    __slots__ = ("name", "source", "start", "end", "name_start", "_lower", "_expression")

    def __init__(
        self,
        name: str,
        source: Source,
        start: int,
        end: int,
        lower: object,
        expression: Node | None = None,
        name_start: int = -1,
    ) -> None:
        self.name = name
        self.source = source
        self.start = start
        self.end = end
        self.name_start = name_start
        self._lower = lower
        self._expression = expression

    @property
    def expression(self) -> Node:
        """The expression's tree. `start` and `end` are the bytes of the expression, without the name."""
        if self._expression is None:
            self._expression = self._lower()  # type: ignore[operator]
        return self._expression

    def span(self) -> Span:
        """Where the expression stands."""
        return Span(self.source, self.start, self.end)


class Block:
    """`type "label" … { body }`. `start` to `head_end` is the head: from the type to the opening brace inclusive.

    `construct` is the path of the construct that made it, where a program did.
    """

    __slots__ = (
        "type", "labels", "source", "start", "head_end", "end", "broken", "construct", "_read",
        "_attributes", "_blocks",
    )  # fmt: skip

    def __init__(
        self,
        type_name: str,
        labels: tuple[str, ...],
        source: Source,
        start: int,
        head_end: int,
        end: int,
        read: object,
        broken: bool = False,
        body: tuple[dict[str, Attribute], list[Block]] | None = None,
    ) -> None:
        self.type = type_name
        self.labels = labels
        self.source = source
        self.start = start
        self.head_end = head_end
        self.end = end
        self.broken = broken
        self.construct: str | None = None
        self._read = read
        self._attributes: dict[str, Attribute] | None
        self._blocks: list[Block]
        self._attributes, self._blocks = body or (None, [])

    @property
    def attributes(self) -> dict[str, Attribute]:
        """The arguments of the body, by name."""
        if self._attributes is None:
            self._attributes, self._blocks = self._read()  # type: ignore[operator]
        return self._attributes

    @property
    def blocks(self) -> list[Block]:
        """The nested blocks, in order."""
        if self._attributes is None:
            self._attributes, self._blocks = self._read()  # type: ignore[operator]
        return self._blocks

    def head(self) -> Span:
        """Where the head stands."""
        return Span(self.source, self.start, self.head_end)


class SyntaxProblem:
    """A range that cannot be parsed, or that Terraform refuses, and what is wrong with it."""

    __slots__ = ("span", "message")

    def __init__(self, span: Span, message: str) -> None:
        self.span = span
        self.message = message


class File:
    """One parsed file: its top-level blocks (broken ones marked), top-level attributes (tfvars), and its problems."""

    __slots__ = ("source", "blocks", "attributes", "problems")

    def __init__(
        self, source: Source, blocks: list[Block], attributes: dict[str, Attribute], problems: list[SyntaxProblem]
    ) -> None:
        self.source = source
        self.blocks = blocks
        self.attributes = attributes
        self.problems = problems
