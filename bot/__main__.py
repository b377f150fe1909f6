"""The way in: `skillbench COMMAND`, or `python -m bot COMMAND`."""

from bot.cli.commands import app


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
