"""Makes the first answer come sooner: importing this before everything else stops the garbage collector.

Importing makes a great many objects and hardly any garbage, so a collector that runs meanwhile only costs time.
"""

import gc

gc.disable()


def finish() -> None:
    """Start the collector again, sparing it everything that was imported: that stays until the process ends."""
    gc.freeze()
    gc.enable()
