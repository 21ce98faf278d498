"""The settings of the built-in verifiers and destinations, one table a kind.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Final

from witnessmark.model.declaration import DeclaredKind, Kinds
from witnessmark.model.members import Member, Table

PATH: Final = Member("text", "the file, from the folder of the configuration; `{name}` stands for the argument of that name", required=True)
SHA256: Final = Member("digest", "what its content must hash to")
COMMAND: Final = Member(
    "texts", "the program and its words; `{name}` in a word stands for an argument, never in the program's name", required=True
)
ENVIRONMENT: Final = Member(
    "texts", "names of variables that the process is given; without it only PATH, HOME, LANG and TMPDIR", default="none"
)
POINTER: Final = Member("pointer", "where in the JSON answer to look")
EQUALS: Final = Member("any", "what must stand there")
URL: Final = Member("text", "what is asked by GET; `{name}` may stand in path and query, never in the host", required=True)
HEADERS: Final = Member("table", 'headers by reference: `{ Authorization = "Bearer env:TOKEN" }`; not sent where visibility is public')
DATABASE: Final = Member("text", "`env:NAME` of the variable with the SQLAlchemy URL (sqlite or postgresql)", required=True)
QUERY: Final = Member("text", "a query; `:name` is bound to the argument of that name, `:operation_key` to the key", required=True)
REPOSITORY: Final = Member("text", "the repository, from the folder of the configuration", required=True)
BRANCH: Final = Member("text", "the branch", default="HEAD")
SERVER: Final = Member("text", "a server of this configuration", required=True)
TOOL: Final = Member("text", 'a tool of it that is declared `effect = "read"`', required=True)
ARGUMENTS: Final = Member("table", "its arguments; `{name}` in a text stands for an argument of the call")

FILE: Final[Table] = {
    "path": PATH,
    "sha256": SHA256,
    "min_bytes": Member("whole", "its least size in bytes"),
    "max_bytes": Member("whole", "its greatest size in bytes"),
    "schema": Member("text", "a file with the JSON Schema that it must satisfy, from the folder of the configuration"),
    "contains": Member("text", "a text that must stand in it, as it is: no pattern language that an input could stall"),
}
VERIFIERS: Final[dict[str, DeclaredKind]] = {
    "file": DeclaredKind(FILE),
    "sql": DeclaredKind({
        "url": DATABASE, "query": QUERY,
        "rows": Member("whole", "how many rows it must give", default="at least one"),
        "equals": Member("any", "what the first cell must be, as a row's version"),
    }),
    "http": DeclaredKind({
        "url": URL, "headers": HEADERS, "status": Member("whole", "the status that must come", default="200"),
        "header": Member("table", "fields of the answer and what they must be"),
        "sha256": SHA256, "pointer": POINTER, "equals": EQUALS,
    }),
    "command": DeclaredKind({"command": COMMAND, "environment": ENVIRONMENT}),
    "junit": DeclaredKind({
        "path": PATH, "tests": Member("whole", "how many tests must have run at least", default="1"),
        "names": Member("texts", "tests that must have passed: `name` or `classname.name`"),
    }),
    "git": DeclaredKind({
        "repository": REPOSITORY, "branch": BRANCH, "commit": Member("text", "a commit that the branch must hold, in hex"),
        "path": Member("text", "a file in the branch's tree; `{name}` stands for an argument"), "sha256": SHA256,
    }),
    "mcp": DeclaredKind({
        "server": SERVER, "tool": TOOL, "arguments": ARGUMENTS,
        "contains": Member("text", "a text that must stand in the answer"), "pointer": POINTER, "equals": EQUALS,
    }),
    "python": DeclaredKind({
        "callable": Member("text", "`module:function`, called in a process of its own with the call's arguments; it returns True or False",
            required=True),
        "environment": ENVIRONMENT,
    }),
    "judged": DeclaredKind({
        "command": Member("texts", 'a program that prints `{"status": "passed"}` or `{"status": "failed"}`', required=True),
        "environment": ENVIRONMENT,
    }, strength="judged"),
}  # fmt: skip
_COUNT_AT: Final = Member("pointer", "where the answer holds the count (a whole number, or a list); without it an answer means applied")
DESTINATIONS: Final[dict[str, DeclaredKind]] = {
    "file": DeclaredKind({"path": PATH}),
    "sql": DeclaredKind({
        "url": DATABASE, "query": QUERY,
        "counts": Member("flag", "the query's one cell is the count; without it each row is one effect", default="false"),
    }),
    "http": DeclaredKind({
        "url": URL, "headers": HEADERS, "count_at": _COUNT_AT,
        "key_at": Member("pointer", "where the answer repeats the operation key; another key there is no answer"),
    }),
    "git": DeclaredKind({
        "repository": REPOSITORY, "branch": BRANCH,
        "trailer": Member("text", "the trailer of a commit's message that holds the operation key", default="Operation-Key"),
    }),
    "command": DeclaredKind({"command": COMMAND, "environment": ENVIRONMENT}),
    "mcp": DeclaredKind({
        "server": SERVER, "tool": TOOL, "arguments": ARGUMENTS, "count_at": _COUNT_AT,
        "contains": Member("text", "a text that stands in the answer if the effect is there; `{name}` stands for an argument"),
    }),
}  # fmt: skip
BUILT_IN: Final = Kinds(verifiers=VERIFIERS, destinations=DESTINATIONS)
"""The kinds of this package. Further ones come by entry points, each with its own table."""
