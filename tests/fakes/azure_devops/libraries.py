"""What pipelines use: feeds with packages, connections, and variable groups, with secrets that nobody may see."""

from __future__ import annotations

from fnmatch import fnmatch
from uuid import NAMESPACE_OID, uuid5

from tests.fakes.azure_devops.projects import Projects
from tests.fakes.azure_devops.routes import Asked, Json, Reply, Route, TroubleError, continued, listed, route, skipped

FEEDS = "/[project]/_apis/packaging/feeds"
SECRET = "s3cret"  # noqa: S105 - which nobody may see


class Libraries:
    """A feed `tools` of the organization and a feed `web` of the project Web, each with packages by their versions."""

    def __init__(self, projects: Projects) -> None:
        self._projects = projects
        self.feeds: dict[str, dict[str, list[str]]] = {"tools": {"Door.Hinge": ["1.0.0", "1.1.0"]}, "web": {}}
        self.owners = {"web": "Web"}
        self.groups: list[Json] = []
        self.connections: list[Json] = []
        self.routes: tuple[Route, ...] = (
            route(f"GET {FEEDS}", self._list_feeds, host="feeds."),
            route(f"GET {FEEDS}/{{feed}}", self._get_feed, host="feeds."),
            route(
                f"GET {FEEDS}/{{feed}}/packages",
                self._list_packages,
                "protocolType packageNameQuery $top $skip",
                host="feeds.",
            ),
            route(f"GET {FEEDS}/{{feed}}/packages/{{package}}", self._get_package, "includeDescription", host="feeds."),
            route(f"GET {FEEDS}/{{feed}}/Packages/{{package}}/versions", self._list_versions, host="feeds."),
            route("GET /{project}/_apis/serviceendpoint/endpoints", self._list_connections, "type includeFailed"),
            route("GET /{project}/_apis/serviceendpoint/endpoints/{connection}", self._get_connection),
            route(
                "GET /{project}/_apis/distributedtask/variablegroups",
                self._list_groups,
                "groupName $top continuationToken",
            ),
            route("GET /{project}/_apis/distributedtask/variablegroups/{group}", self._get_group),
        )

    def connect(self, name: str, kind: str, **data: str) -> str:
        """Add a service connection of which too much is told."""
        key = str(uuid5(NAMESPACE_OID, name))
        authorization = {"scheme": "Token", "parameters": {"apitoken": SECRET}}
        self.connections.append(
            {"id": key, "name": name, "type": kind, "authorization": authorization, "data": data, "isReady": True}
        )
        return key

    def group(self, name: str, **variables: str) -> int:
        """Add a variable group with a secret of which too much is told."""
        number = len(self.groups) + 1
        secret = {"KEY": {"isSecret": True, "value": SECRET}}
        values = {**{key: {"value": value} for key, value in variables.items()}, **secret}
        self.groups.append({"id": number, "name": name, "type": "Vsts", "variables": values})
        return number

    def _shown(self, feed: str) -> Json:
        owner = self.owners.get(feed)
        return {"id": str(uuid5(NAMESPACE_OID, feed)), "name": feed, **({"project": {"name": owner}} if owner else {})}

    def _feed(self, asked: Asked) -> dict[str, list[str]]:
        name, project = asked.places["feed"], asked.places.get("project")
        if name not in self.feeds or self.owners.get(name) != (project and self._projects.named(project)):
            raise TroubleError(404, "FeedIdNotFoundException", f"The feed with ID '{name}' doesn't exist.")
        return self.feeds[name]

    def _list_feeds(self, asked: Asked) -> Json:
        project = asked.places.get("project")
        return listed([self._shown(feed) for feed in self.feeds if project in {None, self.owners.get(feed)}])

    def _get_feed(self, asked: Asked) -> Json:
        self._feed(asked)
        return self._shown(asked.places["feed"])

    def _list_packages(self, asked: Asked) -> Json:
        text, kind = asked.query.get("packageNameQuery", "").lower(), asked.query.get("protocolType", "nuget")
        found = [_package(name, all_of) for name, all_of in self._feed(asked).items() if text in name.lower()]
        return skipped(asked, found if kind == "nuget" else [])

    def _named(self, asked: Asked) -> str:
        for name in self._feed(asked):
            if _id(name) == asked.places["package"]:
                return name
        raise TroubleError(404, "PackageNotFoundException", f"The package '{asked.places['package']}' is not there.")

    def _get_package(self, asked: Asked) -> Json:
        name = self._named(asked)
        return _package(name, self._feed(asked)[name])

    def _list_versions(self, asked: Asked) -> Json:
        versions = self._feed(asked)[self._named(asked)]
        return listed([_version(version, versions) for version in versions[::-1]])

    def _list_connections(self, asked: Asked) -> Json:
        wanted = asked.query.get("type")
        return listed([entry for entry in self.connections if wanted in {None, entry["type"]}])

    def _get_connection(self, asked: Asked) -> Reply:
        found = [entry for entry in self.connections if entry["id"] == asked.places["connection"]]
        return Reply(found[0] if found else None)

    def _list_groups(self, asked: Asked) -> Reply:
        wanted = asked.query.get("groupName", "*")
        return continued(asked, [entry for entry in self.groups[::-1] if fnmatch(entry["name"], wanted)], 2)

    def _get_group(self, asked: Asked) -> Reply:
        found = [entry for entry in self.groups if entry["id"] == int(asked.places["group"])]
        return Reply(found[0] if found else None)


def _id(name: str) -> str:
    return str(uuid5(NAMESPACE_OID, name))


def _version(version: str, all_of: list[str]) -> Json:
    return {"id": _id(version), "version": version, "isLatest": version == all_of[-1]}


def _package(name: str, versions: list[str]) -> Json:
    return {"id": _id(name), "name": name, "protocolType": "NuGet", "versions": [_version(versions[-1], versions)]}
