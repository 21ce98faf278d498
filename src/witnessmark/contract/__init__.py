"""What a tool promises: its projection, its digests, and what a model was shown of it.

Pure: no I/O, no clock. Normative text: contracts.md, verdicts.md section 2; for other programs: docs/contract-digest.md.
"""
