"""The interpreter that has imported the packages of the app and of the local host."""

from __future__ import annotations

from functools import partial
from typing import Final

from local_host import process
from tests.warm import WarmPython

_PACKAGES: Final = (
    *("aiohttp.web", "azure.functions", "azure_functions_runtime", "azure_functions_runtime.native_invocation"),
    *("azure_functions_runtime.bindings.datumdef", "opentelemetry.context", "werkzeug.routing"),
)
WARM: Final = WarmPython(*_PACKAGES)
start: Final = partial(process.start, popen=WARM.popen)
serving: Final = partial(process.serving, popen=WARM.popen)
running: Final = partial(process.running, popen=WARM.popen)
