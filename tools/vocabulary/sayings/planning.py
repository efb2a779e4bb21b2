"""How people ask for boards, backlogs, sprints, projects and their teams."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "get_boards": (
        "boards of team, which boards are there, kanban boards, list boards, does the team have a kanban board, which"
        " boards do we have, what boards are there, boards of team falcon, quels tableaux kanban avons nous, welche "
        "boards gibt es, tableros del equipo, list the kanban boards, what boards can i look at, name of our board"
    ),
    "get_board_columns": (
        "columns of board, board columns, which columns are on the board, wip limits of board, steps on the kanban "
        "board, what is our wip limit in doing, which columns does the board have, what steps does a card go "
        "through on our board, what comes after doing on the board, which state is the column ready, quelles sont "
        "les colonnes du tableau, welche spalten hat das board, columnas del tablero, how is the board set up, is "
        "there a limit on a column, how many things may be in doing at once, what are the stages on our board, "
        "which columns come before done, limits of the board columns, combien de cartes au plus dans la colonne, "
        "what does the column ready mean, how many cards may be in doing, how many cards are allowed in a column, "
        "is there a limit on doing, how many things may be in review at once, how many may we have in progress at "
        "once, may we start another one in doing"
    ),
    "get_board_swimlanes": (
        "swimlanes of board, lanes on the board, rows of board, expedite lane, what lanes does the board have, is "
        "there an expedite lane, which swimlanes are on the board, quels couloirs a le tableau, rows of the kanban "
        "board, swimlanes des boards, is the board divided into lanes, expedite row of the board"
    ),
    "get_board_items": (
        "cards on board, what is on the board, what is in column doing, cards in progress, items in the review "
        "column, show the kanban board, what is stuck in column, board of the team, what is sitting in code review "
        "on the board, what is in doing, which cards are in testing, show the board of team falcon, show me our "
        "board, what is on our kanban board, what is waiting in the ready column, how many cards are in progress, "
        "how full is the column doing, which cards are blocked on the board, what is in the expedite lane, qu y a t"
        " il sur le tableau, quelles cartes sont en cours, cartes de la colonne a tester, was liegt auf dem board, "
        "que hay en el tablero, everything in review on the board, cards stuck on the board, what is stuck in "
        "testing on our board, who has cards in review, whats in the qa column, how does the board look, cards "
        "waiting for test, board overview, what is in progress on the board, ou en sont les cartes, everything in "
        "the column blocked, what is piling up on the board, what is on the board right now, what is on the board, "
        "whats on our board today"
    ),
    "move_board_card": (
        "move card to column, drag card to done, move ticket on the board, put card in doing column, slide card to "
        "testing, move ticket to column, push card into column, drag card 0 over to testing, move 0 to done on the "
        "board, put 0 in the column doing, slide 0 into review, push card 0 one column further, card 0 goes to ready,"
        " move the card to the expedite lane, pull 0 into in progress on the board, deplace la carte 0 dans la "
        "colonne termine, mets la carte 0 en test, glisse la carte vers done, verschiebe karte 0 nach fertig, mover "
        "la tarjeta 0 a hecho, put card 0 at the top of the column, send card 0 back to the first column, card 0 is "
        "ready for review move it along, shove 0 over to ready for qa, 0 can go to done on the board, take 0 back to "
        "doing, put 0 in the next column, move 0 forward, advance card 0, bump 0 to the testing column, avance la "
        "carte 0, la carte 0 passe en test"
    ),
    "list_backlogs": (
        "backlogs of team, which backlogs are there, backlog levels, which backlogs does the team have, what backlog "
        "levels are there, quels backlogs a l equipe, welche backlogs gibt es, backlogs there are, requirement "
        "backlog and epic backlog, kinds of backlog, backlogs we keep"
    ),
    "list_backlog_items": (
        "items on the backlog, top of backlog, product backlog, what is next on the backlog, backlog order, groom "
        "backlog, refine the backlog, what comes first in backlog, prioritized backlog, what comes first in the "
        "product backlog, what is at the top of the backlog, show the backlog, what is next after this, what should "
        "the team do next from the backlog, order of the backlog, what is in the backlog, first ten backlog items, qu"
        " y a t il dans le backlog, haut du backlog, prochaines stories du backlog, was steht oben im backlog, que "
        "hay en el backlog, refine the backlog with me, backlog grooming, planning what could go in the next sprint, "
        "how long is our backlog, what should the team pull next from the backlog, what is coming up after this "
        "sprint, which stories are next in line, what is most important in the backlog, next big things on the "
        "backlog, backlog for refinement, what is waiting in the backlog, que prendre ensuite dans le backlog"
    ),
    "list_iteration_items": (
        "work in sprint, tickets in the current sprint, what is in this sprint, sprint backlog, sprint contents, "
        "what is left in sprint, sprint progress, stories in iteration, remaining work in sprint, what the team is "
        "working on in sprint, sprint taskboard, are we on track in this sprint, unfinished work of sprint, what "
        "did we commit to in the sprint, items in iteration, are we going to make the sprint, what is left in this "
        "sprint, what is in sprint 0, which stories are in the current sprint, what did we plan for the sprint, how"
        " is the sprint going, show the sprint backlog, what is not done in the sprint yet, how much work remains "
        "in the sprint, sprint status, who works on what in this sprint, will we finish the sprint, burndown of the"
        " sprint, que reste t il dans le sprint, qu y a t il dans le sprint en cours, contenu du sprint, ou en est "
        "le sprint, was ist im sprint noch offen, que queda en el sprint, tasks in the sprint, bugs in this sprint,"
        " prepare the sprint review, what will spill over into the next sprint, items of iteration 0, points in the"
        " sprint, what did the team finish this sprint, what have we signed up for this sprint, how are we doing in"
        " the sprint, what did we promise for this sprint, anything in the sprint not started, what is still open "
        "in the sprint, scope of the sprint, what is the team doing this sprint, sprint progress for standup, are "
        "we behind in the sprint, on avance bien dans le sprint, qu est ce qu on s est engage a faire, unfinished "
        "stories of the sprint, remaining hours in the sprint, sprint review list, how much is left to do this "
        "sprint, how much work is left in the sprint, what remains to be done this sprint, what is left, what is "
        "left to do, what is left for the team, how are we doing"
    ),
    "get_team_capacity": (
        "team capacity, who is off in sprint, days off, vacation of team, hours available in sprint, who is on "
        "holiday, how many hours does team have, availability of the team, workload of the team, who is away, "
        "absent people, who is on leave this sprint, who is off next week, how much capacity do we have, how many "
        "hours can the team work, is anna on vacation, who is available in the sprint, days off of the team, are we"
        " short of people in the sprint, can we fit more work in the sprint, qui est en conge ce sprint, quelle est"
        " la capacite de l equipe, qui est absent, jours de conge de l equipe, wer ist im urlaub, quien esta de "
        "vacaciones, when is tom away, hours per day of each member, is the team overloaded, who is on holiday next"
        " week, is anybody out this sprint, how much time does the team have, can tom take more work, are we fully "
        "staffed, whos away, how many people days in the sprint, qui est la cette semaine, combien d heures a l "
        "equipe, how loaded is the team, who is off during the next sprint, who is out next sprint, who is there "
        "next sprint, availability during the sprint, who is around next week, who is around, who is in next week, "
        "is everybody here next week, who is missing next week"
    ),
    "set_team_capacity": (
        "set capacity of a member, set hours per day in sprint, enter my days off, plan vacation in sprint, change "
        "team capacity, i am on holiday in the sprint, put me down for 0 hours a day, anna is off on friday put it "
        "into the capacity, i am away next week enter it in the sprint, saisis mes conges dans le sprint, tom works"
        " only 0 hours a day in this sprint, record my vacation in the sprint, update the capacity of the team, i "
        "am off on monday and tuesday, i am off on monday note it in the sprint, only has 0 hours a day from now "
        "on, has 0 hours a day, she works part time 0 hours a day, put my vacation into the sprint, my days off are"
        " the 0 and 0, i take friday off, he is sick until thursday put it in, je suis en conge lundi note le dans "
        "le sprint, he is only here half days, plan me with 0 hours, mark me as away on friday, book my days off, i"
        " am not there on monday, reduce my hours in the sprint"
    ),
    "create_iteration": (
        "create a sprint, new sprint, create iteration, make the next sprint, add a sprint, plan a new sprint with "
        "dates, create sprint for two weeks, cree un sprint, nouveau sprint, we need a sprint 0 from monday, set up"
        " the next iteration, erstelle einen sprint, crear un sprint, open a new sprint, add iteration 0 to the "
        "project, we need sprint 0 from march 0 to 0, set up sprint 0 starting monday, the next sprint is missing "
        "make it, plan sprint 0 from 0 to 0, il nous faut un sprint 0, ouvre le prochain sprint, create the sprints"
        " of next quarter, there is no sprint after this one create it, sprint 0 should run from 0 to 0"
    ),
    "add_iteration_to_team": (
        "add sprint to team, assign iteration to team, let the team use the sprint, select iteration for team, the "
        "team should work in sprint 0, give sprint 0 to team falcon, ajoute le sprint a l equipe, subscribe the "
        "team to the sprint, sprint 0 does not show up for the team add it, the team wants to work in sprint 0, the"
        " team should use sprint 0 as well, sprint 0 is for our team too, put sprint 0 into the team s sprints, "
        "team does not see sprint 0, make sprint 0 available to the team, l equipe doit utiliser le sprint 0, "
        "assign the sprint to our team, take the team into sprint 0"
    ),
    "list_projects": (
        "projects, which projects are there, all projects, projects in the organization, where do i start, what "
        "projects do we have, which projects can i see, what is in this organization, what can i look at here, show "
        "all projects, quels projets avons nous, liste des projets, welche projekte gibt es, que proyectos hay, how "
        "many projects are there, is there a project called atlas, overview of the organization, what is going on in "
        "our organization which projects, what have we got in devops, what do we have here, show me around, ou "
        "commencer, how is the organization structured"
    ),
    "get_project": (
        "project details, description of project, process template of project, about the project, is project atlas "
        "scrum or agile, what is project atlas for, which process does the project use, description of the project, "
        "does the project use git or tfvc, id of the project, quel processus utilise le projet, a quoi sert ce "
        "projet, infos sur le projet, welchen prozess nutzt das projekt, tell me about project atlas, is the project "
        "public or private, when was the project last changed, whats project nova about, template of project nova, is"
        " nova an agile project, capabilities of the project"
    ),
    "list_teams": (
        "teams, which teams are there, teams of project, all teams, squads, what squads are there, which teams are in"
        " the project, list our teams, how many teams are there, quelles equipes y a t il, liste des equipes, welche "
        "teams gibt es, que equipos hay, default team of the project, names of the teams, which teams work in project"
        " nova, what groups of people are in the project, who are the teams, quelles sont les equipes du projet"
    ),
    "get_team_members": (
        "members of team, who is in the team, people in the squad, who belongs to the team, team admin, who "
        "administers the team, colleagues in team, team roster, who works in team kraken, who are the people of the"
        " team, is anna in the platform team, who is the admin of the team, how many people are on the team, "
        "members of squad, who can i ask in team falcon, qui fait partie de l equipe, qui travaille dans l equipe, "
        "membres de l equipe, qui sont mes collegues, wer ist im team, quien esta en el equipo, team composition, "
        "people on my team, who do i work with, size of the team, who can i ask in team nova, who is on team nova, "
        "names of everyone in the team, does tom belong to the ops team, how big is team nova, who leads the team, "
        "team lead of nova, qui est dans l equipe nova, qui est l admin de l equipe, my teammates, people in ops, "
        "who is in team, who is in the team, qui est dans l equipe"
    ),
    "list_iterations": (
        "sprints, iterations of team, which sprints are there, sprint dates, upcoming sprints, past sprints, next "
        "sprint dates, sprint calendar, when does next sprint start, when is sprint 0, which sprints do we have, when"
        " does the next sprint start, dates of the sprints, how long are our sprints, when was the last sprint, list "
        "past sprints, what comes after this sprint, which sprint is next, quels sont les sprints, quand commence le "
        "prochain sprint, dates du sprint 0, wann beginnt der nachste sprint, cuando empieza el siguiente sprint, "
        "sprint schedule, iterations of the team, upcoming iterations, when is sprint 0 planned, dates of sprint 0, "
        "how many sprints until the release, sprint calendar of this year, which sprint was in may"
    ),
    "get_current_iteration": (
        "current sprint, which sprint are we in, when does the sprint end, current iteration, days left in sprint, "
        "end of sprint, what sprint is it, sprint goal date, active sprint, how many days until the sprint is over, "
        "what sprint are we in, which iteration is it now, how long do we have left in the sprint, when did this "
        "sprint start, quel est le sprint en cours, quand finit le sprint, combien de jours reste t il dans le "
        "sprint, in welchem sprint sind wir, cual es el sprint actual, name of the current sprint, dates of this "
        "sprint, is the sprint over yet, how much of the sprint is left, when is the sprint done, when do we finish "
        "this sprint, is it the last day of the sprint, sprint now, last day of this sprint, on est dans quel sprint"
    ),
    "list_area_paths": (
        "area paths, areas of project, which areas exist, area tree, component areas, what areas can i file bugs "
        "under, which area paths are there, area tree of the project, how is the project split into areas, quelles "
        "zones y a t il, chemins de zone, bereichspfade, areas of the product, under which area does checkout go, "
        "list the areas, how are areas structured, which components do we have as areas, where in the area tree, sous"
        " quelle zone"
    ),
}
