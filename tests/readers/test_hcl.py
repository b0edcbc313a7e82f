"""Terraform's syntax: what is read, what is refused and why, and what other parsers make of the same files."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from hoplint.model.place import Source
from hoplint.readers import hcl, syntax
from hoplint.readers.hcl import ParseError, parse_expression, parse_template

ROOT = Path(__file__).parents[2]
FILES = sorted((*ROOT.glob("fixtures/**/*.tf"), *ROOT.glob("src/hoplint/module_models/**/*.tf")))


def parse(text: str | bytes) -> syntax.File:
    """Read a text as a file."""
    return hcl.parse(Source("main.tf", text if isinstance(text, bytes) else text.encode()))


def shape(node: syntax.Node) -> object:
    """A tree as nested tuples."""
    if isinstance(node, syntax.Literal):
        return node.data
    if isinstance(node, syntax.Template):
        return ("lone" if node.lone else "text", *shapes(node.parts))
    if isinstance(node, syntax.TemplateIf):
        return ("if", shape(node.test), shapes(node.then), shapes(node.otherwise))
    if isinstance(node, syntax.TemplateFor):
        return ("for", node.key, node.item, shape(node.collection), shapes(node.body))
    if isinstance(node, syntax.Tuple):
        return [shape(item) for item in node.items]
    if isinstance(node, syntax.Object):
        return ("object", *((shape(key), shape(item)) for key, item in node.items))
    if isinstance(node, syntax.Name):
        return f"${node.name}"
    if isinstance(node, syntax.GetAttr):
        return (shape(node.base), f".{node.name}")
    if isinstance(node, syntax.Index):
        return (shape(node.base), [shape(node.key)])
    if isinstance(node, syntax.Splat):
        return ("splat", shape(node.base), shape(node.each))
    if isinstance(node, syntax.SplatItem):
        return "*"
    if isinstance(node, syntax.Call):
        return (f"{node.name}()", *shapes(node.args), *(["..."] if node.expand else []))
    if isinstance(node, syntax.Unary):
        return (node.operator, shape(node.operand))
    if isinstance(node, syntax.Binary):
        return (shape(node.left), node.operator, shape(node.right))
    if isinstance(node, syntax.Conditional):
        return ("?", shape(node.test), shape(node.then), shape(node.otherwise))
    assert isinstance(node, syntax.For)
    return (
        "for", node.key, node.item, shape(node.collection),
        None if node.key_result is None else shape(node.key_result), shape(node.result),
        node.group, None if node.test is None else shape(node.test),
    )  # fmt: skip


def shapes(parts: list[str | syntax.Node] | list[syntax.Node]) -> tuple[object, ...]:
    """The parts of a template, or the arguments of a call."""
    return tuple(part if isinstance(part, str) else shape(part) for part in parts)


# ------------------------------------------------------------------------------------------------------- expressions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"a\\tb\\"\\\\ \\u00e9 \\U0001F600"', 'a\tb"\\ é \U0001f600'),
        ('"$${a} %%{b} $a % $$ 100%"', "${a} %{b} $a % $$ 100%"),
        ('"$$${a}"', "$${a}"),
        ('"e\u0301"', "\u00e9"),
        ("1.50", Fraction(3, 2)),
        ("1e3", 1000),
        ("007", 7),
        ("null", None),
        ("true", True),
        ("-1", ("-", 1)),
        ("!a", ("!", "$a")),
        ("!!a", ("!", ("!", "$a"))),
        ("a.b.c", (("$a", ".b"), ".c")),
        ("a . b", ("$a", ".b")),
        ("a-b", "$a-b"),
        ("a - b", ("$a", "-", "$b")),
        ("a[0].b", (("$a", [0]), ".b")),
        ('a["k"]', ("$a", ["k"])),
        ("a.0.b", (("$a", [0]), ".b")),
        ("a[*].b[0]", ("splat", "$a", (("*", ".b"), [0]))),
        ("a.*.b.c", ("splat", "$a", (("*", ".b"), ".c"))),
        ("a.*.b[0]", (("splat", "$a", ("*", ".b")), [0])),
        ("a[*].b[*].c", ("splat", "$a", ("splat", ("*", ".b"), ("*", ".c")))),
        ("(a).b", ("$a", ".b")),
        ('"x".y', ("x", ".y")),
        ("f()", ("f()",)),
        ("f (a)", ("f()", "$a")),
        ("f(a, b...)", ("f()", "$a", "$b", "...")),
        ("f(\n  a,\n  # why\n  b,\n)", ("f()", "$a", "$b")),
        ("provider::aws::arn_parse(a)", ("provider::aws::arn_parse()", "$a")),
        ("a + b * c", ("$a", "+", ("$b", "*", "$c"))),
        ("a - b - c", (("$a", "-", "$b"), "-", "$c")),
        ("(a + b) * c", (("$a", "+", "$b"), "*", "$c")),
        ("a || b && c == d < e + f * -g", (
            "$a", "||", ("$b", "&&", ("$c", "==", ("$d", "<", ("$e", "+", ("$f", "*", ("-", "$g")))))))),
        ("a ? b : c ? d : e", ("?", "$a", "$b", ("?", "$c", "$d", "$e"))),
        ("a == b ? c : d", ("?", ("$a", "==", "$b"), "$c", "$d")),
        ("[]", []),
        ("[a, [b],\n c,]", ["$a", ["$b"], "$c"]),
        ("{}", ("object",)),
        ('{a = 1, "b": 2\n (c) = 3\n"${d}" = 4, true = 5, null: 6, 7 = 8}', (
            "object", ("a", 1), ("b", 2), ("$c", 3), (("lone", "$d"), 4), ("true", 5), ("null", 6), (7, 8))),
        ("{\n  # first\n  a = f(1) // one\n\n  b = 2 /* two */,\n}", ("object", ("a", ("f()", 1)), ("b", 2))),
        ("[for v in a : v]", ("for", None, "v", "$a", None, "$v", False, None)),
        ("[for k, v in a : v if k]", ("for", "k", "v", "$a", None, "$v", False, "$k")),
        ("{for k, v in a :\n  k => v...\n  if v}", ("for", "k", "v", "$a", "$k", "$v", True, "$v")),
        ("{ # note\n for k in a : k => 1 }", ("for", None, "k", "$a", "$k", 1, False, None)),
        ('"${a}"', ("lone", "$a")),
        ('" ${~ a}"', ("text", "$a")),
        ('"a ${b} c"', ("text", "a ", "$b", " c")),
        ('"a ${~ b ~} c"', ("text", "a", "$b", "c")),
        ('"${f("x ${a}")}!"', ("text", ("f()", ("text", "x ", "$a")), "!")),
        ('"${{a = {b = 1}}.a.b}"', ("lone", (((("object", ("a", ("object", ("b", 1)))), ".a")), ".b"))),
        ('"a%{ if b }c%{ else }d%{ endif }e"', ("text", "a", ("if", "$b", ("c",), ("d",)), "e")),
        ('"%{ if b ~} c %{~ endif }"', ("text", ("if", "$b", ("c",), ()))),
        ('"%{ for k, v in m }${k}=${v};%{ endfor }"', ("text", ("for", "k", "v", "$m", ("$k", "=", "$v", ";")))),
        ('"%{ if a }%{ for b in c }x%{ endfor }%{ endif }"', (
            "text", ("if", "$a", (("for", None, "b", "$c", ("x",)),), ()))),
    ],
)  # fmt: skip
def test_expressions(text: str, expected: object) -> None:
    assert shape(parse_expression(text)) == expected
    inside = parse(f"x = [\n{text}\n]\n")
    assert not inside.problems
    assert shape(inside.attributes["x"].expression) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<<EOT\n  a\n b\nEOT\n", "  a\n b\n"),
        ("<<-EOT\n    a\n      b\n\n    c\n  EOT\n", "a\n  b\n\nc\n"),
        ("<<-EOT\n    a\n      \n  b\nEOT\n", "  a\n      \nb\n"),
        ("<<-EOT\n\ta\n\t\tb\nEOT\n", "a\n\tb\n"),
        ("<<EOT\nEOT\n", ""),
        ("<<EOT\na\n  EOT  \n", "a\n"),
        ("<<EOT\na EOT\nEOTs\nEOT\n", "a EOT\nEOTs\n"),
        ("<<EOT\r\na\r\nEOT\r\n", "a\r\n"),
        ('<<EOT\n"a" \\n $${x} %%{y} $5 10%\nEOT\n', '"a" \\n ${x} %{y} $5 10%\n'),
        ("<<E-O.T\na\nE-O\n", None),
        ("<<-EOT\n    ${a}\n      b ${c} d\n  EOT\n", ("text", "$a", "\n  b ", "$c", " d\n")),
        ("<<-EOT\n  x\n${a}\n  EOT\n", ("text", "  x\n", "$a", "\n")),
        ("<<EOT\nEOT${a}\nEOT\n", ("text", "EOT", "$a", "\n")),
        ("<<EOT\n${a}EOT\nEOT\n", ("text", "$a", "EOT\n")),
        ("<<EOT\na\n${~ b ~}\nc\nEOT\n", ("text", "a", "$b", "c\n")),
        ("<<EOT\na\n\n  ${~ b ~}  \n  c\nEOT\n", ("text", "a\n\n", "$b", "  c\n")),
        (
            "<<EOT\n%{ for x in y ~}\n  ${x}\n%{ endfor ~}\nEOT\n",
            ("text", ("for", None, "x", "$y", ("  ", "$x", "\n"))),
        ),
        ("<<EOT\n${f(<<IN\nx ${a}\nIN\n)}\nEOT\n", ("text", ("f()", ("text", "x ", "$a", "\n")), "\n")),
        ("<<EOT\n${\n  a\n}\nEOT\n", ("text", "$a", "\n")),
        ("<<-EOT\n  é\n  ü${a}\n  EOT\n", ("text", "é\nü", "$a", "\n")),
    ],
)
def test_heredocs(text: str, expected: object) -> None:
    file = parse(f"x = {text}")
    if expected is None:
        assert file.problems
        return
    assert not file.problems
    assert shape(file.attributes["x"].expression) == expected


def test_template_files() -> None:
    template = parse_template('{\n  "a": "${b}" %{ if c }\n  x%{ endif ~}\n}\n$')
    assert shape(template) == ("text", '{\n  "a": "', "$b", '" ', ("if", "$c", ("\n  x",), ()), "}\n$")
    assert shape(parse_template("${a}")) == ("lone", "$a")
    assert shape(parse_template("a \\n $${b}\r\n<<EOT")) == "a \\n ${b}\r\n<<EOT"
    assert shape(parse_template("")) == ""


@pytest.mark.parametrize("text", ["", "a b", "${a}", "a.", "[a", '"a', "a ? b", "f(,)", "[for x in]", "a[1,2]", "{a}"])
def test_what_is_no_expression_raises(text: str) -> None:
    with pytest.raises(ParseError):
        parse_expression(text)


@pytest.mark.parametrize("text", ["%{ if a }", "${", "%{ else }", "%{ for a }%{ endfor }", "${a b}", "%{ x }"])
def test_what_is_no_template_raises(text: str) -> None:
    with pytest.raises(ParseError):
        parse_template(text)


# ------------------------------------------------------------------------------------------------------------- files


BODY = """# a comment
resource "aws_sqs_queue" "orders" {
  name = "orders" # why
  policy = jsonencode({
    Statement = [{ Effect = "Allow" }]
  })

  dynamic "x" {
    for_each = var.xs
    content { y = x.value }
  }
  tags = { a = 1, b = "c" }
}

locals { a = 1 }
variable bare {}
data aws_iam_policy_document "d" {
}
"""


def test_blocks_and_arguments() -> None:
    file = parse(BODY)
    assert not file.problems
    assert [(block.type, block.labels) for block in file.blocks] == [
        ("resource", ("aws_sqs_queue", "orders")), ("locals", ()), ("variable", ("bare",)),
        ("data", ("aws_iam_policy_document", "d")),
    ]  # fmt: skip
    queue = file.blocks[0]
    assert list(queue.attributes) == ["name", "policy", "tags"]
    assert [(block.type, block.labels) for block in queue.blocks] == [("dynamic", ("x",))]
    assert shape(queue.blocks[0].blocks[0].attributes["y"].expression) == ("$x", ".value")
    assert shape(queue.attributes["tags"].expression) == ("object", ("a", 1), ("b", "c"))


def test_places() -> None:
    data = BODY.encode()
    queue = parse(BODY).blocks[0]
    assert data[queue.start : queue.head_end] == b'resource "aws_sqs_queue" "orders" {'
    assert data[queue.start : queue.end].endswith(b'"c" }\n}')
    name = queue.attributes["name"]
    assert data[name.start : name.end] == b'"orders"'
    assert (name.expression.start, name.expression.end) == (name.start, name.end)
    assert data[name.name_start :].startswith(b'name = "orders"')
    policy = queue.attributes["policy"]
    assert data[policy.start : policy.end].endswith(b"\n  })")
    assert (policy.expression.start, policy.expression.end) == (policy.start, policy.end)
    assert repr(queue.attributes["name"].span().place()) == "main.tf:3:10-3:18"


def nodes(node: object) -> Iterator[syntax.Node]:
    """Every node of a tree."""
    if isinstance(node, syntax.Node):
        yield node
        for cls in type(node).__mro__[:-1]:
            for slot in getattr(cls, "__slots__", ()):
                yield from nodes(getattr(node, slot))
    elif isinstance(node, list | tuple):
        for item in node:
            yield from nodes(item)


def attributes(blocks: list[syntax.Block]) -> Iterator[syntax.Attribute]:
    """Every argument in blocks."""
    for block in blocks:
        yield from block.attributes.values()
        yield from attributes(block.blocks)


def test_a_node_is_what_stands_in_its_place() -> None:
    for path in FILES:
        file = hcl.parse(Source(path.name, path.read_bytes()))
        for attribute in attributes(file.blocks):
            for node in nodes(attribute.expression):
                if any(isinstance(part, syntax.SplatItem) for part in nodes(node)) or node is attribute.expression:
                    continue
                assert attribute.start <= node.start < node.end <= attribute.end
                if isinstance(node, syntax.Name | syntax.Call | syntax.Index | syntax.GetAttr | syntax.Conditional):
                    again = parse_expression(file.source.data[node.start : node.end].decode())
                    assert shape(again) == shape(node)


def test_values_are_read_when_asked_for() -> None:
    file = parse('a = "x"\nb = f(var.c, "d-${var.e}")\n')
    assert all(attribute._expression is None for attribute in file.attributes.values())
    assert shape(file.attributes["b"].expression) == ("f()", ("$var", ".c"), ("text", "d-", ("$var", ".e")))
    assert file.attributes["b"].expression is file.attributes["b"].expression


@pytest.mark.parametrize(
    "text",
    [
        "", "\n", "# only a comment", "a = 1", "a = 1 // no line end", "a {}", "a { }\n", "a {\n}", "a { b = 1 }\n",
        "\ufeffa = 1\n", "a = 1\r\nb {\r\n  c = 2\r\n}\r\n", "a = 1e3\n", "a = [1,\n2,\n]\n",
        "a = /* c */ 1 /* d\n */\n",
        "a \"b\" c {\n}\n", "a \"b-\\u00e9\" {\n}\n", "é = 1\nü-1 {\n}\n", "a = {\n\n b = 1,\n\n c = 2\n}\n",
        "a={b=1,}\n",
        "a = {b = 1 # c\n}\n", "a = (\n1\n+\n2\n)\n", "a = b.c.0\n", "a = \"$\"\n", "a = \"%\"\n", "a = \"\\\\\"\n",
        "a = { \"for\" = 1 }\n", "a = <<E\nE\n", "a /* x */ {\n /* y */ b = 1 /* z */\n}\n",
        "a = \"${\"b\"}\"\n", "a = f(\n<<E\nx\nE\n)\n", "\t a\t=\t1\t\n", "a = if\nb = in\nc = for\n",
        "a = b /c\n", "a = 1 #\n", "# é in a comment\n", "a=b?c:d\n", "a = [for x in y : x]\n",
        "a { b = 1 } # c\n", "a = \"b\" \t\n", "a = -1\n", "a = \"x\\ny\"\n",
    ],
)  # fmt: skip
def test_sound_files(text: str) -> None:
    file = parse(text)
    assert not [problem.message for problem in file.problems]
    assert not any(block.broken for block in file.blocks)


def test_what_is_not_utf8_may_stand_in_comments() -> None:
    assert not parse(b"# caf\xe9\na = 1 // \xff\n").problems
    assert [problem.message for problem in parse(b'a = "caf\xe9"\n').problems] == [
        "this is not UTF-8: save the file in that encoding"
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a = \n", 1, "the line ends where a value is expected"),
        ("a =\n  1\n", 1, "the line ends where a value is expected"),
        ("a = 1 b = 2\n", 1, "an argument must end its line: start a new line here"),
        ("a = 1, \nb = 2\n", 1, "arguments are separated by line ends, not by commas: remove the comma"),
        ("a = 1\na = 2\n", 2, "the argument a is already set on line 1: each can be set only once"),
        ("b {\n  a = 1\n  c = [\n]\n  a = 2\n}\n", 5,
         "the argument a is already set on line 2: each can be set only once"),
        ("a\n", 1, 'the line ends where "=" and a value, or a block is expected'),
        ("a\n{\n}\n", 1, 'the line ends where "=" and a value, or a block is expected'),
        ('a "b"\n{\n}\n', 1, 'the line ends where a label or "{", on the same line is expected'),
        ("a {\n  b = 1 }\n", 2, "an argument must end its line: start a new line here"),
        ("a { b {} }\n", 1,
         '"=" and a value (a block inside a block starts on a line of its own) is expected before "{"'),
        ("a { b = 1, c = 2 }\n", 1,
         "a block in one line holds one argument and is closed in that line: write each on a line of its own"),
        ("a {} b {}\n", 1, "a block must end its line: start a new line here"),
        ('resource "a" "b" {\n  c = 1\n', 1, 'the block resource is never closed: a "}" is missing'),
        ("a {\n}\n}\n", 3, 'this "}" closes nothing: remove it, or look for a "{" that is missing above'),
        ("a = {\n  b = 1 c = 2\n}\n", 2, 'a comma or the end of the line is expected before "c"'),
        ("a = {\n  b\n}\n", 2, 'the line ends where "=" and a value or "}" is expected'),
        ("a = [1 2]\n", 1, 'a comma or "]" is expected before "2"'),
        ("a = f(1\n", 1, 'this "(" is never closed: a ")" is missing'),
        ("a = 10.0.0.0/16\n", 1,
         "10.0.0.0 is no number: write a range of addresses and the like as a string, in quotes"),
        ("a = 0x1F\n", 1, "an argument must end its line: start a new line here"),
        ('a = "b\n', 1,
         'a string in quotes ends on its own line: close it with a quote ("), write \\n for a line end, '
         "or use <<EOT for several lines"),
        ('a = "\\/"\n', 1, '"\\/" is no escape sequence: write \\\\ for a backslash'),
        ('a = "\\u12"\n', 1,
         '"\\u" is no escape sequence: after "\\u" four hexadecimal digits are expected, after "\\U" eight'),
        ('a = "\\ud800"\n', 1, '"\\u" is no escape sequence: U+D800 is no character'),
        ("a = 'b'\n", 1, 'single quotes do not enclose strings: use double quotes (")'),
        ("a = “b”\n", 1, 'curly quotes do not enclose strings: use straight double quotes (")'),
        ("a = 1;\n", 1, '";" separates nothing here: end the line instead, or use a comma between items'),
        ("a = b & c\n", 1, '"&" is no operator: use "&&"'),
        ("a = <<EOT\nb\n", 1, "this text is never closed: a line that holds only EOT is missing"),
        ("a = <<EOT b\nEOT\n", 1, '"<<" starts a text of several lines: its marker (<<EOT) ends the line'),
        ('a = "${b"\n', 1,
         '"${" is not closed here: "}" is expected; write $${ where the text itself is to hold "${"'),
        ('a = "%{ if b }c"\n', 1, "this if lacks its endif"),
        ('a "${b}" {\n}\n', 1, "a block's label is a plain string: nothing can be interpolated"),
        ('"a" = 1\n', 1, "the name of an argument or block stands without quotes"),
        ("a = b.*.c.*.d\n", 1, 'a ".*" cannot stand inside another: use [*]'),
        ("a = b.0.1\n", 1, '".0.1" is read as one number: write [0][1]'),
        ("a = {for x in y : x}\n", 1, '"=>" and a value (a "for" in braces makes an object) is expected before "}"'),
        ("a = [for x in y : x => z]\n", 1, '"=>" makes an object: use { and } around this "for", or leave the key out'),
        ("a = f(b... , c)\n", 1, '")" after "..." (only the last argument can be expanded) is expected before ","'),
    ],
)  # fmt: skip
def test_problems_say_what_is_wrong_and_what_to_do(text: str, line: int, message: str) -> None:
    problem = parse(text).problems[0]
    assert (problem.message, problem.span.place().line) == (message, line)


def test_a_broken_block_does_not_take_others_with_it() -> None:
    file = parse(
        'resource "a" "one" {\n  x = 1\n}\nresource "a" "two" {\n  x = {\n  y = 1\n}\n'
        'resource "a" "three" {\n  x = 3\n}\nresource "a" "four" {\n  x = (\n}\n'
        'resource "a" "five" {\n  x = 1\n  x = 2\n}\n'
    )
    assert [(block.labels[1], block.broken) for block in file.blocks] == [
        ("one", False), ("two", True), ("three", False), ("four", True), ("five", True),
    ]  # fmt: skip
    assert [(problem.span.place().line, problem.message) for problem in file.problems] == [
        (4, 'the block resource is not closed before the block on line 8: a "}" is missing'),
        (13, 'a value is expected before "}"'),
        (16, "the argument x is already set on line 15: each can be set only once"),
    ]  # fmt: skip
    assert shape(file.blocks[2].attributes["x"].expression) == 3
    assert file.blocks[1].attributes == {}


DEEP = 20_000


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "(" * DEEP, "a = " + "[" * DEEP + "]" * DEEP, "a = " + "{a=" * DEEP, "a {\n" * DEEP,
        "a = " + "-" * DEEP,
        "a = " + "x ? y : " * DEEP + "z", "a = " + "1+" * DEEP + "1", "a = b" + ".c" * DEEP, "a = b" + "[0]" * DEEP,
        "a = b" + "[*]" * DEEP, 'a = "' + "${" * DEEP, "a = " + '"${' * DEEP, 'a = "' + "%{ if x }" * DEEP + '"',
        "a = " + "<<E\n${" * DEEP, "a = " + "f(" * DEEP, "a = " + "[for a in " * DEEP, "a = " + "1" * DEEP,
        "a = 1e99999999", 'a = "' + "x" * DEEP, "/*" * DEEP, "a " * DEEP, "a = b" + "::c" * DEEP, "}\n" * DEEP,
        "a = " + "f(x, " * 50 + "[{y = (" * 50,
    ],
    ids=range(24),
)  # fmt: skip
def test_nesting_and_length_do_no_harm(text: str) -> None:
    started = time.process_time()
    file = parse(text + "\n")
    assert file.problems
    assert time.process_time() - started < 2


def test_any_bytes_are_read() -> None:
    draw = random.Random(7)
    for _ in range(300):
        data = bytes(
            draw.choice(b'{}[]()"$%\\<-EOT\n\r= ab1.,:?*#/\xc3\xa9\xff\x00') for _ in range(draw.randrange(200))
        )
        file = parse(data)
        for attribute in (*file.attributes.values(), *attributes(file.blocks)):
            assert isinstance(attribute.expression, syntax.Node)


def test_cost_grows_in_step_with_input() -> None:
    def seconds(times: int) -> float:
        data = (BODY * times).encode()
        best = 9.0
        for _ in range(3):
            started = time.process_time()
            file = hcl.parse(Source("main.tf", data))
            for attribute in attributes(file.blocks):
                assert attribute.expression
            best = min(best, time.process_time() - started)
        return best

    gc.disable()
    try:
        assert seconds(1000) < 20 * seconds(100)
    finally:
        gc.enable()


# --------------------------------------------------------------------------------------------------- second opinions


def accepted(text: bytes) -> bool | None:
    """What Go's own parser says; None where its binding cannot tell."""
    pygohcl = pytest.importorskip("pygohcl")
    try:
        pygohcl.loadb(text)
    except pygohcl.HCLParseError:
        return False
    except (pygohcl.HCLInternalError, ValueError):
        return None
    return True


MUTATED = (
    BODY
    + """
output "o" {
  value = { for k, v in var.m : k => "${upper(v)}-%{ if k == "a" }x%{ endif }" if v != null }
  text = <<-EOT
    one ${var.two}
      three
  EOT
  list = [1, 2.5, -3, true, null, a.b[0].c, d[*].e, f.*.g, h ? i : j]
}
"""
)
TOKENS = (
    b"{", b"}", b"[", b"]", b"(", b")", b'"', b"\n", b" ", b",", b"=", b":", b".", b"${", b"%{", b"~}", b"?", b"*",
    b"...", b"=>", b"#", b"//", b"/*", b"*/", b"<<E\n", b"E\n", b"\\", b"\\n", b"1", b"1e3", b"0x1F", b".5", b"for ",
    b"if ", b"in ", b"x", b"x.y", b"[*]", b".*", b"-", b"!", b"&&", b"|", b"'", b";", b"\r", b"\r\n", b"$", b"%",
    b"$${", b"::", b"f(", b"null", "é".encode(), b"%{else}", b"%{endif}", b"==", b"<", b"a = 1\n", b'b "c" {\n',
    b"{ a = 1 }", b"\xff", b"~",
)  # fmt: skip


def test_go_agrees_about_what_is_valid() -> None:
    draw = random.Random(11)
    base = MUTATED.encode()
    seen = {True: 0, False: 0}
    for _ in range(3000):
        data = base
        for _ in range(draw.choice((1, 1, 2))):
            at = draw.randrange(len(data))
            end = min(len(data), at + draw.choice((0, 0, 1, 1, 4)))
            data = data[:at] + draw.choice((b"", draw.choice(TOKENS), draw.choice(TOKENS))) + data[end:]
        valid = accepted(data)
        if valid is None:
            continue
        seen[valid] += 1
        problems = [problem.message for problem in parse(data).problems]
        assert (not problems) is valid, f"{problems}\n{data.decode('utf-8', 'replace')}"
    assert min(seen.values()) > 300


def keys(body: syntax.Block) -> set[str]:
    """The names of a block's arguments and nested blocks."""
    return {*body.attributes, *(block.type for block in body.blocks)}


def names(blocks: list[syntax.Block]) -> dict[tuple[str, ...], set[str]]:
    """Top-level blocks by type and labels, each with the names in it."""
    found: dict[tuple[str, ...], set[str]] = {}
    for block in blocks:
        found.setdefault((block.type, *block.labels), set()).update(keys(block))
    return found


def test_go_reads_the_same_names() -> None:
    pygohcl = pytest.importorskip("pygohcl")
    for path in FILES:
        data = path.read_bytes()
        file = hcl.parse(Source(path.name, data))
        assert accepted(data) is not bool(file.problems), path
        if file.problems:
            continue
        read = pygohcl.loadb(data)
        for labels, found in names(file.blocks).items():
            place = read
            for label in labels:
                place = place[label]
            theirs = set().union(*(part.keys() for part in place)) if isinstance(place, list) else set(place)
            assert found == theirs, (path, labels)


def test_go_reads_the_same_literals() -> None:
    """Numbers, booleans and plain texts, in blocks at any depth."""
    pygohcl = pytest.importorskip("pygohcl")
    compared = 0
    for path in FILES:
        data = path.read_bytes()
        file = hcl.parse(Source(path.name, data))
        if file.problems:
            continue
        read = pygohcl.loadb(data)
        unique = names(file.blocks)
        for block in file.blocks:
            place = read
            for label in (block.type, *block.labels):
                place = place[label]
            if len(unique) == len(file.blocks) and isinstance(place, dict):
                compared += literals(block, place, path)
    assert compared > 5000


def literals(block: syntax.Block, theirs: dict[str, object], path: Path) -> int:
    """Compare the literals of a block with what Go reads; how many there were."""
    count = 0
    for name, attribute in block.attributes.items():
        node = attribute.expression
        if isinstance(node, syntax.Literal) and node.data is not None:
            assert theirs[name] == node.data, (path, name)
            count += 1
    inner: dict[tuple[str, ...], list[syntax.Block]] = {}
    for nested in block.blocks:
        inner.setdefault((nested.type,), []).append(nested)
    for (kind,), blocks in inner.items():
        place = theirs[kind]
        if any(nested.labels for nested in blocks):
            continue
        parts = place if isinstance(place, list) else [place]
        assert len(parts) == len(blocks), (path, kind)
        for nested, part in zip(blocks, parts, strict=True):
            count += literals(nested, part, path)
    return count


def test_python_hcl2_reads_the_same_names() -> None:
    hcl2 = pytest.importorskip("hcl2")
    for path in FILES:
        file = hcl.parse(Source(path.name, path.read_bytes()))
        if file.problems:
            continue
        theirs: dict[tuple[str, ...], set[str]] = {}
        for kind, blocks in hcl2.loads(path.read_text()).items():
            for block in () if kind.startswith("__") else blocks:
                labels: tuple[str, ...] = (kind,)
                while "__is_block__" not in block:
                    ((label, block),) = block.items()
                    labels = (*labels, label.strip('"'))
                theirs.setdefault(labels, set()).update(key for key in block if not key.startswith("__"))
        assert names(file.blocks) == theirs, path


PYTHON_HCL2_FAILS = {
    "spaces after the marker that ends a text": "a = <<E\nx\nE  \n",
    '"=>" on a new line': "a = { for k, v in b : k\n  => v }\n",
    "a byte order mark": "\ufeffa = 1\n",
    "an argument and a block of one name": "a {\n  b = 1\n  b {\n  }\n}\n",
    "a function's name of two parts": 'a = core::upper("b")\n',
}
PYTHON_HCL2_TAKES = {
    "an argument set twice": "a = 1\na = 2\n",
    "a range of addresses without quotes": "a = 10.11.10.12/32\n",
    "an escape that there is none of": 'a = "\\/"\n',
    "an argument that does not end its line": "a {\n  b = 1 }\n",
}


@pytest.mark.parametrize("kind", [*PYTHON_HCL2_FAILS, *PYTHON_HCL2_TAKES])
def test_where_python_hcl2_differs_go_agrees(kind: str) -> None:
    hcl2 = pytest.importorskip("hcl2")
    text = PYTHON_HCL2_FAILS.get(kind) or PYTHON_HCL2_TAKES[kind]
    try:
        hcl2.loads(text)
        taken = True
    except Exception:
        taken = False
    valid = accepted(text.encode())
    assert (not parse(text).problems) is valid is not taken
