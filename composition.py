"""Creates the app of this process. The process fails at startup if a setting is invalid."""

from __future__ import annotations

import os
from typing import Final

from app.build import build
from app.process import start
from settings import Settings
from tools import PROVIDERS

APP: Final = start(build(Settings.from_environment(os.environ, [provider.settings for provider in PROVIDERS])))
