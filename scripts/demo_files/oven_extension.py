"""An MCP server that the demo runs as an extension. This server controls the ovens of a bakery."""

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("ovens")
degrees = {"stone oven": 240, "deck oven": 210, "convection oven": 180}


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def list_ovens() -> dict[str, int]:
    """List the ovens of the bakery with their temperature in degrees Celsius."""
    return degrees


@server.tool(annotations=ToolAnnotations(destructive_hint=False))
def set_temperature(oven: str, celsius: int) -> str:
    """Set the temperature of an oven."""
    if oven not in degrees:
        raise ValueError(f"There is no oven {oven!r}. The ovens are: {', '.join(degrees)}.")
    degrees[oven] = celsius
    return f"The {oven} heats to {celsius} degrees."


server.run("stdio")
