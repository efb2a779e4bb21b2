"""A firewall rule: the team that needs it, the source, the destination and the port."""

from dataclasses import dataclass

from firewall.address import Network, check_address, network_of
from firewall.scalar import written
from refusal import Refusal

FIELDS = ("team", "source", "destination", "port")
DEFAULT_PORT = 443
HIGHEST_PORT = 65_535
TEAM_LENGTH = 64

# Control characters, invisible and bidirectional characters, and all spaces except the ordinary space.
_HIDDEN = (
    r"\u0000-\u001f\u007f-\u00a0\u00ad\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000"
    r"\ufeff\ufff9-\ufffb\ufffe\uffff"
)
TEAM_PATTERN = rf"^[^ {_HIDDEN}](?:[^{_HIDDEN}]*[^ {_HIDDEN}])?$"

# yamllint allows 80 characters per line. After `  - team: `, this many characters are left.
_WRITTEN_TEAM_LENGTH = 70

# The source, destination and port that a rule allows. Two flows are equal if they contain the same addresses, even if
# these are spelled differently.
Flow = tuple[Network | None, Network | None, int]


@dataclass(frozen=True, slots=True)
class FirewallRule:
    """Allows a team to connect from a source to a destination. Texts are stored exactly as they were written.

    Raises:
        Refusal: A value is invalid.
    """

    team: str
    source: str
    destination: str
    port: int = DEFAULT_PORT

    def __post_init__(self) -> None:
        _check_team(self.team)
        check_address("source", self.source)
        check_address("destination", self.destination)
        _check_port(self.port)

    @property
    def flow(self) -> Flow:
        return network_of(self.source), network_of(self.destination), self.port


def _check_team(team: object) -> None:
    if not isinstance(team, str):
        raise Refusal(f"team must be text, such as payments, not {type(team).__name__}.")
    _check_printable(team)
    if not team.strip():
        raise Refusal("team is empty. Name the team that needs the rule, such as payments.")
    if team != team.strip():
        raise Refusal(f"team {team!r:.80} starts or ends with a space. Remove this space.")
    _check_team_length(team)


def _check_printable(team: str) -> None:
    hidden = next((place for place, character in enumerate(team) if not character.isprintable()), None)
    if hidden is not None:
        raise Refusal(
            f"Character {hidden + 1} of team is U+{ord(team[hidden]):04X}, which is not printable. "
            "Use letters, digits, punctuation and ordinary spaces, on one line."
        )


def _check_team_length(team: str) -> None:
    if len(team) > TEAM_LENGTH:
        raise Refusal(f"team has {len(team)} characters; at most {TEAM_LENGTH} are allowed. Shorten it.")
    if len(written(team)) > _WRITTEN_TEAM_LENGTH:
        raise Refusal("team has too many quotation marks to fit on one line. Use fewer quotation marks.")


def _check_port(port: object) -> None:
    if not isinstance(port, int) or isinstance(port, bool) or not 1 <= port <= HIGHEST_PORT:
        raise Refusal(f"port must be a whole number from 1 to {HIGHEST_PORT}, such as 443, not {port!r:.80}.")
