"""Removes the app registration. A teardown does not delete the registration, because the registration is not in the
resource group.
"""

from __future__ import annotations

from hook import run
from registration import delete_the_registration

STEPS = (delete_the_registration,)

if __name__ == "__main__":
    run(STEPS)
