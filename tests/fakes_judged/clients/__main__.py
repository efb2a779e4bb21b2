"""Asks one thing of the invented Azure with Microsoft's clients, and prints what they made of the answer."""

import importlib
import json
import sys

module, name = sys.argv[1].split(".")
print(json.dumps(getattr(importlib.import_module(f"tests.fakes_judged.clients.{module}"), name)()))  # noqa: T201
