"""How people, and agents, ask who they are to this server."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "whoami": (
        "who am i to this server, who am i here, who am i on this mcp server, what does this server know about me, "
        "am i an agent, do you take me for an agent or a person, do i act for a person, for whom does the agent "
        "act, which client am i, which roles do i have on this server, which scopes does my token have, what does "
        "this server let me do, what is open to me on this server, why do i see so few tools here, why can i only "
        "read here, why is this tool hidden from me, what limits apply to me, how often may i call this server, "
        "what is my rate limit, how many changes a day may an agent make, what narrows what i may do here, what "
        "would open more tools to me, whom do i ask for more tools, qui suis je pour ce serveur, suis je un agent, "
        "quels roles ai je sur ce serveur, pourquoi ne puis je que lire ici, wer bin ich fur diesen server, bin "
        "ich ein agent, welche rollen habe ich auf diesem server, quien soy para este servidor"
    ),
}
