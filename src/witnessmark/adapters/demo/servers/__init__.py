"""Our own demo servers: plain Python without an SDK, each with one fault that servers in the field have."""
