"""The nouns: evidence, conditions, verdicts, policy. Pure: no I/O, no clock."""
