"""What a role has to be allowed so that a hop works: who uses which role, for which actions, on what."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hoplint.graph import names, strangers
from hoplint.graph.graph import Graph
from hoplint.graph.hops import FailTo, Hop, Poll, Push
from hoplint.graph.roles import Alternatives, role_of
from hoplint.graph.texts import parts_of
from hoplint.model.embedded import document
from hoplint.model.inquiry import doubt, settle
from hoplint.model.resource import Resource, field
from hoplint.model.value import Known, Ref, Text, Unknown, Value, branches, is_null, join_text, text_parts

READS: dict[str, tuple[Alternatives, ...]] = {
    "sqs.queue": ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"),
    "dynamodb.table": ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"),
    "kinesis.stream": (
        "kinesis:GetRecords", "kinesis:GetShardIterator", ("kinesis:DescribeStream", "kinesis:DescribeStreamSummary"),
    ),
}  # fmt: skip
SENDS: dict[str, tuple[Alternatives, ...]] = {
    "sqs.queue": ("sqs:SendMessage",),
    "sns.topic": ("sns:Publish",),
    "lambda.function": ("lambda:InvokeFunction",),
    "states.machine": ("states:StartExecution",),
    "events.bus": ("events:PutEvents",),
    "kinesis.stream": (("kinesis:PutRecord", "kinesis:PutRecords"),),
    "s3.bucket": ("s3:PutObject",),
}


class Need:
    """A hop (or a task of a workflow) that works only if a role may do something.

    `user` is what uses the role, `actions` are wanted on `resource`; `does` says what for.
    """

    __slots__ = ("user", "role", "actions", "resource", "target", "hop", "does", "setting")

    def __init__(
        self, user: Resource, role: Resource, actions: tuple[Alternatives, ...], resource: Value,
        target: Resource | None, hop: Hop | Resource, does: str, setting: str | None,
    ) -> None:  # fmt: skip
        self.user = user
        self.role = role
        self.actions = actions
        self.resource = resource
        self.target = target
        self.hop = hop
        self.does = does
        self.setting = setting


    @property
    def end(self) -> str:
        """What the role is to reach, in words."""
        return self.target.address if self.target is not None else "its target"

    @property
    def via(self) -> Resource:
        """What declares the hop."""
        return self.hop.via if isinstance(self.hop, Hop) else self.user


def needs(graph: Graph) -> Iterator[Need]:
    """Everything that a role has to be allowed, in each scenario that matters."""
    for poll in graph.each(hop for hop in graph.hops(Poll)):
        yield from _of_poll(graph, poll)
    for push in graph.each(hop for hop in graph.hops(Push)):
        yield from _of_push(graph, push)
    for failure in graph.each(hop for hop in graph.hops(FailTo)):
        yield from _of_failure(graph, failure)
    for machine in graph.each(graph.of("states.machine")):
        yield from _of_machine(graph, machine)


def service_in(arn: Value) -> str:
    """The service in an ARN, as far as its beginning is known."""
    parts = parts_of(arn)
    text = "".join(part if isinstance(part, str) else "\0" for part in parts)
    pieces = text.split(":")
    return pieces[2] if len(pieces) > 3 and pieces[0] == "arn" and "\0" not in pieces[2] else ""


def _of_poll(graph: Graph, poll: Hop) -> Iterator[Need]:
    via, source, to = poll.via, poll.source, poll.to
    pipe = via.kind.name == "pipes.pipe"
    user = via if pipe else to
    if user.elsewhere:
        return
    role = role_of(graph, user)
    if role is None:
        return
    if source.kind.name in READS:
        resource = settle(via.raw("source"))
        # A queue of this run is meant by its ARN however it is written.
        if not source.elsewhere and source.kind.name != "dynamodb.table":
            resource = Ref(source, "arn")
        yield Need(user, role, READS[source.kind.name], resource, source, poll, "read from", None)
    if not pipe:
        return
    yield from _send(graph, via, role, "target", to, poll, _pipe_actions(via, to))
    for function in graph.ends(via, "enrichment", "lambda.function")[:1]:
        yield from _send(graph, via, role, "enrichment", function, poll, SENDS["lambda.function"])


def _pipe_actions(pipe: Resource, to: Resource) -> tuple[Alternatives, ...]:
    if to.kind.name == "states.machine":
        invocation = pipe.get("machine_invocation")
        if not isinstance(invocation, Known):
            return ()
        if invocation.data == "REQUEST_RESPONSE":
            # With a standard workflow the pipe is refused for another reason.
            return ("states:StartSyncExecution",)
    return SENDS.get(to.kind.name, ())


def _of_push(graph: Graph, push: Hop) -> Iterator[Need]:
    via = push.via
    if via.kind.name == "events.target":
        setting = "arn"
    elif via.kind.name == "scheduler.schedule":
        setting = "target"
    else:
        return
    role = role_of(graph, via)
    if role is not None:
        yield from _send(graph, via, role, setting, push.to, push, SENDS.get(push.to.kind.name, ()))


_FAILS = {
    "lambda.event_source_mapping": "on_failure",
    "lambda.invoke_config": "on_failure",
    "lambda.function": "dlq",
    "scheduler.schedule": "dlq",
}


def _of_failure(graph: Graph, failure: Hop) -> Iterator[Need]:
    via, to = failure.via, failure.to
    kind = via.kind.name
    if kind == "pipes.pipe":
        user: Resource | None = via
        setting = "dynamodb_dlq" if not is_null(settle(via.raw("dynamodb_dlq"))) else "kinesis_dlq"
    elif kind == "lambda.event_source_mapping":
        if failure.source.kind.name == "sqs.queue":
            # Nothing is ever sent there: a queue's mapping has no failure destination.
            return
        functions = graph.ends(via, "function", "lambda.function")
        user, setting = (functions[0] if functions else None), "on_failure"
    elif kind in ("lambda.invoke_config", "lambda.function"):
        user, setting = failure.source, _FAILS[kind]
    elif kind == "scheduler.schedule":
        user, setting = via, "dlq"
    else:
        return
    if user is None or user.elsewhere:
        return
    role = role_of(graph, user)
    if role is not None:
        yield from _send(graph, user, role, setting, to, failure, SENDS.get(to.kind.name, ()), via)


def _send(
    graph: Graph, user: Resource, role: Resource, setting: str, to: Resource, hop: Hop,
    actions: tuple[Alternatives, ...], via: Resource | None = None,
) -> Iterator[Need]:  # fmt: skip
    if not actions or to.kind is strangers.TARGET:
        return
    value = settle((via or user).raw(setting))
    if isinstance(value, Unknown) or is_null(value):
        return
    resource = _arn(value, to)
    if resource is None:
        doubt(f"on which resource {role.address} needs {actions[0]} is not known", user, value.site)
        return
    does = {"lambda.function": "invoke", "states.machine": "start"}.get(to.kind.name, "send to")
    yield Need(user, role, actions, resource, to, hop, does, setting)


def _arn(value: Value, to: Resource) -> Value | None:
    """The ARN that is asked for; a function keeps the alias or version that is named."""
    if to.kind.name == "s3.bucket":
        return join_text([*parts_of(names.expand(Ref(to, "arn"))), "/aws/lambda/key"])
    if to.kind.name != "lambda.function":
        return value if to.elsewhere else Ref(to, "arn")
    if isinstance(value, Ref) and value.attribute == "name":
        return Ref(value.target, "arn")
    parts = parts_of(names.expand(value))
    last = parts[-1] if parts else ""
    if isinstance(last, str) and last.endswith(":$LATEST"):
        return None
    first = parts[0] if parts else ""
    return value if isinstance(value, Ref) or (isinstance(first, str) and first.startswith("arn:")) else None


# --- workflows ------------------------------------------------------------------------------------------------------

_TASKS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "lambda:invoke": ("FunctionName", ("lambda.function", "lambda.alias", "lambda.version"), "lambda.function"),
    "sqs:sendMessage": ("QueueUrl", ("sqs.queue",), "sqs.queue"),
    "sns:publish": ("TopicArn", ("sns.topic",), "sns.topic"),
    "states:startExecution": ("StateMachineArn", ("states.machine",), "states.machine"),
}


def _of_machine(graph: Graph, machine: Resource) -> Iterator[Need]:
    definition = machine.get("definition")
    if machine.elsewhere or is_null(definition) or isinstance(definition, Unknown):
        return
    tree = settle(document(definition))
    if isinstance(tree, Unknown):
        doubt(tree.why, machine, machine.site("definition"))
        return
    tasks = list(_tasks(tree))
    if not tasks:
        return
    role = role_of(graph, machine)
    if role is None:
        return
    seen: set[tuple[Resource, object]] = set()
    for state, task in tasks:
        resource = _substituted(machine, settle(field(task, "Resource")))
        text = _literal(resource)
        _, marker, name = text.partition(":states:::")
        if marker:
            entry = _TASKS.get(name.partition(".")[0])
            if entry is None:
                continue
            setting, kinds, kind = entry
            given = next(
                (found for group in ("Parameters", "Arguments")
                 if not is_null(found := settle(field(settle(field(task, group)), setting)))), None,
            )  # fmt: skip
            if given is None:
                continue
            value = _substituted(machine, given)
        elif strangers.service_in(names.expand(resource)) == "lambda" or isinstance(resource, Ref):
            value, kinds, kind = resource, ("lambda.function", "lambda.alias", "lambda.version"), "lambda.function"
        else:
            continue
        target = names.resolve(value, [one for one in graph.of(*kinds) if graph.joined(one.stack, machine.stack)])
        if target.certain is None or target.certain.elsewhere:
            continue
        arn = _task_arn(value, target.certain, target.qualifier)
        if arn is None or (target.certain, kind) in seen:
            continue
        seen.add((target.certain, kind))
        does = {"lambda.function": "invoke", "states.machine": "start"}.get(kind, "send to")
        ends = target.certain if target.certain.kind.name == kind else None
        yield Need(machine, role, SENDS[kind], arn, ends, machine, f"{does} (state {state})", "definition")


def _task_arn(value: Value, target: Resource, qualifier: Value | None) -> Value | None:
    if target.kind.name != "lambda.function":
        return Ref(target, "arn")
    if qualifier is None:
        return Ref(target, "arn")
    if isinstance(qualifier, Known) and qualifier.data == "$LATEST":
        # Which of the two ARNs is asked for then is not documented.
        return None
    return join_text([*parts_of(names.expand(Ref(target, "arn"))), ":", *parts_of(names.expand(qualifier))], value.site)


def _tasks(tree: Value, depth: int = 0) -> Iterator[tuple[str, Value]]:
    """The tasks of a workflow, with the names of their states."""
    states = settle(field(tree, "States"))
    if depth > 8 or not isinstance(states, Known) or not isinstance(states.data, dict):
        return
    for name, state in states.data.items():
        state = settle(state)
        kind = settle(field(state, "Type"))
        if isinstance(kind, Known) and kind.data == "Task":
            yield name, state
        for inner in ("Iterator", "ItemProcessor"):
            yield from _tasks(settle(field(state, inner)), depth + 1)
        for branch, _ in branches(field(state, "Branches")):
            for item in branch.data if isinstance(branch, Known) and isinstance(branch.data, list) else ():
                yield from _tasks(settle(item), depth + 1)


def _literal(value: Value) -> str:
    """The text of a task's resource; its partition may be open."""
    if isinstance(value, Known):
        return value.data if isinstance(value.data, str) else ""
    return "".join(part if isinstance(part, str) else "" for part in value.parts) if isinstance(value, Text) else ""


def _substituted(machine: Resource, value: Value) -> Value:
    """What a definition's substitutions write for `${Name}`, alone or within a text."""
    return _each_part(value, lambda name: field(machine.raw("substitutions"), name))


def _each_part(value: Value, find: Callable[[str], Value]) -> Value:
    parts = text_parts(value)
    if parts is None or not any(isinstance(part, str) and "${" in part for part in parts):
        return value
    pieces: list[str | Value] = []
    for part in parts:
        if not isinstance(part, str):
            pieces.append(part)
            continue
        rest = part
        while "${" in rest:
            before, _, rest = rest.partition("${")
            name, _, rest = rest.partition("}")
            found = settle(find(name))
            pieces.append(before)
            pieces.append(Unknown(f"what {name} stands for is not known", value.site) if is_null(found) else found)
        pieces.append(rest)
    flat: list[str | Value] = []
    for piece in pieces:
        if isinstance(piece, str):
            flat.append(piece)
        else:
            flat.extend(text_parts(piece) or (piece,))
    only = [piece for piece in flat if isinstance(piece, Value) or piece]
    return only[0] if len(only) == 1 and isinstance(only[0], Value) else join_text(only, value.site, value.through)
