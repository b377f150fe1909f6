"""The tools a judge is given: those of a session, without the ones that write files.

Bash stays, because office documents and PDF can only be opened by running something; what
a judge writes through it ends with its sandbox and is never read back.
"""

from collections.abc import Sequence

from jobs.conversation import Tool, ToolBox, ToolOutcome

JUDGE_TOOLS = ("Bash", "Read", "Glob")


class JudgeTools:
    """Passes on the calls of some tools of a tool box; implements `ToolBox`."""

    tools: Sequence[Tool]

    def __init__(self, inner: ToolBox) -> None:
        self._inner = inner
        self.tools = tuple(tool for tool in inner.tools if tool.name in JUDGE_TOOLS)

    async def call(self, name: str, arguments: dict[str, object]) -> ToolOutcome:
        """The tool's outcome; a failure for a tool that is not offered."""
        if name not in {tool.name for tool in self.tools}:
            offered = ", ".join(tool.name for tool in self.tools)
            return ToolOutcome(f"There is no tool {name} here; there are {offered}.", failed=True)
        return await self._inner.call(name, arguments)
