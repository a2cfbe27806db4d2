"""The certificate over a year, with two replicas and an API server that learn everything late."""

from __future__ import annotations

import datetime as dt
import itertools

import pytest
from cryptography import x509

from kwitness.injector.certificates.issuing import Pair, issue
from kwitness.injector.certificates.rotation import Bundle, Keep, Rules, next_step, serving_pair

NAMES = ["kwitness-injector.kwitness.svc"]
START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
RULES = Rules(names=NAMES, overlap=dt.timedelta(seconds=60), issue=lambda now: issue(NAMES, now, 90 * DAY))


def trusted(certificate: str, told: str) -> bool:
    """Whether an API server that knows these authorities connects."""
    found = x509.load_pem_x509_certificate(certificate.encode())
    for authority in x509.load_pem_x509_certificates(told.encode()) if told else []:
        if authority.subject == found.issuer:
            found.verify_directly_issued_by(authority)
            return True
    return False


class World:
    """A Secret, a webhook configuration, and what everybody remembers of them."""

    def __init__(self) -> None:
        self.now = START
        self.data: dict[str, str] = {}
        self.told = ""
        self.served: list[Pair | None] = [None, None]
        self.made = 0

    def look(self, replica: int) -> None:
        """One round of a replica."""
        for _ in range(4):
            self.served[replica] = serving_pair(self.data, self.now, NAMES) or self.served[replica]
            match next_step(self.data, self.told, self.now, RULES):
                case Keep(data, _):
                    self.data = dict(data)
                    self.made += 1
                case Bundle(authorities):
                    self.told = authorities
                case None:
                    return


def test_a_first_certificate_is_made_and_told_in_one_round() -> None:
    world = World()

    world.look(0)

    assert world.served[0] is not None
    assert world.told == world.served[0].authority
    assert next_step(world.data, world.told, world.now, RULES) is None


def test_whoever_serves_is_trusted_at_every_moment_of_a_year() -> None:
    world, turns = World(), itertools.cycle((0, 1, 1, 0, 1, 0, 0))
    world.look(0)
    world.look(1)
    known = world.told
    for _ in range(300):
        # Mostly nothing happens for a day; when something does, the next looks follow within seconds.
        quiet = next_step(world.data, world.told, world.now, RULES) is None and "next.crt" not in world.data
        world.now += DAY * 1.5 if quiet else dt.timedelta(seconds=20)
        known = world.told  # An API server knows after 20 s at most.
        world.look(next(turns))
        for pair in world.served:
            assert pair is not None
            assert trusted(pair.certificate, known)
            assert trusted(pair.certificate, world.told)
    assert world.now > START + 365 * DAY
    assert world.made > 8


def test_both_replicas_serve_the_same_once_both_have_looked() -> None:
    world = World()
    for _, replica in itertools.product(range(2), range(2)):
        world.look(replica)

    assert world.served[0] == world.served[1]
    assert world.made == 1


@pytest.mark.parametrize("spoilt", ["tls.crt", "tls.key", "ca.crt"])
def test_a_certificate_that_somebody_spoilt_is_replaced(spoilt: str) -> None:
    world = World()
    world.look(0)
    before = world.data
    other = issue(NAMES, START, 90 * DAY)

    for wrong in ("", "no PEM", dict(zip(("tls.crt", "tls.key", "ca.crt"), other, strict=True))[spoilt]):
        world.data = {**before, spoilt: wrong}
        world.look(0)

        assert serving_pair(world.data, world.now, NAMES) is not None
        assert world.told == world.data["ca.crt"]


def test_a_certificate_for_other_names_or_of_another_time_is_replaced() -> None:
    for names, made in ((["another.svc"], START), (NAMES, START - 91 * DAY), (NAMES, START + DAY)):
        world = World()
        world.data = dict(zip(("tls.crt", "tls.key", "ca.crt"), issue(names, made, 90 * DAY), strict=True))
        world.look(0)

        assert serving_pair(world.data, START, NAMES) is not None
        assert world.served[0] is not None


def test_what_somebody_wrote_over_the_authorities_is_told_again() -> None:
    world = World()
    world.look(0)
    told, world.told = world.told, "nonsense"

    world.look(1)

    assert world.told == told


def test_a_key_is_not_shown() -> None:
    assert "PRIVATE" not in repr(issue(NAMES, START, DAY))
