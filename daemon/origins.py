"""Where a request comes from and by which name it asks: the guard against pages of other sites, on loopback too.

A page elsewhere can make a browser send us requests, and can make its own name point at us (DNS rebinding). So the
name must be ours or an address, and what a browser says of the page must name ourselves.
"""

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException

_SITES = ("same-origin", "none")
SAFE = ("GET", "HEAD", "OPTIONS")


class Origins:
    """Knows our own names: `hosts`, localhost, and any literal address, which no DNS answer can forge."""

    def __init__(self, hosts: tuple[str, ...] = ()) -> None:
        self._hosts = frozenset(host.lower().rstrip(".") for host in hosts) | {"localhost"}

    def check(self, method: str, path: str, headers: Mapping[str, str]) -> None:
        """Refuse with 421 a name that is not ours, and with 403 what a page of another site asks."""
        host = headers.get("host", "")
        if not self._ours(host):
            raise HTTPException(421, f"host {host!r:.100} is none of ours; add it to http.hosts if it is meant")
        origin = headers.get("origin")
        if origin is not None and not _same(origin, host):
            raise HTTPException(403, f"origin {origin!r:.100} is another site; only our own pages may ask")
        site, mode = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-mode", "")
        leads_here = method in SAFE and mode == "navigate" and not path.startswith("/v1")
        if site not in _SITES and not leads_here:
            raise HTTPException(403, "another site's page asks; only our own pages may")

    def check_cookie(self, method: str, headers: Mapping[str, str]) -> None:
        """Refuse what would change something by the cookie alone, unless the browser says that our page asks."""
        if method not in SAFE and "origin" not in headers and headers.get("sec-fetch-site") != "same-origin":
            raise HTTPException(403, "a cookie alone changes nothing: send Origin, or a bearer token")

    def _ours(self, host: str) -> bool:
        name = _name(host)
        if name in self._hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def _name(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _same(origin: str, host: str) -> bool:
    try:
        return urlsplit(origin).netloc.lower() == host.lower() != ""
    except ValueError:
        return False
