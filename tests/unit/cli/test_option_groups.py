"""Groups of options: each field of a dataclass is an option of the command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from robust.cli.option_groups import grouped


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Two options, of which one is required."""

    width: Annotated[int, typer.Option(help="How wide.")]
    height: Annotated[int, typer.Option("-h", "--height")] = 3


@pytest.fixture(name="application")
def _application() -> typer.Typer:
    application = typer.Typer()

    @application.command("draw")
    @grouped
    def draw(
        name: Annotated[str, typer.Argument()], *, sizes: Sizes, loud: Annotated[bool, typer.Option("--loud")] = False
    ) -> None:
        """Draw something."""
        typer.echo(f"{name} {sizes.width} {sizes.height} {loud}")

    return application


def test_fields_are_given_as_options(application: typer.Typer) -> None:
    """With their names, defaults and declarations."""
    run = CliRunner().invoke
    assert run(application, ["box", "--width", "7"]).output == "box 7 3 False\n"
    assert run(application, ["box", "--width", "7", "-h", "9", "--loud"]).output == "box 7 9 True\n"


def test_a_required_field_is_required(application: typer.Typer) -> None:
    """And a wrong value is refused, as everywhere."""
    run = CliRunner().invoke
    assert run(application, ["box"]).exit_code == 2
    assert run(application, ["box", "--width", "wide"]).exit_code == 2
