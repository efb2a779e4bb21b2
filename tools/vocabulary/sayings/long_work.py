"""How people ask for work that goes on after the call that began it."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "get_task": (
        "how far is the long task 0, is the background task done, what came of the background job 0, is the work "
        "that i began still going on, when is the long running work finished, get the result of task id 0 of this "
        "server, look again at the task that was begun, follow the long work 0, ou en est la tache de fond 0, ist "
        "die lange aufgabe 0 fertig, is that long job done yet, is the long work done"
    ),
    "list_my_tasks": (
        "which long tasks did i begin, list my background tasks, which of my long work is still going on, what is "
        "running in the background for me, show the long work that i started here, which tasks of mine wait to be "
        "agreed to, mes taches de fond, welche langen aufgaben habe ich begonnen"
    ),
    "cancel_task": (
        "cancel the background task 0, stop the long task 0, abort the long work that i began, end the background "
        "job 0, do not go on with the task that was begun, annule la tache de fond 0, brich die lange aufgabe 0 ab"
    ),
}
