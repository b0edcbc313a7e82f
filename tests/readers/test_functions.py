"""Terraform's functions: what Terraform itself answers, as recorded, and what stays of values that are partly known."""

from __future__ import annotations

import hashlib
import json
import posixpath
import random
import time
from fractions import Fraction
from importlib import import_module
from math import inf

import pytest
from record_functions import FILES, RECORD, STRINGS, calls

from hoplint.model.condition import Atom
from hoplint.model.number import Quantity, Symbol
from hoplint.model.place import Source, Spot
from hoplint.model.resource import Resource, Stack
from hoplint.model.schema import Kind
from hoplint.model.value import Choice, Encoded, Known, Number, Ref, Text, Unknown, Value, quantity
from hoplint.readers import syntax
from hoplint.readers.choices import Invalid
from hoplint.readers.functions import HOMES, call
from hoplint.readers.functions.base import Stop
from hoplint.readers.functions.encoding import encoded_text
from hoplint.readers.hcl import parse_expression

ANSWERS: dict[str, str | None] = json.loads(RECORD.read_text())

# On purpose not computed: each is Unknown, never another answer.
NOT_COMPUTED = {
    # What Python's regular expressions cannot say as Go's do.
    'regex("[[:^alpha:]]+", "12ab")',
    'regex("(?P<1a>a)", "a")',
    'regex("(?U)a+", "aaa")',
    # Values do not tell a null without a type from one that has a type, nor a tuple from a list.
    'format("%v", tostring(null))',
    'format("%v", null)',
    'format("%#v", null)',
    'format("%s", null)',
    'formatlist("%v-%v", ["a"], null)',
    'element(["a", "b"], -1)',
    'element(tolist(["a", "b"]), -1)',
    # Marks are not followed.
    'issensitive("a")',
    # Text that the YAML writer folds, or escapes in its own ways.
    'yamlencode({a = "one of the strings that are much longer than eighty characters, so that a writer folds them"})',
    'yamlencode("  padded \\t\\n")',
    'yamlencode("line\\nline\\r\\n")',
    f'yamlencode("{STRINGS[11]}")',
    # The last digit is not that of C's library.
    "pow(2, 3.5)",
}


class Disk:
    """The files that the recorded calls read."""

    def read_file(self, path: str) -> bytes | None:
        """The bytes of a file."""
        return FILES.get(posixpath.normpath(path))

    def list_folder(self, path: str) -> list[str] | None:
        """The names in the only folder."""
        return sorted(FILES) if posixpath.normpath(path) == "." else None


def evaluate(node: syntax.Node) -> Value:
    """Evaluate what the recorded calls are made of; what is refused inside is refused as a whole."""
    parts = [evaluate(part) for part in _parts(node)]
    wrong = next((part for part in parts if isinstance(part, Invalid)), None)
    if isinstance(node, syntax.Call) and node.name == "can":
        return Known(wrong is None)
    if wrong is not None:
        return wrong
    if isinstance(node, syntax.Literal):
        return Known(node.data)  # type: ignore[arg-type]
    if isinstance(node, syntax.Tuple):
        return Known(parts)
    if isinstance(node, syntax.Object):
        keys = [key.data for key, _ in node.items if isinstance(key, syntax.Literal)]
        return Known({str(key): part for key, part in zip(keys, parts, strict=True)})
    if isinstance(node, syntax.Template):
        return call("join", [Known(""), Known(parts)], Disk())
    if isinstance(node, syntax.Unary | syntax.Binary):
        return Known(number(node))
    assert isinstance(node, syntax.Call)
    if node.expand:
        last = parts.pop()
        assert isinstance(last, Known) and isinstance(last.data, list)
        parts.extend(last.data)
    return call(node.name, parts, Disk())


def _parts(node: syntax.Node) -> list[syntax.Node]:
    if isinstance(node, syntax.Tuple):
        return node.items
    if isinstance(node, syntax.Object):
        return [item for _, item in node.items]
    if isinstance(node, syntax.Template):
        return [syntax.Literal(part, 0, 0) if isinstance(part, str) else part for part in node.parts]
    return node.args if isinstance(node, syntax.Call) else []


def number(node: syntax.Node) -> int | Fraction:
    """Compute what few operations there are."""
    if isinstance(node, syntax.Unary):
        return -number(node.operand)
    if isinstance(node, syntax.Binary):
        left, right = number(node.left), number(node.right)
        return left + right if node.operator == "+" else Fraction(left) / right
    assert isinstance(node, syntax.Literal) and isinstance(node.data, int | Fraction)
    return node.data


def outcome(text: str) -> object:
    """What a call gives: its JSON as data, `refused`, or `unknown`."""
    value = evaluate(parse_expression(text))
    try:
        written = encoded_text(value)
    except Stop as stop:
        value = stop.value
        written = ""
    if isinstance(value, Invalid):
        return "refused"
    if isinstance(value, Unknown):
        return "unknown"
    return json.loads(written, parse_float=Fraction)


def test_record_is_complete() -> None:
    assert list(ANSWERS) == calls()
    assert len(ANSWERS) > 600


def test_every_function_is_found_where_it_stands() -> None:
    for home in set(HOMES.values()):
        table = import_module(f"hoplint.readers.functions.{home}").TABLE
        assert set(table) == {name for name, module in HOMES.items() if module == home}


def test_functions_agree_with_terraform() -> None:
    wrong = []
    for text, answer in ANSWERS.items():
        expected = "refused" if answer is None else json.loads(answer, parse_float=Fraction)
        found = outcome(text)
        if (found == "unknown") is not (text in NOT_COMPUTED):
            wrong.append(f"{text}: {'not ' if found == 'unknown' else ''}computed")
        elif found != "unknown" and (found != expected or isinstance(found, bool) is not isinstance(expected, bool)):
            wrong.append(f"{text}: {found!r}, not {expected!r}")
    if wrong:
        pytest.fail(f"{len(wrong)} disagree:\n" + "\n".join(wrong))


# --------------------------------------------------------------------------------------------- what is partly known

STACK = Stack("root", "terraform", "terraform")
HEAD = Spot(Source("main.tf", b""))
QUEUE = Resource(Kind("sqs.queue"), "aws_sqs_queue", "aws_sqs_queue.q", STACK, HEAD, lambda _: None)
ARN = Ref(QUEUE, "arn")
ENV = Unknown("variable env has no default: pass --var", symbol=Symbol("var.env"))
NAME = Text((ENV, "-Orders"))


def given(name: str, *args: object) -> Value:
    """Call a function with values and plain data."""
    return call(name, [value_of(arg) for arg in args], Disk())


def value_of(data: object) -> Value:
    """Plain data as a value; values stay."""
    if isinstance(data, Value):
        return data
    if isinstance(data, list):
        return Known([value_of(item) for item in data])
    if isinstance(data, dict):
        return Known({key: value_of(item) for key, item in data.items()})
    return Known(data)  # type: ignore[arg-type]


def shape(value: Value) -> object:
    """A value as plain data to compare: what is not known is named."""
    if isinstance(value, Known):
        if isinstance(value.data, list):
            return [shape(item) for item in value.data]
        if isinstance(value.data, dict):
            return {key: shape(item) for key, item in value.data.items()}
        return value.data
    if isinstance(value, Text):
        return tuple(part if isinstance(part, str) else shape(part) for part in value.parts)
    if isinstance(value, Encoded):
        return ("json", shape(value.tree))
    if isinstance(value, Ref):
        return f"<{value.attribute}>"
    if isinstance(value, Invalid):
        return "refused"
    return "?"


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("join", ("-", ["a", ENV, ARN, 1]), ("a-", "?", "-", "<arn>", "-1")),
        ("join", ("", [ENV]), "?"),
        ("join", (",", ENV), "?"),
        ("format", ("%s-%03d-%s", ENV, 7, ARN), ("?", "-007-", "<arn>")),
        ("format", ("%q", ARN), ('"', "<arn>", '"')),
        ("format", ("%5s", ENV), "?"),
        ("formatlist", ("%s/%s", [ARN, "b"], "x"), [("<arn>", "/x"), "b/x"]),
        ("lower", (NAME,), ("?", "-orders")),
        ("upper", (ARN,), "?"),
        ("replace", (NAME, "-", "_"), ("?", "_Orders")),
        ("replace", (NAME, "Or", "or"), "?"),
        ("trimprefix", (Text(("orders-", ENV)), "orders-"), "?"),
        ("trimprefix", (Text(("orders-", ENV)), "x"), ("orders-", "?")),
        ("trimprefix", (NAME, "x"), "?"),
        ("trimsuffix", (NAME, "-Orders"), "?"),
        ("trimsuffix", (NAME, ".fifo"), ("?", "-Orders")),
        ("trimspace", (Text((" ", ARN, " "))), "<arn>"),
        ("startswith", (Text(("orders-", ENV)), "orders"), True),
        ("startswith", (Text(("orders-", ENV)), "x"), False),
        ("startswith", (Text(("orders-", ENV)), "orders-prod"), "?"),
        ("endswith", (NAME, ".fifo"), False),
        ("endswith", (NAME, "Orders"), True),
        ("strcontains", (NAME, "Ord"), True),
        ("strcontains", (NAME, "x"), "?"),
        ("substr", (Text(("orders-", ENV)), 0, 3), "ord"),
        ("substr", (NAME, 0, 3), "?"),
        ("split", (",", NAME), "?"),
        ("length", ([ENV, ARN],), 2),
        ("length", ({"a": ENV},), 1),
        ("merge", ({"a": ENV}, {"b": ARN}, None), {"a": "?", "b": "<arn>"}),
        ("merge", ({"a": 1}, ENV), "?"),
        ("concat", ([ENV], [ARN, 1]), ["?", "<arn>", 1]),
        ("concat", (["a"], ENV), "?"),
        ("lookup", ({"a": 1}, "a", ENV), 1),
        ("lookup", ({"a": 1}, "b", ENV), "?"),
        ("lookup", (ENV, "a", 1), "?"),
        ("flatten", ([[ARN], [1, [NAME]]],), ["<arn>", 1, ("?", "-Orders")]),
        ("flatten", ([ENV],), "?"),
        ("compact", ([ARN, "", "a"],), ["<arn>", "a"]),
        ("compact", ([ENV, ""],), "?"),
        ("coalesce", (None, ARN, "x"), "<arn>"),
        ("coalesce", (ENV, "x"), "?"),
        ("coalesce", ("a", ENV), "a"),
        ("contains", (["a", ENV], "a"), True),
        ("contains", (["a", ENV], "b"), "?"),
        ("contains", ([ARN], ARN), True),
        ("element", ([ARN, ENV], 2), "<arn>"),
        ("element", ([ARN], ENV), "?"),
        ("keys", ({"b": ENV, "a": ENV},), ["a", "b"]),
        ("values", ({"b": ENV, "a": ARN},), ["<arn>", "?"]),
        ("zipmap", (["a"], [ENV]), {"a": "?"}),
        ("one", ([ARN],), "<arn>"),
        ("reverse", ([ARN, 1],), [1, "<arn>"]),
        ("slice", ([ENV, ARN], 1, 2), ["<arn>"]),
        ("chunklist", ([ENV, ARN], 1), [["?"], ["<arn>"]]),
        ("setproduct", (["a"], [ARN]), [["a", "<arn>"]]),
        ("alltrue", ([False, ENV],), False),
        ("alltrue", ([True, ENV],), "?"),
        ("anytrue", ([ENV, True],), True),
        ("distinct", (["a", "a", "b"],), ["a", "b"]),
        ("distinct", ([ENV, "a"],), "?"),
        ("toset", ([ARN, ARN, "a"],), ["<arn>", "a"]),
        ("tolist", ([1, ARN, NAME],), ["1", "<arn>", ("?", "-Orders")]),
        ("tostring", (ENV,), "?"),
        ("tonumber", (ARN,), "?"),
        ("jsonencode", ({"a": ARN, "b": ENV},), ("json", {"a": "<arn>", "b": "?"})),
        ("jsonencode", ("a",), '"a"'),
        ("jsondecode", (Encoded(Known({"a": ARN})),), {"a": "<arn>"}),
        ("yamldecode", (Encoded(Known({"a": ARN})),), {"a": "<arn>"}),
        ("sha256", (Encoded(Known({"a": Known(1)})),), hashlib.sha256(b'{"a":1}').hexdigest()),
        ("sha256", (Encoded(Known({"a": ENV})),), "?"),
        ("base64encode", (NAME,), "?"),
        ("nonsensitive", (ENV,), "?"),
        ("cidrsubnet", (ENV, 8, 1), "?"),
        ("filebase64sha256", ("missing.zip",), "?"),
        ("file", (ENV,), "?"),
        ("fileexists", ("missing.zip",), "?"),
        ("uuid", (), "?"),
        ("timestamp", (), "?"),
        ("bcrypt", ("x",), "?"),
        ("provider::aws::arn_parse", (ARN,), "?"),
        ("upper", (), "refused"),
        ("join", (",", ["a", None]), "refused"),
    ],
)
def test_what_is_partly_known_stays_partly_known(name: str, args: object, expected: object) -> None:
    assert shape(given(name, *(args if isinstance(args, tuple) else (args,)))) == expected


def test_an_unknown_result_says_what_would_make_it_known() -> None:
    found = given("sha256", NAME)
    assert isinstance(found, Unknown) and found.why == ENV.why
    missing = given("filebase64sha256", "build/app.zip")
    assert isinstance(missing, Unknown) and missing.why == "the file build/app.zip cannot be read"
    refused = given("tonumber", "x")
    assert isinstance(refused, Invalid) and refused.why == 'tonumber(): cannot convert "x" to number'


def bounds(value: Value) -> tuple[object, object]:
    """The least and the most that a number can be."""
    found = quantity(value)
    assert found is not None
    return found.interval()


def test_numbers_keep_their_bounds() -> None:
    timeout = Unknown("variable timeout has no default", symbol=Symbol("var.timeout", "", 1, 900))
    double = Number(Quantity(0, {timeout.symbol: 2}))
    assert bounds(given("max", double, 30)) == (30, 1800)
    assert bounds(given("min", double, 30, "20")) == (2, 20)
    assert bounds(given("ceil", Number(Quantity(0, {timeout.symbol: Fraction(1, 2)})))) == (1, 450)
    assert bounds(given("floor", Number(Quantity(0, {timeout.symbol: Fraction(1, 2)})))) == (0, 450)
    assert bounds(given("abs", Number(Quantity(-5, {timeout.symbol: 1})))) == (0, 895)
    assert bounds(given("sum", [timeout, double, 1])) == (4, 2701)
    assert bounds(given("length", Unknown("not known"))) == (0, inf)


def test_the_certain_extreme_stays_what_it_is() -> None:
    timeout = Unknown("variable timeout has no default", symbol=Symbol("var.timeout", "", 1, 900))
    double = Number(Quantity(0, {timeout.symbol: 2}))
    found = quantity(given("max", timeout, double))
    assert found is not None and found.terms == {timeout.symbol: 2}
    assert shape(given("max", timeout, 1000)) == 1000
    assert shape(given("signum", timeout)) == 1


def test_conditions_in_lists_carry_over() -> None:
    prod = Atom("var.env", default="dev").compare("prod")
    found = given("compact", [Choice(prod, Known("a"), Known("")), "b"])
    assert isinstance(found, Choice)
    assert (shape(found.then), shape(found.otherwise)) == (["a", "b"], ["b"])


@pytest.mark.parametrize(
    "text",
    [
        'regex("(a+)+$", "' + "a" * 60 + 'b")',
        'regex("(a|aa)+$", "' + "a" * 60 + 'b")',
        'regex("(a?){60}a{60}", "' + "a" * 60 + '")',
        'regex("x*x*x*x*x*x*y", "' + "x" * 300 + '")',
        'tonumber("1e999999999")',
        'jsondecode("1e999999999")',
        'yamldecode("a: 1e999999999")',
        'format("%999999999d", 1)',
        "setproduct(range(1000), range(1000))",
        'yamldecode("a: &a [x, x]\\nb: &b [*a, *a]\\nc: &c [*b, *b]")',
        "pow(2, 1e300)",
    ],
)
def test_no_call_takes_long(text: str) -> None:
    started = time.process_time()
    evaluate(parse_expression(text))
    assert time.process_time() - started < 2


ANY: tuple[object, ...] = (
    None, "", "a", "-5", "x,y", '{"a": [1]}', "(", "%s-%d", "2020-02-29T00:00:00Z", "10.0.0.0/8", True, False, 0, 3, -1,
    Fraction(5, 2), 10**30, [], ["a", ENV], [1, "b", None], [[ARN], []], {}, {"a": ENV, "b": [1]}, ENV, ARN, NAME,
    Number(Quantity(1, {ENV.symbol: 2})), Encoded(Known({"a": ARN})), Encoded(ENV), Invalid("refused"),
    Known([Known("b"), Known("a")], unordered=True), Known([ARN, ENV], unordered=True), Text((ENV,)),
    Choice(Atom("var.x", boolean=True).compare("true"), Known("a"), ENV),
    Known([Choice(Atom("var.x", boolean=True).compare("true"), Known("a"), Known(None))]),
)  # fmt: skip


@pytest.mark.parametrize("name", sorted(HOMES))
def test_nothing_raises(name: str) -> None:
    draw = random.Random(name)
    for _ in range(400):
        args = [draw.choice(ANY) for _ in range(draw.randrange(5))]
        assert isinstance(given(name, *args), Value)
