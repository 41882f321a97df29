"""Connections lead to public addresses alone, at every look-up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from twisted.internet.address import IPv4Address, IPv6Address

from tamis.crawl import PublicResolver


class Names:
    """A name server that gives one answer after the other."""

    def __init__(self, *answers: Sequence[Any]) -> None:
        self.answers = list(answers)

    def resolveHostName(self, receiver: Any, *rest: Any) -> object:  # noqa: N802
        receiver.resolutionBegan(self)
        for address in self.answers.pop(0):
            receiver.addressResolved(address)
        receiver.resolutionComplete()
        return self


class Reactor:
    def __init__(self, names: Names) -> None:
        self.nameResolver: object = names

    def installNameResolver(self, resolver: object) -> None:  # noqa: N802
        self.nameResolver = resolver


class Receiver:
    def __init__(self) -> None:
        self.addresses: list[str] = []
        self.is_complete = False

    def resolutionBegan(self, resolution: object) -> None:  # noqa: N802
        pass

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        self.addresses.append(address.host)

    def resolutionComplete(self) -> None:  # noqa: N802
        self.is_complete = True


def four(host: str) -> IPv4Address:
    return IPv4Address("TCP", host, 80)


def six(host: str) -> IPv6Address:
    return IPv6Address("TCP", host, 80)


def resolve(resolver: PublicResolver, host: str = "name.example") -> list[str]:
    receiver = Receiver()
    resolver.resolveHostName(receiver, host, 80)
    assert receiver.is_complete
    return receiver.addresses


PUBLIC, OTHER = four("93.184.216.34"), six("2606:2800:220:1::1")


def test_public_addresses_are_handed_on() -> None:
    resolver = PublicResolver(Reactor(Names([PUBLIC, OTHER])), allow_private=False)
    assert resolve(resolver) == [PUBLIC.host, OTHER.host]
    assert not resolver.refused


@pytest.mark.parametrize(
    "private",
    [
        four("127.0.0.1"),
        four("10.1.2.3"),
        four("169.254.169.254"),
        four("0.0.0.0"),
        six("::1"),
        six("::ffff:127.0.0.1"),
        six("fe80::1%eth0"),
        six("64:ff9b::7f00:1"),
        four("not an address"),
    ],
)
def test_one_private_address_is_enough_to_refuse_a_host(private: Any) -> None:
    resolver = PublicResolver(Reactor(Names([PUBLIC, private])), allow_private=False)
    assert resolve(resolver) == []
    assert "name.example" in resolver.refused


def test_a_name_that_changes_its_address_is_checked_again() -> None:
    resolver = PublicResolver(Reactor(Names([PUBLIC], [four("127.0.0.1")])), allow_private=False)
    assert resolve(resolver) == [PUBLIC.host]
    assert resolve(resolver) == []


def test_private_addresses_if_they_are_permitted() -> None:
    reactor = Reactor(Names([four("127.0.0.1")]))
    resolver = PublicResolver(reactor, allow_private=True)
    resolver.install_on_reactor()
    assert reactor.nameResolver is resolver
    assert resolve(resolver) == ["127.0.0.1"]
