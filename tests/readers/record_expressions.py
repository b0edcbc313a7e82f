"""Ask `terraform console` what expressions give, and record the answers for machines without Terraform.

Run it after a change to what is generated: `python tests/readers/record_expressions.py`. The generator is seeded, so
that the expressions are the same each time.
"""

from __future__ import annotations

import base64
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

RECORDING = Path(__file__).with_name("expressions.json")
ERROR = "!"
WANTED = 2600
# The console reads a line of at most 64 KiB and is silent about a longer one.
LONGEST = 50_000
# Terraform tells it from zero, and nobody writes it.
NEGATIVE_ZERO = re.compile(r"-0(?![.\d])")

WRITTEN = r"""
1 + 2 * 3
(1 + 2) * 3
10 / 4
10 % 4
-7 % 3
7 % -3
1 / 3
2 / 3 * 3
1 / 0
"5" + 1
"a" + 1
true + 1
-"3"
!"true"
!true
!1
1 == 1.0
"1" == 1
1 == "1"
true == "true"
null == null
null == ""
1 != 2
"a" == "a"
[] == {}
1 < 2
"2" < 10
"a" < "b"
true && false
true || false
"true" && true
1 && true
null && true
true ? 1 : "a"
false ? 1 : "a"
true ? true : "no"
true ? [1] : ["a"]
true ? [1, 2] : ["a"]
true ? { a = 1 } : { b = 2 }
true ? null : 1
false ? null : [1]
null ? 1 : 2
"true" ? 1 : 2
"x" ? 1 : 2
true ? 1 : 1 / 0
false ? {}.a : 3
"${1}"
"${1}${2}"
"a${true}b"
"a${null}b"
"a${[1]}b"
"${[1]}"
"${{ a = 1 }}"
"${1.50}"
"${1 / 3}"
"${100000000000000000000}"
"${0.1}"
"${0.1 + 0.2}"
"${1.0}"
"${-0.5}"
"${1e3}"
"a\"b\\c\nd\te"
"\u00e9\U0001F600"
"$${not}"
"%%{not}"
"$"
"$$"
"%"
"a$b%c"
"%{ if true }yes%{ else }no%{ endif }"
"%{ if false }yes%{ endif }"
"%{ for x in [1, 2, 3] }${x},%{ endfor }"
"%{ for k, v in { b = 1, a = 2 } }${k}=${v};%{ endfor }"
"a %{ if true ~} b %{~ endif } c"
"a ${~ "x" ~} b"
"a  %{~ for x in [1, 2] ~}  ${x}  %{~ endfor ~}  b"
[1, "a", true, null]
[1, 2, 3][0]
[1, 2, 3][3]
[1, 2, 3][-1]
[1, 2, 3]["1"]
[1, 2, 3][1.5]
{ a = 1 }["a"]
{ a = 1 }.a
{ a = 1 }["b"]
{ a = 1 }.b
{ "a b" = 1 }["a b"]
{ (upper("a")) = 1 }
{ "${"k"}x" = 1 }
{ 1 = 2 }["1"]
{ true = 2 }
{ a = { b = [{ c = 5 }] } }.a.b[0].c
{ a : 1, b : 2 }
{ a = 1, a = 2 }
[{ a = 1 }, { a = 2 }][*].a
[{ a = 1 }, { a = 2 }].*.a
[{ a = [1, 2] }, { a = [3] }][*].a[0]
[[1, 2], [3]][*][0]
[{ a = 1 }, { b = 2 }][*].a
null[*]
"x"[*]
{ a = 1 }[*].a
[][*].a
[for x in [1, 2, 3] : x * 2]
[for x in [1, 2, 3] : x if x > 1]
[for i, x in ["a", "b"] : "${i}${x}"]
[for k, v in { b = 1, a = 2 } : "${k}${v}"]
[for x in toset(["b", "a", "b"]) : x]
[for k, v in toset(["b", "a"]) : k]
{ for x in ["a", "b"] : x => upper(x) }
{ for k, v in { a = 1, b = 2 } : v => k }
{ for x in ["a", "b", "a"] : x => 1 }
{ for x in ["a", "b", "a"] : x => x... }
{ for x in [{ k = "a", v = 1 }, { k = "a", v = 2 }] : x.k => x.v... }
{ for x in [1, 2] : x => x if x != 1 }
{ for x in [null] : x => 1 }
[for x in null : x]
[for x in "abc" : x]
[for x in 5 : x]
[for x in [1, 2] : [for y in [3, 4] : x * y]]
max([1, 2, 3]...)
max(1, [2, 3]...)
concat([[1], [2]]...)
try({}.a, "fallback")
try(1 / 0, null, 5)
try([][0], {}.b, "last")
try({ a = null }.a, 1)
try([1][5], [1][0])
can({}.a)
can(1)
can(1 / 0)
can(tonumber("x"))
lookup({ a = 1 }, "a", 2)
lookup({ a = 1 }, "b", 2)
merge({ a = 1 }, { a = 2, b = 3 }).a
length("héllo")
keys({ b = 1, a = 2 })
values({ b = 1, a = 2 })
coalesce(null, "", "a")
coalesce(null, 5)
tostring(5)
tostring(true)
tonumber("1.50")
tobool("true")
tobool("yes")
toset([3, 1, 2, 1])
tolist(toset(["b", "a"]))
tomap({ a = 1, b = "x" })
tolist([1, "a"])
jsonencode({ b = 1, a = [true, null, "x<y>&z"] })
jsondecode("{\"a\": [1, 2.5, \"x\"]}").a[1]
format("%s-%03d-%v", "a", 5, true)
join(",", ["a", "b"])
split(",", "a,b")
replace("aXbXc", "X", "-")
element(["a", "b", "c"], 4)
flatten([[1, [2]], 3])
distinct(["a", "b", "a"])
one([])
one([5])
one([1, 2])
contains(["a"], "a")
contains([1], "1")
index(["a", "b"], "b")
(true ? { a = 1 } : { a = 2 }).a
(1)
-(-1)
!(!true)
- 5
1 - -1
1 + 1 == 2 && 3 > 2
1 + 2 < 3 || false
true == !false
5 > 3 == true
1 == 1 ? "a" : "b"
false ? 1 : false ? 2 : 3
"a" == "b" ? 1 : "x" == "x" ? 2 : 3
""".strip().splitlines()


class Generator:
    """Random expressions that are mostly sound; some are not, since those must be refused."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names: list[tuple[str, str]] = []

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def any(self, depth: int) -> str:
        kind = self.random.choice(("number", "string", "bool", "list", "map"))
        return str(getattr(self, kind)(depth))

    def bound(self, kind: str) -> str | None:
        names = [name for name, bound in self.names if bound == kind]
        return self.random.choice(names) if names and self.random.random() < 0.5 else None

    def number(self, depth: int) -> str:
        name = self.bound("number")
        if name:
            return name
        if depth <= 0:
            return self.pick("0", "1", "2", "3", "10", "0.5", "1.25", "100", '"7"', "1234567890123", "3.0")
        choice = self.random.randrange(9)
        if choice < 3:
            operator = self.pick("+", "-", "*")
            return f"({self.number(depth - 1)} {operator} {self.number(depth - 1)})"
        if choice == 3:
            # What Terraform makes of a remainder of fractions depends on where the fractions came from.
            operator, divisor = self.pick("/ 3", "/ 7", "/ 0.3", "/ 1.25", "/ -2", "% 2", "% 7", "% -3").split()
            return f"({self.number(depth - 1)} {operator} {divisor})"
        if choice == 4:
            return f"-{self.number(0)}"
        if choice == 5:
            return f"length({self.list(depth - 1)})"
        if choice == 6:
            return f"({self.bool(depth - 1)} ? {self.number(depth - 1)} : {self.number(depth - 1)})"
        if choice == 7:
            return f"{self.pick('max', 'min')}({self.number(depth - 1)}, {self.number(depth - 1)})"
        return f"[{self.number(depth - 1)}, {self.number(depth - 1)}][{self.pick('0', '1', '2')}]"

    def bool(self, depth: int) -> str:
        if depth <= 0:
            return self.pick("true", "false", "true", "false", '"true"')
        choice = self.random.randrange(9)
        if choice < 2:
            return f"({self.number(depth - 1)} {self.pick('<', '<=', '>', '>=')} {self.number(depth - 1)})"
        if choice == 2:
            return f"({self.number(depth - 1)} {self.pick('==', '!=')} {self.number(depth - 1)})"
        if choice == 3:
            return f"({self.string(depth - 1)} {self.pick('==', '!=')} {self.string(depth - 1)})"
        if choice < 6:
            return f"({self.bool(depth - 1)} {self.pick('&&', '||')} {self.bool(depth - 1)})"
        if choice == 6:
            return f"!{self.bool(depth - 1)}"
        if choice == 7:
            return f"can({self.any(depth - 1)})"
        return f"contains({self.list(depth - 1)}, {self.string(0)})"

    def string(self, depth: int) -> str:
        name = self.bound("string")
        if name:
            return name
        if depth <= 0:
            return self.pick('"a"', '"b"', '""', '"x y"', '"é"', '"a\\"b"', '"1"', '"$${x}"', '"tab\\t"', '"a.b"')
        choice = self.random.randrange(9)
        if choice < 3:
            return f'"{self.pick("", "p", "q-")}${{{self.any(depth - 1)}}}{self.pick("", "s", " ")}"'
        if choice == 3:
            inner = f"{self.pick('x', 'y z')}%{{ else }}${{{self.string(depth - 1)}}}"
            return f'"%{{ if {self.bool(depth - 1)} }}{inner}%{{ endif }}"'
        if choice == 4:
            return f'join("{self.pick(",", "-", "")}", {self.list(depth - 1)})'
        if choice == 5:
            return f"{self.pick('upper', 'lower', 'trimspace', 'tostring')}({self.string(depth - 1)})"
        if choice == 6:
            return f"({self.bool(depth - 1)} ? {self.string(depth - 1)} : {self.any(depth - 1)})"
        if choice == 7:
            return f"try({self.map(depth - 1)}.{self.pick('a', 'b', 'zz')}, {self.string(depth - 1)})"
        name = f"t{len(self.names)}"
        collection = self.list(depth - 1)
        self.names.append((name, "string"))
        body = f"${{{self.string(0)}}}"
        self.names.pop()
        return f'"%{{ for {name} in {collection} }}{body};%{{ endfor }}"'

    def list(self, depth: int) -> str:
        if depth <= 0:
            return self.pick('["a", "b"]', "[]", "[1, 2, 3]", '["a", 1, true]', "[null]", '["b", "a", "b"]')
        choice = self.random.randrange(8)
        if choice < 2:
            return f"[{', '.join(self.any(depth - 1) for _ in range(self.random.randrange(4)))}]"
        if choice == 2:
            return f"concat({self.list(depth - 1)}, {self.list(depth - 1)})"
        if choice == 3:
            return f"[{', '.join(self.map(depth - 1) for _ in range(2))}][*].{self.pick('a', 'b')}"
        if choice == 4:
            return f"keys({self.map(depth - 1)})"
        if choice == 5:
            return f"values({self.map(depth - 1)})"
        kind = self.random.choice(("number", "string"))
        source = (
            self.pick("[3, 1, 2]", "[10]") if kind == "number" else self.pick('["x", "y"]', 'toset(["c", "b", "c"])')
        )
        name = f"v{len(self.names)}"
        self.names.append((name, kind))
        result, test = self.any(depth - 1), self.bool(depth - 1)
        self.names.pop()
        suffix = f" if {test}" if self.random.random() < 0.5 else ""
        return f"[for {name} in {source} : {result}{suffix}]"

    def map(self, depth: int) -> str:
        if depth <= 0:
            return self.pick('{ a = 1, b = "x" }', "{}", "{ b = [1], a = 2 }", '{ "k 1" = true }', "{ a = null }")
        choice = self.random.randrange(6)
        if choice < 2:
            keys = self.random.sample(["a", "b", "c", '"d e"', '(upper("f"))'], self.random.randrange(4))
            return "{ " + ", ".join(f"{key} = {self.any(depth - 1)}" for key in keys) + " }"
        if choice == 2:
            return f"merge({self.map(depth - 1)}, {self.map(depth - 1)})"
        if choice == 3:
            return f"({self.bool(depth - 1)} ? {self.map(0)} : {self.map(0)})"
        name, item = f"k{len(self.names)}", f"i{len(self.names)}"
        source = self.map(depth - 1)
        self.names.append((name, "string"))
        value = self.any(depth - 1)
        self.names.pop()
        if self.random.random() < 0.3:
            key = self.pick(name, '"g"')
            return f"{{ for {name}, {item} in {source} : {key} => {value}... }}"
        return f"{{ for {name}, {item} in {source} : {self.pick(name, f'upper({name})')} => {value} }}"


def expressions() -> list[str]:
    """What is asked."""
    found = dict.fromkeys(WRITTEN)
    seed = 0
    while len(found) < WANTED:
        seed += 1
        text = Generator(seed).any(1 + seed % 4)
        if len(text) <= 300:
            found[text] = None
    return list(found)


def ask(batch: list[str], folder: str) -> list[str] | None:
    """The console's answers as JSON texts, or None if it refuses the whole line."""
    guarded = ", ".join(f'try(jsonencode({text}), "{ERROR}")' for text in batch)
    line = f"base64encode(jsonencode([{guarded}]))\n"
    done = subprocess.run(
        ["terraform", "console"],
        input=line.encode(),
        cwd=folder,
        capture_output=True,
        env={**os.environ, "TF_CLI_CONFIG_FILE": "/dev/null", "CHECKPOINT_DISABLE": "1"},
    )
    answer = done.stdout.decode().strip()
    if done.returncode or not answer.startswith('"'):
        return None
    found = json.loads(base64.b64decode(answer.strip('"')))
    assert len(found) == len(batch)
    return list(found)


def collect(batch: list[str], folder: str, answers: dict[str, str]) -> None:
    """Ask for a batch; one that is refused as a whole is halved until the culprit stands alone."""
    size = sum(len(text) + 30 for text in batch)
    found = ask(batch, folder) if size <= LONGEST else None
    if found is not None:
        answers.update((text, one) for text, one in zip(batch, found, strict=True) if not NEGATIVE_ZERO.search(one))
    elif len(batch) > 1:
        middle = len(batch) // 2
        collect(batch[:middle], folder, answers)
        collect(batch[middle:], folder, answers)
    else:
        print("not recorded, the console refuses the line:", batch[0])


def main() -> None:
    if shutil.which("terraform") is None:
        raise SystemExit("terraform is not on the PATH")
    answers: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        collect(expressions(), folder, answers)
    lines = [json.dumps([text, answer], ensure_ascii=False) for text, answer in answers.items()]
    RECORDING.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(f"{len(answers)} answers in {RECORDING.name}")


if __name__ == "__main__":
    main()
