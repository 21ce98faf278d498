from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from witnessmark.wire.challenge import MAX_CHALLENGES, MAX_FIELD_CHARS, MAX_SCOPES, OTHER, Challenge, parse_challenges

FULL = (
    'Bearer error="insufficient_scope", scope="files:read files:write", '
    'resource_metadata="https://u:SECRET@API.example.com:8443/.well-known/x?token=SECRET#f", '
    'error_description="no, \\"not\\" SECRET"'
)


@pytest.mark.parametrize(
    "field, challenges",
    [
        ("", []),
        (" , ,", []),
        ("Bearer", [Challenge("Bearer")]),
        ("bEARER", [Challenge("Bearer")]),
        ('Basic realm="SECRET, the realm"', [Challenge("Basic")]),
        (
            FULL,
            [Challenge("Bearer", "insufficient_scope", ("files:read", "files:write"), "https://api.example.com:8443")],
        ),
        (
            'Bearer realm="a", error="invalid_token", Basic realm="b", Negotiate U0VDUkVU==, DPoP algs="ES256", error=use_dpop_nonce',
            [Challenge("Bearer", "invalid_token"), Challenge("Basic"), Challenge("Negotiate"), Challenge("DPoP", "use_dpop_nonce")],
        ),
        ("Negotiate, Bearer scope=read", [Challenge("Negotiate"), Challenge("Bearer", None, ("read",))]),
        ('Bearer scope = "a"', [Challenge("Bearer", None, ("a",))]),
        ('Bearer realm="x" error="invalid_token"', [Challenge("Bearer", "invalid_token")]),
        ('Bearer error="SECRET"', [Challenge("Bearer", OTHER)]),
        ('SECRET a="b"', [Challenge(OTHER)]),
        ('Bearer resource_metadata="http://[::1]:80/x"', [Challenge("Bearer", resource_metadata_origin="http://[::1]:80")]),
        ('Bearer resource_metadata="file:///SECRET"', [Challenge("Bearer")]),
        ('Bearer resource_metadata="https://a\\\\b/SECRET"', [Challenge("Bearer")]),
        ('Bearer resource_metadata="https://a.b@SECRET"', [Challenge("Bearer", resource_metadata_origin="https://secret")]),
    ],
)
def test_a_field_says_scheme_error_scopes_and_origin_and_nothing_else(field: str, challenges: list[Challenge]) -> None:
    found = parse_challenges(field)

    assert list(found) == challenges
    assert "SECRET" not in repr(found)


@pytest.mark.parametrize(
    "field, challenge",
    [
        ('Bearer error="invalid_token", scope="never closed, x', Challenge("Bearer", "invalid_token", malformed=True)),
        ("Bearer scope=read write", Challenge("Bearer", None, ("read",), malformed=True)),
        ("Bearer resource_metadata=https://a.example/x", Challenge("Bearer", None, (), "https://a.example", malformed=True)),
        ('Bearer scope="a", scope="b"', Challenge("Bearer", None, ("a",), malformed=True)),
        ('Bearer "stray, text", error="invalid_token"', Challenge("Bearer", "invalid_token", malformed=True)),
        ('Bearer scope="ok caf\u00e9"', Challenge("Bearer", None, ("ok",), malformed=True)),
    ],
)
def test_what_servers_get_wrong_is_marked_and_the_rest_is_read(field: str, challenge: Challenge) -> None:
    assert parse_challenges(field) == (challenge,)


def test_what_is_kept_is_bounded() -> None:
    many = parse_challenges(", ".join(["Basic"] * 100))
    scopes = parse_challenges('Bearer scope="' + "s " * 1000 + '"')[0]
    long = parse_challenges('Bearer realm="' + "x" * MAX_FIELD_CHARS + '"')

    assert len(many) == MAX_CHALLENGES
    assert len(scopes.scopes) == MAX_SCOPES
    assert scopes.malformed
    assert long == (Challenge("Bearer", malformed=True),)


@given(st.text(alphabet='Bearer, ="\\x\u00e9\t/:scope@[]', max_size=60))
def test_any_text_is_parsed_and_nothing_is_raised(field: str) -> None:
    for challenge in parse_challenges(field):
        assert challenge.scheme in {"Bearer", OTHER}
        assert challenge.error in {None, OTHER}
