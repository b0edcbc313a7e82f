"""Functions on dates and times: RFC 3339 timestamps, Go's durations, Terraform's date formats."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction

from hoplint.model.value import Unknown, Value
from hoplint.readers.functions.base import Context, Function, Stop, computed, refuse, text

_STAMP = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))").fullmatch
_DURATION = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)")
_NANOSECONDS = {
    "ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9,
}  # fmt: skip
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_TOKEN = re.compile(r"'(?:''|[^'])*'|'.*|([A-Za-z])\1*|[^'A-Za-z]+", re.DOTALL)


def _parsed(written: str) -> tuple[datetime, int]:
    """A timestamp, and its nanoseconds apart."""
    found = _STAMP(written)
    if found is None or not written.isascii():
        raise refuse("not a valid RFC3339 timestamp")
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    nanoseconds = int((found.group(7) or "0").ljust(9, "0")[:9])
    zone = UTC
    if found.group(8):
        hours, minutes = int(found.group(9)), int(found.group(10))
        if hours > 23 or minutes > 59:
            raise refuse("not a valid RFC3339 timestamp")
        offset = timedelta(hours=hours, minutes=minutes)
        zone = timezone(-offset if found.group(8) == "-" else offset)
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=zone), nanoseconds
    except ValueError:
        if year == 0:
            raise Stop(Unknown("the year 0 is not computed with")) from None
        raise refuse("not a valid RFC3339 timestamp") from None


def _zone(moment: datetime, colon: bool) -> str:
    offset = moment.utcoffset() or timedelta()
    minutes = int(offset.total_seconds()) // 60
    sign, minutes = ("-", -minutes) if minutes < 0 else ("+", minutes)
    return f"{sign}{minutes // 60:02d}{':' if colon else ''}{minutes % 60:02d}"


def _utc(moment: datetime) -> bool:
    return not moment.utcoffset()


def _printed(moment: datetime) -> str:
    stamp = (
        f"{moment.year:04d}-{moment.month:02d}-{moment.day:02d}"
        f"T{moment.hour:02d}:{moment.minute:02d}:{moment.second:02d}"
    )
    return stamp + ("Z" if _utc(moment) else _zone(moment, True))


def _duration(written: str) -> int:
    """A duration in nanoseconds."""
    body = written[1:] if written[:1] in ("+", "-") else written
    if body == "0":
        return 0
    total, at = Fraction(0), 0
    while at < len(body):
        found = _DURATION.match(body, at)
        if found is None:
            break
        total += Fraction(found.group(1)) * _NANOSECONDS[found.group(2)]
        at = found.end()
    if not body or at < len(body) or total >= 2**63:
        raise refuse(f'invalid duration "{written[:40]}"')
    return -int(total) if written.startswith("-") else int(total)


def _timeadd(args: list[Value], context: Context) -> Value:
    moment, nanoseconds = _parsed(text(args[0]))
    seconds, _ = divmod(nanoseconds + _duration(text(args[1])), 10**9)
    try:
        return computed(_printed(moment + timedelta(seconds=seconds)))
    except OverflowError:
        raise Stop(Unknown("the time lies too far away to be computed")) from None


def _timecmp(args: list[Value], context: Context) -> Value:
    first, second = _parsed(text(args[0])), _parsed(text(args[1]))
    return computed((first > second) - (first < second))


def _formatdate(args: list[Value], context: Context) -> Value:
    template = text(args[0])
    moment, _ = _parsed(text(args[1]))
    done = []
    for found in _TOKEN.finditer(template):
        token = found.group()
        if token[0] == "'":
            if len(token) == 1 or not token.endswith("'") or (len(token) > 2 and token.count("'") % 2):
                raise refuse("unterminated literal '")
            done.append("'" if len(token) == 2 else token[1:-1].replace("''", "'"))
        elif found.group(1):
            done.append(_verb(token, moment))
        else:
            done.append(token)
    return computed("".join(done))


def _verb(token: str, moment: datetime) -> str:
    hour = moment.hour % 12 or 12
    known = {
        "YY": f"{moment.year % 100:02d}", "YYYY": f"{moment.year:04d}",
        "M": str(moment.month), "MM": f"{moment.month:02d}",
        "MMM": _MONTHS[moment.month - 1][:3], "MMMM": _MONTHS[moment.month - 1],
        "D": str(moment.day), "DD": f"{moment.day:02d}",
        "EEE": _DAYS[moment.weekday()][:3], "EEEE": _DAYS[moment.weekday()],
        "h": str(moment.hour), "hh": f"{moment.hour:02d}", "H": str(hour), "HH": f"{hour:02d}",
        "AA": "AM" if moment.hour < 12 else "PM", "aa": "am" if moment.hour < 12 else "pm",
        "m": str(moment.minute), "mm": f"{moment.minute:02d}", "s": str(moment.second), "ss": f"{moment.second:02d}",
        "Z": "Z" if _utc(moment) else _zone(moment, True), "ZZZ": "UTC" if _utc(moment) else _zone(moment, False),
        "ZZZZ": _zone(moment, False), "ZZZZZ": _zone(moment, True),
    }  # fmt: skip
    if token not in known:
        raise refuse(f'invalid date format verb "{token[:20]}"')
    return known[token]


def _now(args: list[Value], context: Context) -> Value:
    raise Stop(Unknown("the time of the run is not known"))


TABLE: dict[str, tuple[Function, int, int | None]] = {
    "formatdate": (_formatdate, 2, 2),
    "plantimestamp": (_now, 0, 0),
    "timeadd": (_timeadd, 2, 2),
    "timecmp": (_timecmp, 2, 2),
    "timestamp": (_now, 0, 0),
}
