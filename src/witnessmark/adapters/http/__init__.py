"""The HTTP proxy: bytes between a client and a server, with what they tell written down first."""
