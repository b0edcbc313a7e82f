"""Ask AWS's own rule engine and write its answers down, so that machines without it compare as well.

    python tests/graph/record_ruler.py CLASSPATH              answer the recorded cases anew
    python tests/graph/record_ruler.py CLASSPATH --add 200    add as many random cases
    python tests/graph/record_ruler.py CLASSPATH --try 50000  compare on random cases, write nothing

CLASSPATH holds event-ruler (Maven: software.amazon.event.ruler:event-ruler) with jackson-core, jackson-databind and
jackson-annotations beside it. Java 11 or later runs the small program below from its source.

Of 100,000 random cases one or two differ, and are meant to: the engine's automaton mixes up bytes where letters of
several bytes meet a wildcard, a suffix or `equals-ignore-case` on the same key (`é` matches the suffix `ß`).
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ORACLE = Path(__file__).with_name("ruler_oracle.json")
VERSION = "2.0.1"

PROGRAM = """
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import software.amazon.event.ruler.Machine;

public class Answers {
    public static void main(String[] args) throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonNode pair = mapper.readTree(line);
            String answer;
            try {
                Machine machine = new Machine();
                machine.addRule("rule", pair.get(0).asText());
                answer = String.valueOf(!machine.rulesForJSONEvent(pair.get(1).asText()).isEmpty());
            } catch (Exception problem) {
                answer = "\\"refused\\"";
            }
            out.println(answer);
        }
    }
}
"""

Case = tuple[str, str]


def ask(classpath: str, cases: list[Case]) -> list[bool | str]:
    """The engine's answers: true, false or "refused"."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "Answers.java")
        program.write_text(PROGRAM)
        lines = "\n".join(json.dumps(case) for case in cases) + "\n"
        done = subprocess.run(
            ["java", "-cp", classpath, str(program)], input=lines, capture_output=True, encoding="utf-8", check=False
        )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(cases):
        sys.exit(f"{len(cases)} questions, {len(answers)} answers\n{done.stderr}")
    return answers


TEXTS = ["", "a", "A", "ab", "aB", "ba", "b", "é", "É", "ß", "😀", "a.b", "10.0.0.1", "::1", "0:0:0:0:0:0:0:1", "1",
         "*", "a*b", "a\\b", "ı", "ǆ", '"a"']  # fmt: skip
NUMBERS = ["1", "1.0", "10e-1", "2", "-1", "-0", "0", "300", "3.0e2", "1.5", "5000000001", "123456789012345678901234"]
SCALARS = ["true", "false", "null"]
KEYS = ["a", "b", "c", "d.e"]


def one(operator: str, operand: str) -> str:
    return f'{{"{operator}": {operand}}}'


def scalar(dice: random.Random) -> str:
    roll = dice.random()
    if roll < 0.55:
        return json.dumps(dice.choice(TEXTS), ensure_ascii=False)
    return dice.choice(NUMBERS) if roll < 0.85 else dice.choice(SCALARS)


def text(dice: random.Random) -> str:
    return json.dumps(dice.choice(TEXTS), ensure_ascii=False)


def event(dice: random.Random, depth: int = 0) -> str:
    members = [f'"{key}": {event_value(dice, depth)}' for key in dice.sample(KEYS, dice.randint(0 if depth else 1, 3))]
    return "{" + ", ".join(members) + "}"


def event_value(dice: random.Random, depth: int) -> str:
    roll = dice.random()
    if depth < 3 and roll < 0.25:
        return event(dice, depth + 1)
    if depth < 3 and roll < 0.5:
        return "[" + ", ".join(event_value(dice, depth + 1) for _ in range(dice.randint(0, 3))) + "]"
    return scalar(dice)


def pattern(dice: random.Random, depth: int = 0) -> str:
    members = [f'"{key}": {pattern_value(dice, depth)}' for key in dice.sample(KEYS, dice.choice([1, 1, 1, 2, 2, 3]))]
    if dice.random() < 0.15 and depth < 3:
        inner = ", ".join(pattern(dice, depth + 1) for _ in range(dice.choice([1, 2, 2, 2, 3])))
        members.insert(dice.randint(0, len(members)), f'"$or": [{inner}]')
    return "{" + ", ".join(members) + "}"


def pattern_value(dice: random.Random, depth: int) -> str:
    roll = dice.random()
    if depth < 3 and roll < 0.3:
        return pattern(dice, depth + 1)
    if roll < 0.31:
        return scalar(dice)
    return "[" + ", ".join(test(dice) for _ in range(dice.choice([1, 1, 1, 2, 3]))) + "]"


def test(dice: random.Random) -> str:
    roll = dice.random()
    if roll < 0.4:
        return scalar(dice)
    if roll < 0.5:
        return one("exists", dice.choice(["true", "false"]))
    if roll < 0.62:
        low = dice.choice(["=", "<", "<=", ">", ">="])
        rest = f', "{dice.choice(["<", "<="])}", {dice.choice(NUMBERS)}' if dice.random() < 0.4 else ""
        return one("numeric", f'["{low}", {dice.choice(NUMBERS)}{rest}]')
    if roll < 0.75:
        return one("anything-but", but(dice))
    if roll < 0.8:
        block = dice.choice(["10.0.0.0/24", "10.0.0.1/31", "::/64", "10.0.0.1/32", "10.0.0.0"])
        return one("cidr", json.dumps(block))
    if roll < 0.86:
        return one("wildcard", json.dumps(dice.choice(["a*", "*b", "*", "a**b", r"a\*b", r"a\b", r"a\\b", ""])))
    name = dice.choice(["prefix", "suffix", "equals-ignore-case", "prefix", "suffix"])
    operand = text(dice)
    if name != "equals-ignore-case" and dice.random() < 0.4:
        operand = one("equals-ignore-case", operand)
    return one(name, operand)


def but(dice: random.Random) -> str:
    roll = dice.random()
    if roll < 0.35:
        return scalar(dice)
    if roll < 0.6:
        return "[" + ", ".join(scalar(dice) for _ in range(dice.randint(0, 3))) + "]"
    name = dice.choice(["prefix", "suffix", "equals-ignore-case", "wildcard"])
    operand = (
        text(dice) if dice.random() < 0.6 else "[" + ", ".join(text(dice) for _ in range(dice.randint(1, 3))) + "]"
    )
    return one(name, operand)


def likely(dice: random.Random, data: dict[str, object]) -> str:
    """A pattern that has a fair chance to match an event."""
    members = []
    for key in dice.sample(sorted(data), dice.randint(1, len(data))):
        value: object = data[key]
        while isinstance(value, list) and value and dice.random() < 0.95:
            value = dice.choice(value)
        if isinstance(value, dict) and value:
            inner = likely(dice, value)
        elif isinstance(value, dict | list):
            inner = '[{"exists": false}]'
        else:
            kept = test(dice) if dice.random() < 0.15 else hit(dice, value)
            inner = "[" + ", ".join([kept] + ([test(dice)] if dice.random() < 0.3 else [])) + "]"
        members.append(f'"{key}": {inner}')
    if dice.random() < 0.1:
        members.append(f'"$or": [{{"d": ["x"]}}, {likely(dice, data)}]')
    return "{" + ", ".join(members) + "}"


def hit(dice: random.Random, value: object) -> str:
    choices = [json.dumps(value, ensure_ascii=False), '{"exists": true}', '{"anything-but": "zz"}']
    if isinstance(value, str):
        cut = dice.randint(0, len(value))
        for name, piece in (("prefix", value[:cut]), ("suffix", value[cut:])):
            plain = json.dumps(piece.swapcase(), ensure_ascii=False)
            choices += [one(name, json.dumps(piece, ensure_ascii=False)), one(name, one("equals-ignore-case", plain))]
        choices.append(one("equals-ignore-case", json.dumps(value.swapcase(), ensure_ascii=False)))
        if "*" not in value and "\\" not in value:
            choices.append(one("wildcard", json.dumps(value[:cut] + "*" + value[cut:][1:], ensure_ascii=False)))
    elif isinstance(value, float | int) and not isinstance(value, bool):
        choices += [one("numeric", f'["=", {value!r}]'), one("numeric", f'["<", {value + 1!r}]')]
    return dice.choice(choices)


def random_cases(count: int, seed: int) -> list[Case]:
    dice = random.Random(seed)
    cases = []
    for number in range(count):
        happening = event(dice)
        cases.append((pattern(dice) if number % 3 == 0 else likely(dice, json.loads(happening)), happening))
    return cases


def compare(classpath: str, count: int, seed: int) -> None:
    """Compare on random cases and print what differs."""
    from test_patterns import our_answer

    cases = random_cases(count, seed)
    tally: dict[str, int] = {}
    for case, theirs in zip(cases, ask(classpath, cases), strict=True):
        tally[str(theirs)] = tally.get(str(theirs), 0) + 1
        ours = our_answer(*case)
        if ours != theirs:
            print(f"pattern {case[0]}\nevent   {case[1]}\n  the engine: {theirs}, here: {ours}")
    print(tally)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("classpath")
    parser.add_argument("--add", type=int, default=0)
    parser.add_argument("--try", type=int, default=0, dest="tried")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.tried:
        compare(options.classpath, options.tried, options.seed)
        return
    recorded = json.loads(ORACLE.read_text(encoding="utf-8"))["cases"] if ORACLE.exists() else []
    cases = [(one["pattern"], one["event"]) for one in recorded]
    cases = list(dict.fromkeys([*cases, *random_cases(options.add, options.seed)]))
    answers = ask(options.classpath, cases)
    rows = [{"pattern": p, "event": e, "answer": a} for (p, e), a in zip(cases, answers, strict=True)]
    body = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    ORACLE.write_text(f'{{"engine": "event-ruler {VERSION}", "cases": [\n{body}\n]}}\n', encoding="utf-8")
    print(f"{len(rows)} cases")


if __name__ == "__main__":
    main()
