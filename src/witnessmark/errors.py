"""One tree of errors; who is at fault is the type.

    WitnessmarkError            abstract: never raised itself
    |- OurError                 a defect of ours
    |- UsageError               the command's words, a policy or a configuration are off   exit 2
    |  `- InputError            a file or a stream that we were asked to read              exit 2
    |- PeerError                a client or a server broke its protocol                    exit 2
    `- WorldError               disk, permission, a process that does not start            exit 2
       `- StoreError            the evidence store cannot be used
          |- StoreLocked        somebody else holds it longer than we wait
          |- StoreFull          no room
          |- StoreReadOnly      no permission to write
          |- StoreCorrupt       its content contradicts itself
          `- StoreTooNew        written by a newer version than this one

Every error says what happened, where (`where`: file and line, JSON Pointer, request id) and what to do (`hint`).
Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import ClassVar


class WitnessmarkError(Exception):
    """What happened, where, and what to do about it; `exit_code` is the command line's answer."""

    exit_code: ClassVar[int] = 2
    fault: ClassVar[str] = "ours"

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        if type(self) is WitnessmarkError:
            raise TypeError("raise one of the kinds, not the root of the tree")
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        """The error as one line: place, message, hint."""
        place = f"{self.where}: " if self.where else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.message}{hint}"


class OurError(WitnessmarkError):
    """A defect of this program: an invariant of ours does not hold."""

    fault = "ours"


class UsageError(WitnessmarkError):
    """The caller's words are off: an option, a policy member, a unit."""

    fault = "the caller's"


class InputError(UsageError):
    """A file or a stream that we were asked to read is not what it must be."""


class PeerError(WitnessmarkError):
    """A client or a server did what its protocol does not allow."""

    fault = "the peer's"


class WorldError(WitnessmarkError):
    """Disk, permission, process: the world did not do what it usually does."""

    fault = "the world's"


class StoreError(WorldError):
    """The evidence store cannot be used as it is."""


class StoreLocked(StoreError):
    """Another process holds the store longer than we are willing to wait."""


class StoreFull(StoreError):
    """There is no room left where the store lies."""


class StoreReadOnly(StoreError):
    """The store can be read but not written."""


class StoreCorrupt(StoreError):
    """The store's content contradicts itself."""


class StoreTooNew(StoreError):
    """The store was written by a newer version of this program."""
