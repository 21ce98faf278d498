"""`python -m witnessmark`: the command, where its script is not on the path."""

from witnessmark.cli.main import main

main()
