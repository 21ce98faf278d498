"""Whether a result's structured content breaks the output schema that its tool declared.

Pure: no I/O, no clock. Names of violations and of what could not be checked; never a value. The work is bounded in
contract/validating.py.
"""

from __future__ import annotations

from typing import Final

from witnessmark.contract.validating import Fit, SchemaFit

# What `output_violation` answers. The first three are breaches, the last two say that nothing was checked.
STRUCTURED_CONTENT_MISSING: Final = "StructuredContentMissing"
STRUCTURED_CONTENT_NOT_OBJECT: Final = "StructuredContentNotObject"
OUTPUT_SCHEMA_VIOLATED: Final = "OutputSchemaViolated"
OUTPUT_SCHEMA_UNUSABLE: Final = "OutputSchemaUnusable"
OUTPUT_UNCHECKED: Final = "OutputUnchecked"

BREACHES: Final = frozenset((STRUCTURED_CONTENT_MISSING, STRUCTURED_CONTENT_NOT_OBJECT, OUTPUT_SCHEMA_VIOLATED))
NOT_CHECKED: Final = frozenset((OUTPUT_SCHEMA_UNUSABLE, OUTPUT_UNCHECKED))


def output_violation(
    structured_content_present: bool,  # noqa: FBT001  # four facts of one result, in the order of the question
    structured_content: object,
    output_schema: SchemaFit | None,
    revision_requires_object: bool,  # noqa: FBT001
) -> str | None:
    """The name of the breach, or of why nothing was checked (`NOT_CHECKED`); None if the content keeps its promise.

    `output_schema` None: the tool declares none, and only the form is judged. `revision_requires_object`: until
    2025-11-25 structured content is an object; since 2026-07-28 it is any JSON value, null included (specification,
    CallToolResult). Not for results with `isError: true`, which owe no structured content. Never raises.
    """
    if structured_content_present and revision_requires_object and type(structured_content) is not dict:
        return STRUCTURED_CONTENT_NOT_OBJECT
    if output_schema is None:
        return None
    if not structured_content_present:
        return STRUCTURED_CONTENT_MISSING
    return _BY_FIT[output_schema.of(structured_content)]


_BY_FIT: Final[dict[Fit, str | None]] = {
    "fits": None,
    "breaks": OUTPUT_SCHEMA_VIOLATED,
    "unusable": OUTPUT_SCHEMA_UNUSABLE,
    "unchecked": OUTPUT_UNCHECKED,
}
