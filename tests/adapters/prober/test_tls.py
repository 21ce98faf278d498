"""Over TLS a certificate must be vouched for; the machine's own authorities do that, SSL_CERT_FILE included."""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
from pathlib import Path

import pytest

from adapters.prober.raw_http import Exchange, RawServer, serving
from witnessmark.adapters.prober import capture
from witnessmark.model.capture import Capture, Launch

x509 = pytest.importorskip("cryptography.x509", reason="comes with the official SDK")


def certificate(folder: Path) -> Path:
    """A key and a certificate for 127.0.0.1 that vouches for itself, in one file."""
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = folder / "both.pem"
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path


def modern(one: Exchange) -> None:
    if one.asked.method == "server/discover":
        one.result({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}})
    else:
        one.result({"tools": [{"name": "echo", "inputSchema": {}}]})


def probed(pem: Path) -> tuple[Capture, RawServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    with serving(modern, context) as server:
        return capture(Launch(url=server.url), "raw"), server


def test_a_certificate_that_nobody_vouches_for_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    found, server = probed(certificate(tmp_path))
    assert found.reason.startswith("unreachable: https://127.0.0.1:")
    assert found.reason.endswith("TLS failed (CERTIFICATE_VERIFY_FAILED)")
    assert server.asked == []


def test_a_certificate_of_a_known_authority_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pem = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(pem))
    found, _ = probed(pem)
    assert (found.complete, found.reason, len(found.tools)) == (True, "", 1)
