"""How people ask for repositories, policies, security and searches."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "list_repositories": (
        "repositories, which repos are there, all repos, list git repos, what code do we have, what repos do we have,"
        " which repositories are in the project, list all code repositories, how many repos are there, where is our "
        "code, what code bases are there, quels depots y a t il, liste des repos, welche repos gibt es, que "
        "repositorios hay, show me the git repos, biggest repositories, is there a repo for the web app, which repos "
        "belong to the project, what git repos are there, is there a repository called shop, where does the source "
        "live"
    ),
    "get_repository": (
        "repository details, default branch of repo, clone url, size of repository, about the repo, address of the "
        "repo to clone, how do i clone the repo, clone address of the repo, what is the default branch, url of the "
        "repository, how big is the repo, comment cloner le depot, quelle est la branche par defaut, adresse du "
        "depot, wie klone ich das repo, url del repositorio, is the repository disabled, remote url of the repo, ssh "
        "url of the repo, where can i clone shop from, whats the main branch of the repo, size of the repo, git url, "
        "how do i check out the code"
    ),
    "list_branches": (
        "branches, which branches are there, stale branches, branches of repo, old branches, how far behind are "
        "branches, unmerged branches, branches nobody has touched for months, which branches can be deleted, what "
        "branches are in the repo, which branches are behind main, active branches, old branches to clean up, who has"
        " open branches, feature branches, quelles branches y a t il, liste des branches, branches obsoletes, welche "
        "branches gibt es, que ramas hay, how many branches does the repo have, which branches are not merged yet, do"
        " we have a release branch, which branches are dead, which branches did anna make, branches that are merged, "
        "is there a branch for the hotfix, leftover branches, quelles branches trainent, branches ahead of main, what"
        " branches are still alive, quelles branches n ont pas bouge depuis des mois, branches without commits for a "
        "year, branches that did not move"
    ),
    "get_branch": (
        "branch details, last commit on branch, is branch behind main, how far ahead is branch, tip of branch, head "
        "of the branch, is feature branch far behind main, last commit on branch develop, how many commits is my "
        "branch ahead, what is the head of main, is my branch up to date with main, latest commit of main, ou en est "
        "la branche develop, dernier commit de la branche, wie weit ist mein branch hinter main, ultimo commit de la "
        "rama, does the branch hotfix exist, how many commits is my branch ahead of main, how old is the branch, when"
        " was the branch last touched, is develop behind main, combien de commits de retard sur main, does my branch "
        "lag behind main, how stale is the branch, whats the newest commit on develop"
    ),
    "create_branch": (
        "create branch, branch off main, new branch, cut a branch, start feature branch, fork off a branch from "
        "develop, make a branch for the hotfix, branch out from main, new branch called fix, start a branch for "
        "ticket 0, i need a branch, cut release branch 0, cree une branche depuis main, nouvelle branche pour le "
        "correctif, ouvre une branche, erstelle einen branch von main, crear una rama, set up a feature branch, open "
        "a hotfix branch off main, spin off a branch from main, i want to start on a new feature make a branch, "
        "branch main for the release, give me a branch for this fix, start hotfix branch from the tag, ouvre moi une "
        "branche, il me faut une branche, create a release branch from develop, branch off develop for the hotfix"
    ),
    "delete_branch": (
        "delete branch, remove merged branch, drop branch, clean up branch, delete the branch, remove the old feature"
        " branch, get rid of merged branch, kill the branch, the branch is merged drop it, supprime la branche, "
        "efface la branche, losche den branch, borrar la rama, prune branch, clean up my old branch, the branch can "
        "go, drop the spike branch, we are done with the branch remove it, tidy up the merged branch, la branche ne "
        "sert plus supprime la, the branch old can go, branch x is obsolete delete it, feature branch is merged "
        "remove it"
    ),
    "get_file_content": (
        "read file, show file, contents of file, open the source file, show lines of file, cat file, what is in the "
        "file, yaml file in repo, show dockerfile, show readme, look at the config file, print package json, source "
        "of file, cat main py from the repo, show me the dockerfile, what does appsettings json contain, read the "
        "readme of the repo, open azure pipelines yml, show lines 0 to 0 of the file, let me see the source of the "
        "class, print the config file, which version is in package json, look into requirements txt, view file on "
        "branch develop, montre le fichier, affiche le contenu du fichier, lis le readme, ouvre le dockerfile, zeig "
        "mir die datei, mostrar el archivo, what does the script do, the code of this file, yaml of the pipeline in "
        "the repo, let me see line 0 to 0 of program cs, what does main py look like, show me values yaml on main, "
        "how is the timeout set in the config file, whats written in the readme, give me the content of docker "
        "compose, look at line 0 of the file, montre moi les lignes 0 a 0 du fichier, read the license file, what did"
        " the file look like on the release branch"
    ),
    "list_files": (
        "files in folder, list files of repo, directory listing, folder contents, what is in the directory, structure"
        " of the repo, file tree, ls, what is inside the folder, what files are in src, list the root of the repo, "
        "which folders does the repo have, show the tree of the repo, what is under infra, how is the repo "
        "structured, is there a tests folder in the repo, que contient le dossier, liste les fichiers du depot, "
        "arborescence du depot, welche dateien liegen im ordner, archivos en la carpeta, ls src, browse the "
        "repository, look around in the repo, what is in the scripts directory, are there any yaml files in the "
        "folder, what lives under src, file listing, which files are at the top of the repo, que contient le "
        "repertoire scripts, where is the dockerfile in the tree"
    ),
    "list_commits": (
        "commits, who committed, last commits on branch, commit history, git log, commits by author, who changed the "
        "file, history of file, what landed on main, recent commits, what was merged into main, latest changes in "
        "repo, code changes since, who touched the file, what did person commit, blame, what did tom check in "
        "yesterday, who changed this file last, last commits on main, what happened in the repo this week, show the "
        "git log, who worked on this file, when was this file changed, what landed on main since friday, latest "
        "commits, commits of anna, what has been committed today, what changed in the code since monday, qui a "
        "modifie le fichier en dernier, derniers commits, commits de karim, historique du fichier, qui a touche a ce "
        "fichier, letzte commits auf main, ultimos commits, recent changes in the repository, who wrote this code, "
        "what is new on develop, activity in the repo, how many commits this week, who broke this file, who was the "
        "last one to fiddle with the file, walk me through what landed since monday, what went into main today, "
        "commits of the last two days, what has anna been coding, has anybody worked on develop lately, when did this"
        " file change, who keeps changing this file, log of the branch, qu est ce qui est arrive sur main, qu a "
        "commite karim hier, git history of the file, last change to the dockerfile, who added this file, what has "
        "been going on in the repo since monday, what did people do in the repo lately, recent work in the repo, what"
        " is new in the repo, latest work on the code, who has been messing with the script, who edited the deploy "
        "script, who changed this script"
    ),
    "get_commit": (
        "show commit, commit details, what does commit change, message of commit, commit sha, files of commit, author"
        " of the commit, what is in commit abc 0, show commit abc 0, what did commit abc 0 change, who made commit "
        "abc 0, message of the commit, files in commit, montre le commit, que contient le commit, auteur du commit, "
        "zeig den commit, detalles del commit, what does changeset do, look at sha, what was done in abc 0, diff of "
        "the commit, why was commit abc 0 made, who wrote abc 0, which files did sha abc 0 touch"
    ),
    "compare_commits": (
        "compare branches, compare commits, diff between branches, differences between tags, what differs from main, "
        "changes between two commits, difference between releases in code, what is different between v 0 0 and v 0 0,"
        " difference between main and develop, which files differ between the branches, compare release 0 with "
        "release 0, what would i merge from develop into main, what changed from tag 0 0 to tag 0 0, diff main "
        "against my branch, compare la branche develop avec main, quelles differences entre les deux branches, "
        "unterschied zwischen main und develop, diferencias entre ramas, what is on develop that is not on main, "
        "changes between two versions of the code, compare two commits, delta between tags, how do the branches "
        "differ, tell me which files differ between main and release 0, what did we change since the last tag, what "
        "is new in release 0 compared to release 0, how far have main and develop drifted apart, what would go live "
        "if we merged develop, whats missing on the release branch, qu est ce qui a change entre les deux versions, "
        "side by side of two branches"
    ),
    "list_pushes": (
        "pushes, who pushed, who force pushed, pushes to branch, who moved the branch, push history, somebody rewrote"
        " history on main, who pushed to main last, pushes of today, who pushed last night, when was the last push, "
        "qui a pousse sur main, derniers push, qui a fait un force push, wer hat auf main gepusht, quien hizo push, "
        "who reset the branch, who moved main back, log of pushes, who overwrote main, someone pushed to the release "
        "branch who, when did the last push arrive, who deleted the commits from main, who moved the branch pointer"
    ),
    "push_changes": (
        "push changes, commit file, commit change to branch, edit file in repo, change file and commit, add file to "
        "repo, bump version in file, check in, push code, update readme on branch, fix typo in file, save file in "
        "repo, commit this, change the port in appsettings json and commit it, edit the readme and push, commit this "
        "change on my branch, fix the typo in readme md, replace this line in the file and commit, add a file to the "
        "repo, update the version in package json, delete the file from the branch and commit, write this file to the"
        " repo, save the yaml in the repository, make the edit in the config file and push it, commite ce changement,"
        " modifie le fichier et commite, ajoute un fichier dans le depot, pousse la modification, andere die datei "
        "und committe, hacer commit del cambio, push my fix to the branch, check in this file, rename the file in the"
        " repo, create a file in the repo, put this script into the repository, upload file to the branch, add a "
        "gitignore to the repo and commit it, bump the version in props straight on develop, set the timeout to 0 in "
        "config json and push, put this snippet in utils py and commit, apply this patch and push, remove this line "
        "from the file and commit, update the dockerfile to python 0 0, change one line in the yaml on my branch, "
        "write the changelog entry and commit, mets la version a jour dans le fichier et pousse, corrige la faute "
        "dans le readme"
    ),
    "list_branch_policies": (
        "branch policies, rules on main, who must approve changes to main, required reviewers of branch, build "
        "validation, is main protected, minimum number of reviewers, branch protection, how many approvals, how many "
        "people have to approve before something lands on main, what do i need to merge into main, which checks run "
        "on a pr to main, who has to review changes to main, rules for the release branch, can i push directly to "
        "main, do we require linked work items, is a build required before merging, quelles regles protegent main, "
        "combien d approbations faut il pour main, strategies de branche, welche richtlinien gelten fur main, reglas "
        "de la rama main, minimum reviewers, branch protection on develop, policies on the repo, required reviewers "
        "for the folder, may i merge to main without a second reviewer, how strict is main, what does it take to get "
        "into main, do builds have to be green for main, can i approve my own pr, is there a minimum of reviewers, "
        "peut on pousser directement sur main, who guards the release branch, what are the merge rules, who may "
        "approve changes to release branches, who can approve into main, approvers needed for main, which approvals "
        "does main need, do prs to main need a linked work item, must a pr be linked to a ticket, what is required of"
        " prs to main"
    ),
    "get_branch_policy": (
        "show policy, policy details, policy settings, show policy 0, details of policy 0, settings of the branch "
        "policy, what does policy 0 demand, details de la strategie, is policy 0 enabled and blocking, what is policy"
        " 0, explain policy 0"
    ),
    "list_pull_request_policies": (
        "what blocks pr, why ca not pr be merged, checks of pr, policies of pr, does pr meet requirements, required "
        "checks of pr, what is pr waiting for, failing checks on pr, pr stuck, what still has to pass before the pr "
        "can merge, why is pr blocked, why wo not pr 0 merge, what is missing for pr 0 to be merged, which checks "
        "failed on pr 0, is pr 0 ready to merge, what is holding up pr 0, my pr is stuck, i can not complete pr 0, "
        "did the checks of pr 0 pass, what else does pr 0 need, status checks of pr 0, pourquoi la pr 0 ne peut pas "
        "etre fusionnee, qu est ce qui bloque la pr 0, quelles verifications manquent a la pr 0, warum kann pr 0 "
        "nicht gemergt werden, por que no se puede fusionar el pr, why is the merge button grey, does pr 0 still need"
        " approvals, pr 0 blocked by policy, build of pr 0 expired, pr 0 refuses to complete what is it still "
        "missing, why cant i merge pr 0, which gate is pr 0 failing, what does pr 0 lack, is everything green on pr "
        "0, merge of pr 0 is blocked, que manque t il a la pr 0, are all conditions of pr 0 met, checks on pr 0, "
        "wheres pr 0 stuck"
    ),
    "list_security_alerts": (
        "security alerts, vulnerabilities in repo, cve in dependencies, leaked secrets in code, advanced security "
        "findings, code scanning alerts, exposed credentials, vulnerable dependencies, security problems, security "
        "issues in repo, secret scanning, do we leak any passwords in the repo, are there vulnerabilities in our "
        "code, is our code secure, any secrets committed by accident, which dependencies have known holes, are we "
        "affected by log 0 j, critical security findings, how many security alerts are open, results of code "
        "scanning, avons nous des failles de securite, des secrets dans le depot, vulnerabilites du depot, alertes de"
        " securite, gibt es sicherheitslucken, vulnerabilidades del repositorio, insecure packages, exposed keys in "
        "code, high severity vulnerabilities, is any of our libraries vulnerable, security holes, did anybody check "
        "in a password by accident, are we vulnerable, how secure is the repo, any cves, list secrets in the history,"
        " do we use a library with a hole, which alerts are critical, avons nous laisse trainer des mots de passe, is"
        " there an api key in the repo, what did the security scan find, dependency vulnerabilities, is there a "
        "secret in our git history, secrets in the history"
    ),
    "get_security_alert": (
        "details of alert, how to fix vulnerability, security alert details, where is the leaked secret, remediation "
        "for alert, explain the alert, how do i fix security alert 0, explain alert 0, what is alert 0 about, where "
        "was the secret leaked alert 0, how bad is alert 0, details de l alerte 0, comment corriger l alerte 0, "
        "sicherheitswarnung 0 erklaren, what should i do about vulnerability alert 0, which file has security alert "
        "0, how bad is finding 0 and how do i get rid of it, tell me more about the vulnerability, alert 0 in detail,"
        " what to do about finding 0"
    ),
    "search_code": (
        "search code, find in code, where is function used, which repo uses, grep, find usages, where is class "
        "defined, which files contain, find references in code, who calls this method, search the source for, where "
        "in the codebase, hard coded string, where do we use library, find todo comments in code, occurrences of, "
        "where do we call this function, where is this method used, which file defines the class, find todo in the "
        "code, where do we use this api key, who uses this library in code, which repos reference this package, where"
        " is the connection string set in the code, look for this string in all repos, does any code still use the "
        "old api, grep for password, where in the code is this error thrown, which services depend on this class, "
        "cherche dans le code, ou est utilisee cette fonction, dans quel fichier est definie la classe, quels depots "
        "utilisent cette librairie, wo wird diese funktion benutzt, suche im code nach todo, donde se usa esta "
        "funcion, find every place where we log, find usages of deprecated method, in which repo is the code for "
        "login, where is this implemented, which file contains this text, where do we read the environment variable, "
        "who calls the payment service in code, which repos still use log 0 j, find all callers, look for the string "
        "in the sources, where is the feature flag checked, what code touches the table orders, is this constant used"
        " anywhere, in which file is the retry logic, ou lit on cette variable, which class implements the interface,"
        " where do we parse the date, any references to the old url, show me usages, in which repos do we still use "
        "this library, which of our repos contain, where else is this used, which code still uses, search the code of"
        " all repositories, find where a function is defined over all repositories, in which of all repositories is "
        "this class defined"
    ),
    "search_wiki": (
        "search wiki, find in wiki, is it documented, where is the documentation about, find docs, runbook, how to in"
        " the wiki, find page about, search documentation for, where are the instructions, onboarding guide, do we "
        "have docs on, where is it written down, how do we rotate keys is that written down, where is it documented, "
        "find the documentation about backups, look in the wiki for disaster recovery, is there a guide for new "
        "people, how does our deployment process work, what is our policy on reviews look in the docs, where can i "
        "read about the architecture, is there anything in the docs about vpn, how do i set up my machine, what do "
        "the docs say about rollback, any how to for certificates, steps for onboarding, cherche dans le wiki, ou est"
        " documente le deploiement, y a t il une doc sur les sauvegardes, ou trouver la procedure d astreinte, "
        "comment on fait une mise en production c est documente, wo ist das dokumentiert, suche im wiki nach backup, "
        "buscar en el wiki, donde esta documentado, which wiki page explains the release process, which page mentions"
        " kafka, runbook for an outage, instructions for incident response, is there a checklist for releases, is "
        "there a page on how to request a vpn account, have we got a howto for rotating certs, how do we do releases "
        "here, whats the procedure for hotfixes, how is on call organized, wheres the write up of the outage, did "
        "somebody document the setup, comment on deploie, quelle est la procedure pour, wie machen wir releases, "
        "where do i find the coding guidelines, tell me how to set up the dev environment from our docs, who to call "
        "in an emergency, check the docs for the retention period, what do we do when the site is down"
    ),
    "search_work_item_text": (
        "search work items full text, full text search in tickets, search all fields of tickets, tickets mentioning "
        "in comments, search tickets for text anywhere, full text search over tickets, search every field of the work"
        " items for this word, search descriptions and comments of tickets for an error, where in the tickets is this"
        " error mentioned, tickets mentioning this customer anywhere, recherche plein texte dans les tickets, "
        "volltextsuche in tickets, which tickets contain this stack trace, find this error message in the tickets, "
        "find tickets with this exact error text, which work items mention the customer in a comment, look everywhere"
        " in the tickets for this, deep search of tickets"
    ),
    "find_file": (
        "which repositories have a file, which repos lack a file, repos without a readme, repos with a dockerfile,"
        " in which repo is the file, repositories that have a folder, which of our repos has a helm folder, find "
        "file x in all repos, where is the file called x, who has a codeowners file, which repos have no pipeline "
        "yaml, quels depots ont un dockerfile, dans quel depot est le fichier, is there a repo that contains "
        "global json, all repositories with a package lock, which repos miss the license file, locate a file by "
        "its name across repositories, in welchem repo liegt die datei"
    ),
}
