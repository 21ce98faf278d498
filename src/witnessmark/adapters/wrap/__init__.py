"""Client configuration entries rewritten in place: only the characters of `command` and `args` change."""
