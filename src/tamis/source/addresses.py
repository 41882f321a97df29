"""Addresses: what a host name stands for, and which of that a fetch may connect to."""

from __future__ import annotations

import queue
import socket
import threading
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from tamis.errors import FetchError

# Not public, though `is_global` of some Python versions says so: protocol assignments (with the
# metadata service of a cloud), 6to4 relays and the inner service of a cloud; then Teredo,
# documentation and 6to4.
_NOT_PUBLIC_4 = ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32")
_NOT_PUBLIC_6 = ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
_PUBLIC_6 = "2000::/3"
_NAT64 = "64:ff9b::/96"


def resolved(host: str, port: int, timeout: float) -> list[str]:
    """All addresses of a host, in the order to try them; FetchError if there are none in time."""
    answers: queue.SimpleQueue[list[str] | Exception] = queue.SimpleQueue()
    # The resolver takes no time-out, so it is asked in a thread that can be left behind.
    asking = threading.Thread(target=_ask, args=(host, port, answers), daemon=True)
    asking.start()
    try:
        answer = answers.get(timeout=max(timeout, 0))
    except queue.Empty:
        raise FetchError(f"host {host} was not found in time: try again later") from None
    if isinstance(answer, Exception):
        raise FetchError(f"host {host} was not found ({answer}): check the URL") from answer
    return answer


def _ask(host: str, port: int, answers: queue.SimpleQueue[list[str] | Exception]) -> None:
    """Put the addresses of a host, or why there are none, into `answers`."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        answers.put(list(dict.fromkeys(str(info[4][0]) for info in found)))
    except (OSError, ValueError, OverflowError) as error:
        answers.put(error)


def is_public(address: str) -> bool:
    """Whether `address` belongs to a machine on the public internet, as far as its number tells."""
    ip = ip_address(address)
    return _is_public_4(ip) if isinstance(ip, IPv4Address) else _is_public_6(ip)


def _is_public_4(ip: IPv4Address) -> bool:
    special = ip.is_multicast or ip.is_reserved or any(ip in ip_network(n) for n in _NOT_PUBLIC_4)
    return ip.is_global and not special


def _is_public_6(ip: IPv6Address) -> bool:
    # Two kinds of IPv6 addresses are an IPv4 address in disguise: the latter counts.
    if ip.ipv4_mapped is not None:
        return _is_public_4(ip.ipv4_mapped)
    if ip in ip_network(_NAT64):
        return _is_public_4(IPv4Address(int(ip) & 0xFFFFFFFF))
    special = any(ip in ip_network(network) for network in _NOT_PUBLIC_6)
    return ip in ip_network(_PUBLIC_6) and ip.is_global and not special
