"""Functions on ranges of IP addresses."""

from __future__ import annotations

import re

from hoplint.model.value import Value
from hoplint.readers.functions.base import Context, Function, computed, refuse, text, whole
from hoplint.readers.functions.typesystem import listed

_OCTETS = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,4}){3}").fullmatch


class _Network:
    """A range: its first address as a number, the length of its prefix, and how many bits addresses have."""

    __slots__ = ("first", "prefix", "bits")

    def __init__(self, first: int, prefix: int, bits: int) -> None:
        self.first = first
        self.prefix = prefix
        self.bits = bits

    def __str__(self) -> str:
        return f"{_shown(self.first, self.bits)}/{self.prefix}"


def _shown(address: int, bits: int) -> str:
    if bits == 32:
        return ".".join(str(address >> shift & 255) for shift in (24, 16, 8, 0))
    from ipaddress import IPv6Address

    found = IPv6Address(address)
    mapped = found.ipv4_mapped
    return str(mapped) if mapped is not None else found.compressed


def _address(written: str) -> tuple[int, int]:
    if ":" in written:
        from ipaddress import AddressValueError, IPv6Address

        try:
            if "%" in written:
                raise AddressValueError
            return int(IPv6Address(written)), 128
        except AddressValueError:
            raise refuse(f"invalid CIDR expression: {written[:60]}") from None
    # Leading zeros are read as decimal, as Terraform has always read them.
    octets = [int(part) for part in written.split(".")] if _OCTETS(written) else [256]
    if max(octets) > 255:
        raise refuse(f"invalid CIDR expression: {written[:60]}")
    return sum(octet << shift for octet, shift in zip(octets, (24, 16, 8, 0), strict=True)), 32


def _network(written: str) -> _Network:
    address, slash, prefix = written.partition("/")
    if not slash or not prefix.isascii() or not prefix.isdigit() or len(prefix) > 3:
        raise refuse(f"invalid CIDR expression: {written[:60]}")
    number, bits = _address(address)
    length = int(prefix)
    if length > bits:
        raise refuse(f"invalid CIDR expression: {written[:60]}")
    return _Network(number >> (bits - length) << (bits - length), length, bits)


def _cidrhost(args: list[Value], context: Context) -> Value:
    network, host = _network(text(args[0])), whole(args[1])
    size = 1 << (network.bits - network.prefix)
    number = host if host >= 0 else -host - 1
    if number >= size:
        raise refuse(f"prefix of {network.prefix} does not accommodate a host numbered {host}")
    return computed(_shown(network.first + (host if host >= 0 else size + host), network.bits))


def _cidrnetmask(args: list[Value], context: Context) -> Value:
    network = _network(text(args[0]))
    if network.bits != 32:
        raise refuse("IPv6 addresses cannot have a netmask")
    return computed(_shown((1 << 32) - (1 << (32 - network.prefix)), 32))


def _cidrsubnet(args: list[Value], context: Context) -> Value:
    network, more, number = _network(text(args[0])), whole(args[1]), whole(args[2])
    length = network.prefix + more
    if length > network.bits or length < 0:
        raise refuse(f"insufficient address space to extend prefix of {network.prefix} by {more}")
    count = 1 << max(more, 0)
    if number >= count or number < -count:
        raise refuse(f"prefix extension of {more} does not accommodate a subnet numbered {number}")
    number = number if number >= 0 else count + number
    return computed(str(_Network(network.first | number << (network.bits - length), length, network.bits)))


def _cidrsubnets(args: list[Value], context: Context) -> Value:
    network = _network(text(args[0]))
    end = network.first + (1 << (network.bits - network.prefix))
    at = network.first
    found: list[Value] = []
    for arg in args[1:]:
        more = whole(arg)
        if more < 1 or more > 32:
            raise refuse("must extend prefix by one bit at least and 32 at most")
        length = network.prefix + more
        if length > network.bits:
            raise refuse(f"would extend prefix to {length} bits, which is too long for an address")
        size = 1 << (network.bits - length)
        start = -(-at // size) * size
        if start + size > end:
            raise refuse(f"not enough remaining address space for a subnet with a prefix of {length} bits")
        found.append(computed(str(_Network(start, length, network.bits))))
        at = start + size
    return listed(found)


TABLE: dict[str, tuple[Function, int, int | None]] = {
    "cidrhost": (_cidrhost, 2, 2),
    "cidrnetmask": (_cidrnetmask, 1, 1),
    "cidrsubnet": (_cidrsubnet, 3, 3),
    "cidrsubnets": (_cidrsubnets, 1, None),
}
