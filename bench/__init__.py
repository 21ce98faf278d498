"""Benches: what the budgets of the project cost on this machine, side by side in one run. See docs/performance.md."""
