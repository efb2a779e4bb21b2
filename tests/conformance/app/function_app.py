"""The functions of the real app, which find the composition of this folder instead of their own."""

from __future__ import annotations

import importlib.util
from pathlib import Path

_REAL = Path(__file__).parents[3] / "function_app.py"

_spec = importlib.util.spec_from_file_location("real_function_app", _REAL)
assert _spec is not None
assert _spec.loader is not None
_functions = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_functions)

app = _functions.app
