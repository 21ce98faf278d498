"""The evidence store: append-only sessions of chained events, read back by run. `open_store` is the way in (location.py)."""
