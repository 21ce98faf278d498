"""`witnessmark explain KIND`: what a kind of change means and what to do about it."""

from __future__ import annotations

import click

from witnessmark.cli.options import format_option
from witnessmark.errors import UsageError


@click.command()
@click.argument("kind", required=False)
@format_option
def explain(*, kind: str | None, form: str) -> None:
    """Explain a kind of change: what it means, why it matters, what to do. Without KIND all kinds are listed."""
    from witnessmark.render.explanation import explanation, explanation_document, grades, kinds, near
    from witnessmark.render.jsonout import dumps
    from witnessmark.render.table import table

    known = kinds()
    if kind is None:
        if form == "json":
            click.echo(dumps([explanation_document(rule) for rule in known.values()]))
        else:
            click.echo("\n".join(table(("kind", "grades"), [(one, grades(rule)) for one, rule in known.items()])))
        return
    rule = known.get(kind.strip().lower().replace("_", "-")) or known.get(kind.strip())
    if rule is None:
        alike = near(kind.strip().lower())
        hint = f"near: {', '.join(alike)}" if alike else "`witnessmark explain` lists all"
        raise UsageError(f"no kind {kind!a}", hint=hint)
    click.echo(dumps(explanation_document(rule)) if form == "json" else explanation(rule), nl=form == "json")
