"""Connections of Scrapy that lead to public IP addresses alone, checked when they are made.

Scrapy's agent connects to the addresses that the reactor's resolver gives it, and looks nothing up
again. So the resolver is where they are checked: for every connection, that of a redirect or of
robots.txt as much as the first, and a name that is looked up twice is checked twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Self

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from zope.interface import implementer

from tamis.source import is_public

ALLOW_PRIVATE: Final = "TAMIS_ALLOW_PRIVATE"  # the setting that permits private addresses
_MAX_REFUSED: Final = 10_000


@implementer(IResolutionReceiver)
class _PublicReceiver:
    """Hands on what is resolved when all of it is there, and public."""

    def __init__(self, receiver: Any, host: str, refused: dict[str, str]) -> None:
        self._receiver = receiver
        self._host = host
        self._refused = refused
        self._addresses: list[Any] = []

    def resolutionBegan(self, resolution: object) -> None:  # noqa: N802
        """Hand on that the resolution began."""
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        """Keep an address until all are there."""
        self._addresses.append(address)

    def resolutionComplete(self) -> None:  # noqa: N802
        """Hand on all addresses, or none if one of them is not public."""
        private = [address.host for address in self._addresses if not _is_public(address)]
        if not private:
            for address in self._addresses:
                self._receiver.addressResolved(address)
        else:
            self._refused[self._host] = private[0]
            if len(self._refused) > _MAX_REFUSED:
                self._refused.pop(next(iter(self._refused)))
        self._receiver.resolutionComplete()


def _is_public(address: Any) -> bool:
    """Say whether an address that was resolved is public; what is no IP address is not."""
    if not isinstance(address, IPv4Address | IPv6Address):
        return False
    try:
        return is_public(address.host.partition("%")[0])
    except ValueError:
        return False


@implementer(IHostnameResolver)
class PublicResolver:
    """A resolver for Scrapy (setting TWISTED_DNS_RESOLVER) that gives public IP addresses alone.

    To the agent a host with another address has none. `refused` has these hosts with the address
    that is not public, so that a message can say so.
    """

    def __init__(self, reactor: Any, *, allow_private: bool) -> None:
        self._reactor = reactor
        self._resolver = reactor.nameResolver
        self._allow_private = allow_private
        self.refused: dict[str, str] = {}

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> Self:
        """Return the resolver for a crawler's settings."""
        return cls(reactor, allow_private=crawler.settings.getbool(ALLOW_PRIVATE))

    def install_on_reactor(self) -> None:
        """Make it the resolver of the reactor."""
        self._reactor.installNameResolver(self)

    def resolveHostName(  # noqa: N802
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> Any:
        """Resolve a host, or an IP address, which is looked up as well."""
        receiver: Any = resolutionReceiver
        if not self._allow_private:
            receiver = _PublicReceiver(resolutionReceiver, hostName, self.refused)
        return self._resolver.resolveHostName(
            receiver, hostName, portNumber, addressTypes, transportSemantics
        )
