"""Invented people, and how one is found."""

from __future__ import annotations

from uuid import NAMESPACE_DNS, uuid5

from tests.fakes.azure_devops.routes import Asked, Json, Route, listed, route


class People:
    def __init__(self) -> None:
        self.known = {name: _identity(name) for name in ("Ada Byron", "Grace Brewster", "Ada Moss")}
        self.me = self.known["Ada Byron"]
        search = "identityIds subjectDescriptors searchFilter filterValue queryMembership"
        self.routes: tuple[Route, ...] = (
            route("GET /_apis/identities", self._search, search, host="vssps."),
            route("GET /_apis/connectionData", self._connection, version="7.1-preview.1"),
        )

    def join(self, name: str) -> None:
        self.known.setdefault(name, _identity(name))

    def reference(self, who: str) -> Json:
        """A person as other records name them: found by name or address."""
        for name, identity in self.known.items():
            if who in {name, _mail(name), _property(identity, "Account"), identity["id"]}:
                return {"displayName": name, "uniqueName": _mail(name), "id": identity["id"], "_links": {}}
        raise KeyError(who)

    def _connection(self, _: Asked) -> Json:
        return {"authenticatedUser": self.me, "authorizedUser": self.me}

    def _search(self, asked: Asked) -> Json:
        query = asked.query
        if "identityIds" in query:
            found = [identity for identity in self.known.values() if identity["id"] == query["identityIds"]]
            return listed(list(found) or [None])
        if "subjectDescriptors" in query:
            wanted = query["subjectDescriptors"]
            return listed([entry for entry in self.known.values() if entry["subjectDescriptor"] == wanted] or [None])
        value = query["filterValue"].lower()
        by_property = {"MailAddress": "Mail", "AccountName": "Account", "Alias": "Alias"}
        if name := by_property.get(query["searchFilter"]):
            return listed([entry for entry in self.known.values() if _property(entry, name) == value])
        return listed([entry for name, entry in self.known.items() if name.lower().startswith(value)])


def _property(identity: Json, name: str) -> str:
    return str(identity["properties"][name]["$value"]).lower()


def _mail(name: str) -> str:
    return name.lower().replace(" ", ".") + "@example.com"


def _identity(name: str) -> Json:
    mail = {"$type": "System.String", "$value": _mail(name)}
    return {
        "id": str(uuid5(NAMESPACE_DNS, name)),
        "descriptor": f"Contoso.Claims;{_mail(name)}",
        "subjectDescriptor": "aad." + uuid5(NAMESPACE_DNS, name).hex,
        "providerDisplayName": name,
        "isActive": True,
        "isContainer": False,
        "properties": {
            "Account": {**mail, "$value": f"{name.lower().replace(' ', '_')}@acme.example"},
            "Mail": mail,
            "Alias": {**mail, "$value": name.lower().replace(" ", ".")},
        },
    }
