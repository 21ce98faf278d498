"""The demo: the official SDK's client at work on real servers, and on small ones of ours that misbehave on purpose."""
