"""The gate before every call: allow, hold until the contract is known, refuse. Pure: no I/O, no clock, no chance."""
