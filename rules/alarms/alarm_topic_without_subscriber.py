"""Alarms are sent to a topic that nobody is subscribed to.

## Why it matters
The alarm has an action, the action works, and the message is dropped: a topic without a subscription keeps nothing.
An e-mail or web address gets nothing either until its owner has confirmed the subscription.

## How to fix
Subscribe somebody: a pager, a chat function, a queue that is read. After the deployment, confirm e-mail and web
addresses.

## References
- https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html
- https://docs.aws.amazon.com/sns/latest/dg/SendMessageToHttp.confirm.html
"""

from hoplint.api import (
    Absent,
    Category,
    Finding,
    Found,
    Graph,
    Hop,
    Iterator,
    Known,
    Missing,
    Notify,
    Resource,
    Severity,
    Tier,
    alarms,
    at,
    consumers,
    possibly,
    rule,
    settle,
)

CONFIRMED_BY_HAND = ("email", "email-json", "http", "https")


@rule(
    id="alarm-topic-without-subscriber",
    code=304,
    category=Category.BLINDSPOT,
    severity=Severity.WARNING,
    since="0.1",
    asks=(Notify,),
)
def check(graph: Graph) -> Iterator[Finding]:
    """Look for the subscriptions of each topic that alarms are sent to."""
    for topic in graph.each(alarms.topics(graph)):
        senders = alarms.senders(graph, topic)
        if not senders or topic.elsewhere:
            continue
        if topic in graph.exported:
            graph.cannot_tell(f"{topic.address} is handed out of its stack, others may subscribe", topic)
            continue
        subscribed = alarms.subscriptions(graph, topic)
        loose = graph.loose_parts(topic, "sns.subscription")
        trail = (at(senders[0].source, "is sent there", "alarm_actions"),)
        answer = graph.answer(topic, subscribed, loose)
        if isinstance(answer, Absent):
            yield Missing(
                f"{senders[0].source.address} is sent here, and nobody is subscribed",
                at(topic, "has no subscription"),
                answer,
                trail=trail,
                hop=senders[0],
            )
        elif isinstance(answer, Found) and all(unconfirmed(hop) for hop in subscribed if consumers.there(hop)):
            answer = graph.answer(topic, [hop for hop in subscribed if not unconfirmed(hop)], loose)
            if isinstance(answer, Absent):
                yield Missing(
                    f"{senders[0].source.address} is sent here, and only to addresses that must be confirmed by hand",
                    at(topic, "is silent until somebody confirms"),
                    answer,
                    trail=(*trail, *(at(hop.via, "waits to be confirmed", "protocol") for hop in subscribed)),
                    severity=Severity.INFO,
                    tier=Tier.PEDANTIC,
                    hop=senders[0],
                )


def unconfirmed(hop: Hop) -> bool:
    """Whether a subscription certainly waits for somebody to confirm it."""
    protocol = settle(hop.via.raw("protocol"))
    by_hand = isinstance(protocol, Known) and protocol.data in CONFIRMED_BY_HAND
    return by_hand and not possibly_automatic(hop.via)


def possibly_automatic(subscription: Resource) -> bool:
    """Whether an endpoint may confirm by itself, as its author says (Terraform)."""
    return possibly(subscription.flag("auto_confirms"))
