"""Every process that finds this on its path is measured from its start."""  # noqa: INP001 - found by its name alone

import coverage

coverage.process_startup()
