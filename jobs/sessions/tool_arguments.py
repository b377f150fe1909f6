"""What each tool is called with: one model per tool is both its schema and its check.

The names are those that agents know from Claude Code. A wrong argument gives a sentence
the agent can act on, never an exception.
"""

from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from jobs.conversation import Tool

MAX_READ_LINES = 2_000
MAX_LINE_NUMBER = 10**9
"""Later lines have no file; a number of thousands of digits could not even be written out."""
MAX_COMMAND_S = 600


class Arguments(BaseModel):
    """Base of all arguments: nothing unknown is accepted in silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)


FilePath = Annotated[
    str,
    Field(
        validation_alias=AliasChoices("file_path", "path"),
        min_length=1,
        max_length=4_000,
        description="Path of the file, relative to the working folder.",
    ),
]


class BashArguments(Arguments):
    """Run a shell command in the working folder and get its output, standard error included.

    Each call is a fresh shell that starts in the working folder; files stay, processes do
    not: whatever still runs when the command ends is killed. There is no network and no
    terminal. Quote paths that hold blanks.
    """

    command: str = Field(min_length=1, description="The command line.")
    timeout_s: float | None = Field(
        default=None,
        gt=0,
        le=MAX_COMMAND_S,
        description=f"Seconds after which it is killed; 120 if left out, at most {MAX_COMMAND_S}.",
    )


class ReadArguments(Arguments):
    """Read a text file. Long files come in parts: go on with `offset`."""

    file_path: FilePath
    offset: int = Field(
        default=1, ge=1, le=MAX_LINE_NUMBER, description="First line to read, counted from 1."
    )
    limit: int = Field(
        default=MAX_READ_LINES, ge=1, le=MAX_READ_LINES, description="How many lines to read."
    )


class WriteArguments(Arguments):
    """Write a text file; folders are made as needed, an existing file is replaced."""

    file_path: FilePath
    content: str = Field(description="The whole content of the file.")


class EditArguments(Arguments):
    """Replace a text in a file. `old_string` must stand in it exactly once.

    It is compared letter by letter, blanks and line ends included; with `replace_all`
    every place is replaced.
    """

    file_path: FilePath
    old_string: str = Field(min_length=1, description="The text to replace.")
    new_string: str = Field(description="What to put in its place.")
    replace_all: bool = Field(default=False, description="Replace every place.")


class GlobArguments(Arguments):
    """Find files by name: `*` and `?` within a folder name, `**` across folders, `{a,b}`."""

    pattern: str = Field(
        min_length=1, max_length=1_000, description="For example `output/**/*.md`."
    )
    path: str = Field(
        default=".", min_length=1, max_length=4_000, description="Folder to search in."
    )


ARGUMENTS: dict[str, type[Arguments]] = {
    "Bash": BashArguments,
    "Read": ReadArguments,
    "Write": WriteArguments,
    "Edit": EditArguments,
    "Glob": GlobArguments,
}


def render_tools() -> tuple[Tool, ...]:
    """The tools as a model is offered them."""
    return tuple(
        Tool(
            name=name,
            description=" ".join((model.__doc__ or "").split()),
            parameters=_plain(model.model_json_schema()),
        )
        for name, model in ARGUMENTS.items()
    )


def find_problem(name: str, error: ValidationError) -> str:
    """What was wrong with a call's arguments, and which ones the tool takes."""
    complaints = [
        f"{'.'.join(str(part) for part in problem['loc']) or 'arguments'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False)
    ]
    schema = _plain(ARGUMENTS[name].model_json_schema())
    required = schema.get("required", [])
    taken = [key if key in required else f"{key} (optional)" for key in schema["properties"]]
    return (
        f"{name} cannot be called like this. {'; '.join(complaints)}. It takes {', '.join(taken)}."
    )


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without what is of no use to a model: titles, and the tool's own text."""
    properties = {
        key: {name: value for name, value in field.items() if name != "title"}
        for key, field in schema["properties"].items()
    }
    return {
        "type": "object",
        "properties": properties,
        "required": schema.get("required", []),
        "additionalProperties": False,
    }
