"""The rules that find and grade changes between two contracts: one file, one kind.

Pure: no I/O, no clock. `catalogue.RULES` holds all of them, `comparing.compare` applies them. A file names its kind with
underscores for hyphens, holds `RULE`, and starts without an underscore; modules that start with one are shared parts.
"""
