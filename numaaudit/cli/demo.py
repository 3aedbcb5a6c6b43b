"""``numaaudit demo``: the verdict on a bundle that ships with numaaudit."""

import typer


def register(app: typer.Typer) -> None:
    app.command("demo")(demo)


def demo() -> None:
    """Check a sample with a rank that is misplaced. Eight ranks in contiguous CPU slices, 5 + 3 GPUs. Exits 0."""
    from numaaudit.cli.source import load
    from numaaudit.core.resources import sample
    from numaaudit.report.view import Input
    from numaaudit.report.write import Writer, write_report
    from numaaudit.rules.engine import audit

    loaded = load(str(sample("asymmetric-5-3.tar.gz")))
    write_report(
        Writer("text", None), audit(loaded.host), loaded.host, Input("asymmetric-5-3.tar.gz", loaded.source.kind, loaded.source.sha256)
    )
