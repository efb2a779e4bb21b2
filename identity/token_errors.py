"""Explains why Entra ID rejected the exchange of a token, and who can fix the problem."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from identity.challenges import more_claims
from identity.denial import Denial
from refusal import Refusal

UNAVAILABLE: Final = "Microsoft Entra ID is not responding correctly, so nothing was changed. Try again in a minute."
_PASSING: Final = {"temporarily_unavailable", "server_error"}
# Errors after which the user must sign in again: the token has expired or was revoked, or a second factor is needed.
_SIGN_IN_AGAIN: Final = {
    *(16000, 50013, 50027, 50058, 50072, 50074, 50076, 50078, 50079, 50132, 50133, 50158, 50173),
    *(70008, 70043, 70044, 500132, 500133, 500137, 700082, 700084, 5000224),
}
_CONSENT: Final = {65001, 65004, 90094}
_APP_TOKEN: Final = 7000114
# Errors of the app's own sign-in: its secret or managed identity was rejected, or the app does not exist.
_OWN_SIGN_IN: Final = {
    *(50012, 70002, 700016, 700024, 700027, 7000112, 7000215, 7000222, 7002381),
    *(700211, 700212, 700213, 700222, 700223, 700231, 90002, 900023),
}
_TRACE: Final = re.compile(r"[0-9a-fA-F-]{1,36}")


def exchange_failure(answer: Any, scope: str, client_id: str, agent: str = "") -> Denial | Refusal:
    """Explain a failed exchange. `answer` is the parsed response body, which may have any type.

    If the exchanged token belongs to an agent, `agent` is this agent.
    """
    if not isinstance(answer, Mapping) or not isinstance(answer.get("error"), str) or answer["error"] in _PASSING:
        return Refusal(UNAVAILABLE)
    if isinstance(claims := answer.get("claims"), str) and claims.startswith("{"):
        return more_claims(claims)
    codes = _codes(answer)
    if codes & _SIGN_IN_AGAIN or (not codes and answer["error"] in {"interaction_required", "login_required"}):
        return Denial(f"Your sign-in has expired. Sign in again{_reference(answer)}.")
    return Refusal(_in_words(codes, scope, client_id, agent) + f"{_reference(answer)}.")


def _in_words(codes: set[int], scope: str, client_id: str, agent: str) -> str:
    if codes & _CONSENT:
        return (
            f"This server is not allowed to call {scope} on your behalf yet. Ask an administrator to grant this"
            f" permission to the application {client_id}, with `az ad app permission admin-consent --id {client_id}`"
        )
    if _APP_TOKEN in codes:
        return (
            "The token belongs to an application, so nothing can be called on its behalf. Sign in as a user, or ask"
            " an administrator to set UPSTREAM_OWN_IDENTITY to true"
        )
    if codes & _OWN_SIGN_IN:
        return (
            f"Microsoft Entra ID rejected the credentials of this server's application {client_id}. Ask an"
            " administrator to check the application's client secret, or the federated credential for its managed"
            " identity"
        )
    if agent:
        return (
            f"Agent {agent} acts for a person, but Microsoft Entra ID issued no token for {scope} on behalf of this"
            " person. The person can call the tool in a client that is not an agent; an administrator can look up the"
            " reason"
        )
    return f"Microsoft Entra ID issued no token for {scope} on your behalf. An administrator can look up the reason"


def _codes(answer: Mapping[str, Any]) -> set[int]:
    codes = answer.get("error_codes")
    return {code for code in codes if isinstance(code, int)} if isinstance(codes, list) else set()


def _reference(answer: Mapping[str, Any]) -> str:
    """The only part of the response that is shown: IDs that help administrators find the error in the sign-in logs."""
    codes = [f"AADSTS{code}" for code in sorted(_codes(answer))]
    trace = answer.get("trace_id")
    traces = [f"trace {trace}"] if isinstance(trace, str) and _TRACE.fullmatch(trace) else []
    return f" ({', '.join(codes + traces)})" if codes or traces else ""
