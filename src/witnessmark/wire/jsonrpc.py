"""Which JSON-RPC message a decoded value is, with the identity of its id kept.

`parse` never raises and never guesses: what cannot be a message is `Invalid` with a reason from a closed list, and
keeps the id and the method it had, so that the request it was meant for can still be found. What is off but usable
(no `jsonrpc` member, say) is a message with advisories.

Ids are kept as tokens: 7 is `7` and "7" is `"7"`; they differ (JSON-RPC 2.0 section 4; specification 2025-11-25 basic),
though common SDKs coerce one into the other, which `coerced_equal` tells.

Pure: no I/O, no clock.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum
from json.encoder import encode_basestring_ascii
from typing import Any, Final

import msgspec

MAX_ID_CHARS: Final = 256
"""Characters of an id that are kept literally. A longer one is replaced by its SHA-256: it still pairs, and memory stays bounded."""


class EnvelopeFinding(StrEnum):
    """Why a value is not a message, or is one that is off; a closed list."""

    NOT_AN_OBJECT = "NotAnObject"
    NO_JSONRPC_VERSION = "NoJsonRpcVersion"
    WRONG_JSONRPC_VERSION = "WrongJsonRpcVersion"
    REQUEST_AND_RESPONSE = "RequestAndResponse"
    BOTH_RESULT_AND_ERROR = "BothResultAndError"
    NEITHER_RESULT_NOR_ERROR = "NeitherResultNorError"
    NO_ID = "NoId"
    NULL_ID = "NullId"
    FRACTIONAL_ID = "FractionalId"
    BAD_ID = "BadId"
    BAD_METHOD = "BadMethod"
    PARAMS_NULL = "ParamsNull"
    PARAMS_NOT_STRUCTURED = "ParamsNotStructured"
    PARAMS_BY_POSITION = "ParamsByPosition"
    RESULT_NOT_AN_OBJECT = "ResultNotAnObject"
    ERROR_NOT_AN_OBJECT = "ErrorNotAnObject"
    ERROR_CODE_NOT_INTEGER = "ErrorCodeNotInteger"
    ERROR_MESSAGE_MISSING = "ErrorMessageMissing"
    EMPTY_BATCH = "EmptyBatch"
    BATCH_IN_BATCH = "BatchInBatch"


Advisories = tuple[EnvelopeFinding, ...]


class Request(msgspec.Struct, frozen=True):
    """A request; `params` is an object ({} where absent)."""

    id: str
    method: str
    params: dict[str, Any]
    advisories: Advisories = ()


class Notification(msgspec.Struct, frozen=True):
    """A notification; `params` is an object ({} where absent)."""

    method: str
    params: dict[str, Any]
    advisories: Advisories = ()


class Result(msgspec.Struct, frozen=True):
    """A response that carries a result: any JSON value, null included."""

    id: str
    result: Any
    advisories: Advisories = ()


class Error(msgspec.Struct, frozen=True):
    """A response that carries an error; `id` is None where it was null or absent.

    `data` is the peer's and holds anything: whoever reads it takes names and numbers out of it, no text.
    The message's text is not kept at all.
    """

    id: str | None
    code: int
    data: Any
    message_present: bool
    advisories: Advisories = ()


class Invalid(msgspec.Struct, frozen=True):
    """No message, and why; with the id and the method that it had, where they could be read.

    `has_result` and `has_error` say which members stood in it: a frame that has an id and no method was meant to be a response.
    """

    reason: EnvelopeFinding
    id: str | None = None
    method: str | None = None
    has_result: bool = False
    has_error: bool = False
    advisories: Advisories = ()


class Batch(msgspec.Struct, frozen=True):
    """Several messages in one frame (allowed on 2025-03-26 only); at least one member."""

    members: tuple[Request | Notification | Result | Error | Invalid, ...]


Single = Request | Notification | Result | Error | Invalid
Message = Request | Notification | Result | Error | Invalid | Batch

_NONE: Final[Advisories] = ()
_MISSING: Final = object()


def id_token(value: str | int) -> str:
    """The token of an id: `7` for 7, `"7"` for "7", `#` and a SHA-256 for one longer than MAX_ID_CHARS; ASCII only.

    Two ids have one token exactly if they are the same JSON value. Defined for strings and integers only.
    """
    token = str(value) if type(value) is int else encode_basestring_ascii(str(value))
    if len(token) > MAX_ID_CHARS:
        return "#" + hashlib.sha256(token.encode()).hexdigest()
    return token


def coerced_equal(one: str, other: str) -> bool:
    """True if two tokens differ in type only ("7" and 7): no match on the wire, one match for an SDK that coerces."""
    return one != other and one.strip('"') == other.strip('"') and one.startswith('"') != other.startswith('"')


def parse(value: Any) -> Message:
    """The message that a decoded JSON value is; never raises."""
    if type(value) is dict:
        return _parse_object(value)
    if type(value) is not list:
        return Invalid(EnvelopeFinding.NOT_AN_OBJECT)
    if not value:
        return Invalid(EnvelopeFinding.EMPTY_BATCH)
    return Batch(tuple(_parse_member(member) for member in value))


def _parse_member(member: Any) -> Single:
    if type(member) is dict:
        return _parse_object(member)
    return Invalid(EnvelopeFinding.BATCH_IN_BATCH if type(member) is list else EnvelopeFinding.NOT_AN_OBJECT)


def _parse_object(value: dict[str, Any]) -> Single:
    # JSON-RPC 2.0 section 4: "jsonrpc" MUST be exactly "2.0". Servers without it are served by lenient peers: advisory.
    version = value.get("jsonrpc", _MISSING)
    advisories = _NONE
    if version != "2.0":
        advisories = (EnvelopeFinding.NO_JSONRPC_VERSION if version is _MISSING else EnvelopeFinding.WRONG_JSONRPC_VERSION,)
    if "method" in value:
        return _parse_call(value, advisories)
    return _parse_response(value, advisories)


def _parse_call(value: dict[str, Any], advisories: Advisories) -> Single:
    method = value["method"]
    raw_id = value.get("id", _MISSING)
    token, bad_id = (None, None) if raw_id is _MISSING else _read_id(raw_id)
    reason = bad_id
    if "result" in value or "error" in value:
        reason = EnvelopeFinding.REQUEST_AND_RESPONSE
    elif type(method) is not str or not method:
        reason = EnvelopeFinding.BAD_METHOD
    params = value.get("params", _MISSING)
    if type(params) is not dict:
        if params is None:
            advisories = (*advisories, EnvelopeFinding.PARAMS_NULL)
        elif params is not _MISSING:
            # MCP params are objects in every revision (schema: JSONRPCRequest.params); JSON-RPC would allow an array.
            reason = reason or (EnvelopeFinding.PARAMS_BY_POSITION if type(params) is list else EnvelopeFinding.PARAMS_NOT_STRUCTURED)
        params = {}
    if reason is not None:
        return Invalid(reason, token, method if type(method) is str and method else None, "result" in value, "error" in value, advisories)
    if token is None:
        return Notification(method, params, advisories)
    return Request(token, method, params, advisories)


def _parse_response(value: dict[str, Any], advisories: Advisories) -> Single:
    has_error = "error" in value
    has_result = "result" in value
    raw_id = value.get("id", _MISSING)
    token, bad_id = (None, EnvelopeFinding.NO_ID) if raw_id is _MISSING else _read_id(raw_id)
    if has_error:
        if has_result:
            return Invalid(EnvelopeFinding.BOTH_RESULT_AND_ERROR, token, None, has_result=True, has_error=True, advisories=advisories)
        # An error may lack its id where the request could not be read (2025-11-25 and later; seen on all).
        if bad_id is None or bad_id in {EnvelopeFinding.NO_ID, EnvelopeFinding.NULL_ID}:
            return _parse_error(token, value["error"], advisories)
        return Invalid(bad_id, None, None, has_error=True, advisories=advisories)
    if not has_result:
        return Invalid(EnvelopeFinding.NEITHER_RESULT_NOR_ERROR, token, advisories=advisories)
    if token is None:
        return Invalid(bad_id or EnvelopeFinding.BAD_ID, None, None, has_result=True, advisories=advisories)
    result = value["result"]
    if type(result) is not dict:
        advisories = (*advisories, EnvelopeFinding.RESULT_NOT_AN_OBJECT)
    return Result(token, result, advisories)


def _parse_error(token: str | None, error: Any, advisories: Advisories) -> Single:
    if type(error) is not dict:
        return Invalid(EnvelopeFinding.ERROR_NOT_AN_OBJECT, token, None, has_error=True, advisories=advisories)
    code = error.get("code")
    if type(code) is not int:
        return Invalid(EnvelopeFinding.ERROR_CODE_NOT_INTEGER, token, None, has_error=True, advisories=advisories)
    message_present = type(error.get("message")) is str
    if not message_present:
        advisories = (*advisories, EnvelopeFinding.ERROR_MESSAGE_MISSING)
    return Error(token, code, error.get("data"), message_present, advisories)


def _read_id(value: Any) -> tuple[str | None, EnvelopeFinding | None]:
    """The token of an id member, or why it is none."""
    kind = type(value)
    if kind is int or kind is str:
        return id_token(value), None
    if value is None:
        return None, EnvelopeFinding.NULL_ID
    if kind is float:
        # 7.0 is written with a fraction too: which integer a peer makes of it is the peer's affair.
        return None, EnvelopeFinding.FRACTIONAL_ID
    return None, EnvelopeFinding.BAD_ID
