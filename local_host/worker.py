"""Calls Microsoft's worker library, which finds and runs an app's functions."""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import os
import sys
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace, TracebackType
from typing import Any

from local_host.cannot_start import CannotStartError
from local_host.settings import AppFolder
from refusal import Refusal

logger = logging.getLogger("local_host")

# The library contains no type annotations.
runtime: Any = importlib.import_module("azure_functions_runtime")
_native: Any = importlib.import_module("azure_functions_runtime.native_invocation")
Datum: Any = importlib.import_module("azure_functions_runtime.bindings.datumdef").Datum

_STREAMING_CAPABILITY = "HttpUri"


class _Message(SimpleNamespace):
    """Replaces every message class that the library and a host share."""


class _StatusResult(_Message):
    Failure, Success, Cancelled = range(3)


class _BindingInfo(_Message):
    undefined, string, binary, stream = range(4)
    out, inout = 1, 2


class _Protocol:
    """Replaces the library's module of message classes. Most of these classes need only attributes."""

    StatusResult = _StatusResult
    BindingInfo = _BindingInfo

    def __getattr__(self, name: str) -> type[_Message]:
        return _Message


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the app, with its bindings as in function.json."""

    name: str
    id: str
    bindings: tuple[Mapping[str, Any], ...]

    @property
    def trigger(self) -> Mapping[str, Any]:
        return next(binding for binding in self.bindings if str(binding["type"]).lower().endswith("trigger"))

    def is_triggered_by(self, kind: str) -> bool:
        return bool(self.trigger["type"] == kind)


@dataclass(frozen=True, slots=True)
class InvocationOutcome:
    """The outcome of an invocation. `value` is the value that the function returned, if any."""

    succeeded: bool
    value: Any


async def index(app: AppFolder) -> list[Function]:
    """Import the app and list its functions. The app can be imported only once per process, because the library stores
    the functions globally.

    Raises:
        CannotStartError: The app cannot be imported or has no functions.
    """
    logging.getLogger("azure.functions").setLevel(logging.WARNING)
    _import(app)
    runtime.start_threadpool_executor()
    answer = await runtime.worker_init_request(
        _Message(
            request=_Message(worker_init_request=_Message(capabilities={}, function_app_directory=str(app.path))),
            properties={"host": "127.0.0.1", "protos": _Protocol()},
        )
    )
    if answer.result.status != _StatusResult.Success:
        raise CannotStartError(f"The functions cannot be indexed.\n{answer.result.exception.stack_trace}")
    if _STREAMING_CAPABILITY in answer.capabilities:
        raise CannotStartError(
            "This host does not support azurefunctions-extensions-http-fastapi, which takes over HTTP."
        )
    found = (await runtime.functions_metadata_request(_Message())).function_metadata_results
    if not found:
        raise CannotStartError(f"{app.script} has no functions. Decorate at least one function with its FunctionApp.")
    # From here on, the library would log errors that `invoke` already logs.
    logging.getLogger("azure.functions").setLevel(logging.CRITICAL)
    return [Function(one.name, one.function_id, tuple(map(json.loads, one.raw_bindings))) for one in found]


def _import(app: AppFolder) -> None:
    """Import the app before the library imports it, because the library would hide the actual error."""
    if not app.script.is_file():
        raise CannotStartError(f"{app.script.name} not found in {app.path}.")
    os.chdir(app.path)
    sys.path.insert(0, str(app.path))
    try:
        importlib.import_module(app.script.stem)
    except Refusal as refusal:
        raise CannotStartError(str(refusal)) from None
    except Exception as error:
        error.with_traceback(_from_the_app_on(error.__traceback__, app.script))
        raise CannotStartError(f"{app.script} cannot be imported.") from error


def _from_the_app_on(trace: TracebackType | None, script: Path) -> TracebackType | None:
    while trace and Path(trace.tb_frame.f_code.co_filename) != script:
        trace = trace.tb_next
    return trace


def current_invocation() -> str | None:
    """The ID of the invocation to which the running code belongs. The ID is None outside an invocation."""
    invocation: str | None = runtime.invocation_id_cv.get()
    return invocation


async def invoke_timer(function: Function, event: str) -> None:
    await invoke(function, Datum(event, "json"))


async def invoke_for_message(function: Function, text: str, message: Mapping[str, str]) -> bool:
    """Run a function for a queue message. Returns whether the function succeeded."""
    metadata = {name: Datum(value, "string") for name, value in message.items()}
    return (await invoke(function, Datum(text, "string"), metadata=metadata)).succeeded


async def invoke(
    function: Function,
    value: Any,
    trace_parent: str = "",
    trace_state: str = "",
    metadata: Mapping[str, Any] | None = None,
) -> InvocationOutcome:
    """Run a function with the value of its trigger. If the function fails, log the traceback."""
    invocation = str(uuid.uuid4())
    runtime.invocation_id_cv.set(invocation)
    try:
        succeeded, returned, outputs, _, trace = await _native.invocation_request_native(
            invocation,
            function.id,
            [(function.trigger["name"], value)],
            dict(metadata or {}),
            trace_parent,
            trace_state,
        )
    except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
        # Catch SystemExit and similar exceptions. The library does not catch them, and they must end only this
        # function's run.
        if _is_being_cancelled():
            raise
        logger.exception("%s failed", function.name)
        return InvocationOutcome(succeeded=False, value=None)
    if not succeeded:
        logger.error("%s failed\n%s", function.name, trace)
    return InvocationOutcome(
        succeeded, returned or next((output for _, output in outputs if output.type == "http"), None)
    )


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
