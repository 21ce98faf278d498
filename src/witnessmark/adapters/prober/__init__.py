"""A small client of our own that captures the whole catalog of one server, and never calls a tool."""

from witnessmark.adapters.prober.capture import capture, capture_server
from witnessmark.adapters.prober.limits import ProbeLimits

__all__ = ["ProbeLimits", "capture", "capture_server"]
