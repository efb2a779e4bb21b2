"""How people ask for pull requests."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "list_pull_requests": (
        "pull requests, open pull requests, prs waiting for my review, my prs, which prs are open, merge requests, "
        "prs by person, completed prs, what do i have to review, prs merged, draft prs, reviews waiting for me, "
        "abandoned prs, stale prs, which prs landed, prs i opened, anything waiting for me to review, which pull "
        "requests are open, my open prs, what did i promise to review, prs of anna, how many prs are open, which "
        "prs were merged this week, what needs a review, what was merged yesterday, oldest open pr, prs against the"
        " release branch, pull requests in all repos waiting for me, quelles pr sont ouvertes, mes pull requests, "
        "qu ai je a relire, demandes de tirage en attente, quelles pr ont ete fusionnees hier, welche pull requests"
        " sind offen, que pull requests estan abiertos, is there a pr for this branch, show drafts, prs without "
        "reviewers, reviews i owe, code reviews for me, who has open prs, prs that nobody looked at, merged prs of "
        "last week, what do i need to review today, which pull requests has nobody picked up for review, y a t il "
        "des pr qui m attendent, whats in review, what reviews are pending, prs that sit around, anything to "
        "approve for me in code, latest merges, which prs target the release branch, who is waiting for my review, "
        "list open merge requests, prs of this week, did we merge anything today, prs older than a week, how many "
        "reviews do i owe, les pr en attente, les pr de karim, what is there to review, anything to review, what "
        "waits for review, what is open for review, reviews for me"
    ),
    "get_pull_request": (
        "show pull request, details of pr, status of pr, is pr merged, reviewers of pr, who approved pr, who voted on"
        " pr, has pr conflicts, is the pr ready, who has to review the pr, description of pr, who reviews, did pr 0 "
        "go in yet, is pr 0 merged, what is pr 0 about, who opened pr 0, does pr 0 have conflicts, who reviews pr 0, "
        "who approved pr 0, tell me about pull request 0, state of pr 0, can i merge pr 0, is pr 0 still a draft, "
        "which branch does pr 0 come from, summarize pr 0, has pr 0 been approved, ou en est la pr 0, montre la pr 0,"
        " qui a approuve la pr 0, la pr 0 est elle fusionnee, de quoi parle la pull request 0, zeig mir pr 0, estado "
        "del pr 0, commits in pr 0, who still has to vote on pr 0, why is nobody looking at pr 0, is pr 0 in yet and "
        "who gave the ok, whats up with pr 0, whats the story with pr 0, has somebody looked at pr 0, is pr 0 "
        "conflicting, who is reviewing pr 0, how many votes has pr 0, who wrote pr 0, has my pr been merged, who "
        "signed off on pr 0, la pr 0 est elle passee, target branch of pr 0"
    ),
    "create_pull_request": (
        "open pull request, create pr, raise pr, new pr from branch, submit pr, put up my branch for review, merge "
        "request from branch, send my branch for review, propose changes, put my branch up for review against main, "
        "open a pr from feature to main, raise a pull request, make a pr out of my branch, i want my changes in main "
        "open a pr, propose my branch for merging, send my work for review, i am done with my branch create the pr, "
        "draft pr from my branch, ouvre une pr de feature vers main, cree une pull request, nouvelle demande de "
        "tirage, soumets ma branche en relecture, erstelle einen pull request, abrir un pull request, get my branch "
        "reviewed, submit a merge request, bring develop into main by a pr, i am finished on my branch get it "
        "reviewed and into main, time to merge my branch open a pr, bring my branch to main with a pr, ask for "
        "merging feature into develop, put a pr up, pr for my branch, open a draft pull request, j ai fini ma branche"
        " ouvre une pr, propose ma branche"
    ),
    "update_pull_request": (
        "change title of pr, edit description of pr, abandon pr, close pr without merging, mark pr as draft, "
        "publish draft pr, reactivate pr, set auto complete on pr, change target branch of pr, withdraw pr, rename "
        "pr, retarget pr, take pr out of draft, we do not want pr 0 any more drop it, close my pull request, "
        "abandon pr 0, withdraw my pr, cancel the pull request, turn on auto complete for pr 0, make pr 0 a draft, "
        "pr 0 is ready take it out of draft, publish pr 0, rename pr 0, change the description of pr 0, reopen pr "
        "0, change the title of my pull request, close pr 0 we do not need it, discard pr 0, reactivate the "
        "abandoned pr, kill pr 0, merge pr 0 automatically when the checks pass, abandonne la pr 0, ferme la pr 0, "
        "ferme ma pull request, change le titre de la pr, passe la pr en brouillon, active la completion "
        "automatique, annule la pull request 0, schliesse pr 0, pr 0 verwerfen, cerrar el pull request, pr 0 is "
        "obsolete close it, throw pr 0 away, reject and close my own pr, stop auto complete on pr 0, pr 0 is no "
        "longer needed close it, close pr 0, close the pull request, call off pr 0, retract my pr, fais passer la "
        "pr 0 de brouillon a publiee, the pr needs a better title, point pr 0 at develop instead, let pr 0 merge "
        "itself once it is green, set pr 0 to auto complete, pr 0 can be thrown away, undraft pr 0, put pr 0 back "
        "to draft, bring pr 0 back, la pr 0 ne sert plus, laisse tomber la pr 0, revive pr 0, pull my pr back, "
        "scrap pr 0 we went another way, pr 0 is obsolete, forget about pr 0, we do not merge pr 0 abandon it, pr "
        "0 was replaced by 0 close it, set the pull request to autocomplete"
    ),
    "complete_pull_request": (
        "merge pr, complete pr, squash merge pr, land pr, merge it, finish pull request, merge and delete the "
        "source branch, get pr into main, ship the pr, close pr by merging, squash pr 0 into main, merge pr 0, "
        "complete pr 0, get pr 0 in, land pr 0, pr 0 is approved merge it, finish pr 0 and delete the branch, "
        "rebase and merge pr 0, go ahead and merge, bypass the policy and merge pr 0, fusionne la pr 0, merge la pr"
        " 0, termine la pull request 0, integre la pr 0 dans main, pr 0 mergen, fusionar el pull request, ship pr "
        "0, pull the changes of pr 0 into main, close and merge pr 0, pr 0 has all its approvals merge it in, bring"
        " pr 0 home, get 0 merged, pr 0 is good to go complete it, squash it and delete the source branch, merge it"
        " with a rebase, finalize the pr, do the merge of pr 0, all green on pr 0 so merge, on peut fusionner la pr"
        " 0, fais le merge de la pr 0, force pr 0 through, finish off pr 0, 0 is green get it in, the pr is "
        "approved get it in, pr 0 is ready go ahead, it is reviewed merge it, 0 is green get it in, 0 is ready get "
        "it in, pr 0 is good to go, get my pr in, it is green get it in, 0 is approved get it in, all green merge "
        "it"
    ),
    "add_pull_request_reviewer": (
        "add reviewer to pr, ask person to review pr, request review from, assign reviewer, ping someone to look at"
        " pr, get person to review my pr, make person required reviewer, invite to pr, i need anna s eyes on pr 0, "
        "ask tom to review pr 0, add anna as reviewer to pr 0, get somebody from the team to look at my pr, put "
        "karim on pr 0, request a review from anna, make anna a required reviewer of pr 0, who can review this add "
        "tom, let tom look over pr 0, ajoute anna comme relecteur de la pr 0, demande a karim de relire la pr 0, "
        "fuge anna als reviewer hinzu, agregar a ana como revisora, invite the security team to pr 0, have anna "
        "check my pull request, cc anna on pr 0, i want tom to review my changes, assign pr 0 to anna for review, "
        "can ines and bo please look at pr 0, i would like anna to review pr 0, get a second pair of eyes on pr 0, "
        "pr 0 needs a reviewer add tom, loop tom in on pr 0, make the platform team review pr 0, who could review "
        "pr 0 put bo on it, j aimerais que karim relise la pr 0, mets karim en relecteur, get a second reviewer on "
        "0, find somebody else for 0, one more reviewer on 0"
    ),
    "remove_pull_request_reviewer": (
        "remove reviewer from pr, take person off pr, drop reviewer, remove from the review, take bob off the "
        "reviewers of pr 0, remove tom from pr 0, anna should not review pr 0 any more, drop karim as reviewer, "
        "unassign anna from the review of pr 0, tom left take him off the pull request, retire anna des relecteurs de"
        " la pr 0, enleve karim de la pr 0, entferne anna als reviewer, quitar a tom como revisor, anna is away "
        "remove her as a reviewer, take the security group off pr 0, let tom off the hook for pr 0, tom need not "
        "review pr 0, free anna from reviewing pr 0, strike tom from the reviewers, tom does not have to look at pr 0"
        " any more"
    ),
    "vote_pull_request": (
        "approve pr, reject pr, vote on pr, lgtm pr, thumbs up on pr, sign off pr, approve with suggestions, wait "
        "for author, request changes on pr, decline pr, give green light to pr, block pr, reset vote, looks good to"
        " me approve pr 0, approve pull request 0, i approve 0, give pr 0 my ok, reject pr 0, pr 0 is fine for me, "
        "request changes on pr 0, vote no on pr 0, thumbs up for pr 0, i am happy with pr 0, wait for the author on"
        " pr 0, take back my approval of pr 0, approuve la pr 0, refuse la pr 0, valide la pull request 0, je "
        "valide la pr 0, mets un vote negatif sur la pr 0, genehmige pr 0, lehne pr 0 ab, aprobar el pull request, "
        "block pr 0 until the tests are there, 0 on pr 0, lgtm 0, reset my vote on pr 0, pr 0 needs work, pr 0 gets"
        " my blessing, pr 0 is ok for me, nod pr 0 through, i am fine with pr 0, turn pr 0 down, rejette la pr 0 il"
        " manque des tests, pr 0 has my approval, give pr 0 a plus one, veto pr 0, say no to pr 0, hold pr 0 back "
        "waiting for author, ok pour la pr 0, i withdraw my vote on pr 0, pr 0 request changes, ask for changes on "
        "pr 0, pr 0 request changes, pr 0 needs changes, pr 0 looks fine"
    ),
    "add_pull_request_comment": (
        "comment on pr, review pr 0 of x, review pull request 0, "
        "reply to review comment, leave a comment on pr, tell the author on pr, add review comment on "
        "line, reply to thread on pr, answer reviewer, write feedback on pr, ask question on pr, tell the author of "
        "pr 0 that the null check is missing, comment on line 0 of pr 0, ask on pr 0 why this was removed, reply to "
        "the reviewer on pr 0, answer the comment on my pr, leave feedback on pr 0, suggest a better name on pr 0, "
        "note on pr 0 that the test is missing, say thanks on pr 0, commente la pr 0, reponds au commentaire sur la "
        "pr, laisse une remarque sur la pr 0, ecris sur la pr 0 que, kommentiere pr 0, comentar en el pull request, "
        "point out the bug in pr 0, write a review comment, respond to the thread on pr 0, ping the author on pr 0, "
        "ask on pr 0 whether the cache is thread safe, drop a note on pr 0, tell them on pr 0 that the name is wrong,"
        " leave a nit on pr 0, answer tom on pr 0, thank the reviewers on pr 0, raise a concern on pr 0, demande sur "
        "la pr 0 pourquoi, line 0 of the pr needs a comment, let the author of pr 0 know"
    ),
    "get_pull_request_comments": (
        "comments on pr, what did reviewers say, review feedback, unresolved threads on pr, discussion of pr, what "
        "was said in the review, review comments, open threads of the pr, remarks of reviewers, which remarks on pr"
        " 0 are unresolved, what did the reviewers say about pr 0, what feedback did my pr get, what did anna say "
        "on pr 0, open discussions on pr 0, what do i still have to address on pr 0, read the review of pr 0, is "
        "there any comment on my pr, any answers to my comment on pr 0, quels commentaires sur la pr 0, qu ont dit "
        "les relecteurs, fils non resolus de la pr 0, que disent les relecteurs de ma pr, kommentare zu pr 0, "
        "comentarios del pull request, why did tom reject pr 0, objections to pr 0, what are they asking me to "
        "change on pr 0, what are they moaning about on my pr, whats the feedback on pr 0, which comments did i "
        "get, anything left to answer on pr 0, what are the open points on pr 0, did tom find anything in pr 0, que"
        " reprochent ils a ma pr, what was criticized in pr 0, unanswered comments on my pr, review notes of pr 0, "
        "what do they want on my pr, feedback on pr 0, any open remarks on my pr, did anybody answer on pr 0"
    ),
    "update_pull_request_thread": (
        "resolve thread on pr, close thread, reopen thread, mark comment as fixed, mark thread as wo not fix, resolve"
        " conversation on pr, resolve comments on pr, close review comment, mark that review thread as fixed, resolve"
        " the comment thread 0 on pr 0, close the discussion on pr 0, reopen the thread on pr 0, the remark is dealt "
        "with resolve it, set thread to wo not fix, resolve all my threads, marque le fil comme resolu, ferme le fil "
        "de commentaires de la pr 0, resous le commentaire de la pr, thread als gelost markieren, resolver el hilo, "
        "this review comment is done, mark the comment on pr 0 as by design, set the status of the thread, thread 0 "
        "on pr 0 is sorted resolve it, my nit has been dealt with tick it off, close out the comments on pr 0, that "
        "discussion on pr 0 is settled, mark comment as resolved, open the thread again, conversation on pr 0 is "
        "done, le fil 0 est regle"
    ),
    "update_pull_request_comment": (
        "edit comment on pr, change my comment on pr, fix typo in my pr comment, rewrite my review comment, reword "
        "my comment on pull request 0, edit my review comment, fix the typo in my comment on pr 0, change what i "
        "wrote on pr 0, correct my remark on pr 0, modifie mon commentaire sur la pr 0, corrige mon commentaire de "
        "la pr, bearbeite meinen kommentar zu pr 0, editar mi comentario en el pr, my comment on pr 0 has a typo, "
        "rephrase my remark on pr 0, i wrote nonsense on pr 0 edit it, typo in my comment on the pr, i made a typo "
        "in my review comment, reword what i wrote under pr 0, fix my remark on pull request 0, correct what i "
        "wrote on the pr"
    ),
    "get_pull_request_work_items": (
        "work items linked to pr, which ticket belongs to pr, stories of pr, bugs fixed by pr, what ticket is pr for,"
        " tickets of the pr, which stories does pr 0 deliver, which ticket belongs to pr 0, what does pr 0 fix, is a "
        "work item linked to pr 0, tickets of pull request 0, quels tickets sont lies a la pr 0, quel bug corrige la "
        "pr 0, welche tickets gehoren zu pr 0, which bug is solved by pr 0, work items of pr 0, why was pr 0 made "
        "which ticket, for which tickets was pr 0 made, does pr 0 have a ticket, what requirement is behind pr 0, "
        "quel ticket pour la pr 0, is pr 0 tied to a story"
    ),
    "link_pull_request_work_item": (
        "link work item to pr, link bug to pull request, attach ticket to pr, associate story with pr, connect pr and"
        " ticket, tie bug 0 to pr 0, link ticket 0 to pull request 0, pr 0 fixes bug 0 link them, add work item 0 to "
        "pr 0, associate story 0 with pr 0, connect my pr with the ticket, pr 0 belongs to task 0, lie le bug 0 a la "
        "pr 0, associe le ticket 0 a la pull request, rattache le ticket a la pr, verknupfe ticket 0 mit pr 0, "
        "vincular el bug al pr, the pr needs a work item link 0, attach bug 0 to pr 0, hook bug 0 up to pr 0, pr 0 "
        "solves ticket 0 connect them, reference ticket 0 in pr 0, give pr 0 its work item, put story 0 on pr 0"
    ),
    "list_pull_request_changes": (
        "files changed by pr, which files does pr touch, changed files in pr, how big is pr, how many files does pr 0"
        " touch, which files are changed in pr 0, files of pull request 0, how large is pr 0, does pr 0 touch the "
        "database scripts, quels fichiers change la pr 0, fichiers modifies par la pr 0, welche dateien andert pr 0, "
        "archivos del pull request, is pr 0 big, which folders does pr 0 affect, is pr 0 a big one what does it "
        "touch, file list of pr 0, how much does pr 0 change, how many lines has pr 0, does pr 0 change the config"
    ),
    "get_pull_request_diff": (
        "diff of pr, show the changes of pr, lines changed by pr, code changes in pull request, what does pr change, "
        "patch of pr, review the code of pr, walk me through pr, review pr, look over pr, show the diff of pr 0, what"
        " does pr 0 change in the code, let me see the code of pr 0, review pr 0, do a code review of pr 0, which "
        "lines did pr 0 change, montre le diff de la pr 0, relis la pr 0, fais une revue de la pr 0, que change la pr"
        " 0 dans le code, zeig den diff von pr 0, revisar el pull request, look over my pr, what did they change "
        "since my last review of pr 0, is the code in pr 0 ok, check pr 0 for bugs, walk me through the changes of pr"
        " 0, read the code of the pull request, do a proper review of pr 0 for me, what exactly is changed in pr 0, "
        "let me read pr 0, inspect the code of pr 0, is there a bug in pr 0, what was added in pr 0, help me review "
        "pr 0, find problems in the code of pr 0, jette un oeil au code de la pr 0, changes in file x of pr 0, show "
        "me what pr 0 does to the code, what does pr 0 do, what is pr 0 doing to the login code"
    ),
}
