from __future__ import annotations

import http.client
import socket
from typing import Any
from urllib.parse import urlsplit

import pytest

from asking_scene import SOON, Scene


def order(base: str, key: str, path: str = "/orders") -> None:
    connection = http.client.HTTPConnection(urlsplit(base).netloc)
    connection.request("POST", path, b"{}", {"Idempotency-Key": f'"{key}"'})
    assert connection.getresponse().status == 201
    connection.close()


def test_a_service_with_idempotency_keys_tells_what_it_has(scene: Scene, http_url: str) -> None:
    order(http_url, "k1")
    order(http_url, "k1")
    order(http_url, "k2", "/twice")
    url = f"{http_url}/orders/{{operation_key}}"
    assert scene.ask("http", key="k1", url=url, count_at="/count", key_at="/key") == ("applied", 1, "")
    assert scene.ask("http", key="k2", url=url, count_at="/count") == ("applied", 2, "")
    assert scene.ask("http", key="none", url=url) == ("absent", None, "")
    assert scene.ask("http", key="k1", url=f"{http_url}/here/{{operation_key}}") == ("applied", None, "")


@pytest.mark.parametrize(
    "path, settings, reason",
    [
        ("contradiction", {"key_at": "/key"}, "contradicts"),
        ("elsewhere/k1", {}, "unreachable"),
        ("broken", {}, "unreachable"),
        ("private", {}, "unreachable"),
        ("plain", {"count_at": "/count"}, "not_understood"),
        ("bomb", {}, "not_understood"),
        ("endless", {}, "output_limit"),
        ("slow", {}, "time_limit"),
        ("short", {}, "unreachable"),
    ],
)
def test_an_answer_that_is_none_is_unknown(scene: Scene, http_url: str, path: str, settings: dict[str, Any], reason: str) -> None:
    limits = SOON if path == "slow" else SOON.__class__(seconds=30)
    assert scene.ask("http", limits, key="k", url=f"{http_url}/{path}", **settings) == ("unknown", None, reason)


def test_a_service_that_is_down_or_silent_or_has_a_wrong_certificate_is_unknown(scene: Scene, http_url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        assert scene.ask("http", SOON, url=f"http://127.0.0.1:{port}/") == ("unknown", None, "time_limit")
    assert scene.ask("http", url=f"http://127.0.0.1:{port}/") == ("unknown", None, "unreachable")
    assert scene.ask("http", url=http_url.replace("http:", "https:") + "/orders/k1") == ("unknown", None, "unreachable")


@pytest.mark.parametrize("value", ["../admin", "..", ".", "a/b", "a\\b"])
def test_a_value_in_a_path_stays_one_segment(scene: Scene, http_url: str, value: str) -> None:
    assert scene.ask("http", key=value, url=f"{http_url}/orders/{{operation_key}}") == ("unknown", None, "bad_value")


def test_a_value_is_encoded_and_never_names_the_host(scene: Scene, http_url: str) -> None:
    hostile = "x&admin=1#f?@evil.example"
    url = f"{http_url}/echo/{{v}}?q={{v}}"
    assert scene.verify("http", url=url, values={"v": hostile}, pointer="/query", equals="q=x%26admin%3D1%23f%3F%40evil.example") == (
        "passed",
        "",
    )
    for url in ("http://{v}/x", "http://127.0.0.1{v}/x", "{v}", "file:///etc/passwd", "http://user@host/"):
        assert scene.ask("http", url=url, values={"v": "evil"}) == ("unknown", None, "bad_setting"), url


def test_private_is_with_the_credential_and_public_without(scene: Scene, http_url: str) -> None:
    scene.environment["TOKEN"] = "hush"
    settings: dict[str, Any] = {"url": f"{http_url}/private", "headers": {"Authorization": "Bearer env:TOKEN"}}
    assert scene.verify("http", **settings, pointer="/version", equals=7) == ("passed", "")
    assert scene.verify("http", **settings, visibility="public") == ("failed", "differs")
    assert scene.verify("http", **settings, visibility="public", status=401) == ("passed", "")
    assert scene.verify("http", **settings, header={"X-Kind": "order"}) == ("passed", "")
    assert scene.verify("http", **settings, header={"X-Kind": "other"}) == ("failed", "differs")
    assert scene.verify("http", **settings, pointer="/version", equals=8) == ("failed", "differs")
    assert scene.verify("http", **settings, sha256="0" * 64) == ("failed", "differs")
    assert scene.verify("http", url=settings["url"], headers={"Authorization": "Bearer hush"}) == ("error", "bad_setting")
