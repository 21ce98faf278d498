"""Witnessmark: an AI agent's tool call came back green; is it true?"""

__version__ = "0.1.0"
