"""The judges: state, policy and an instant -> conditions and a verdict. Pure: no I/O, no clock."""
