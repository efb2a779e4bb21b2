"""English and French as far as requests are made of them: words without meaning, questions, and what verbs ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# Said in every request, and telling nothing of what is asked.
FILLERS: Final = frozenset(
    (
        "a about actually after again all already also am an and another any anyone anything are as at away back be"
        " been before being below between but by called can cannot could currently did do does doing done down"
        " during each else ever every everything exactly far few for from gave given go going gone got had has have"
        " having he hello her hers hey hi him his hm how i id if im in into instead is it its just kindly last lately"
        " latest let lets like long lot made many may maybe me might mine more most much must my myself named need"
        " needs new next nice no not now number of off ok on once one only onto or other our ours out over own per"
        " please possible quick quickly really recent recently right same see she should since so some somebody"
        " someone something soon still such sure than thank thanks that the their them then there these they thing"
        " things this those three through till to today together tomorrow tonight too two until up upon us use using"
        " very via want wants was we week were what whats when where whether which while who whole whom whose why will"
        " with within without wont would year yes yesterday yet you your yours need wanna gonna id ive want month day"
        " days weeks months years morning afternoon monday tuesday wednesday thursday friday saturday sunday number"
        # French
        " ai ainsi alors apres assez au aucun aussi autre aux avant avec avoir avons bien bonjour c ca ce cela ces"
        " cet cette ceux chez ci comme comment d dans de deja demain depuis derniere dernieres derniers dernier des"
        " doit donc du elle elles en encore ensuite entre es est et ete etre eu eux faire fais fait faudrait faut hier"
        " ici il ils j je jour jours l la là le les leur leurs lui m ma mais me meme mes moi mon n ne nos notre nous"
        " ont ou par parmi pas peut peux pour pourrais pourriez pouvez puis qu quand que quel quelle quelles quels qui"
        " quoi s sa sans se semaine ses si soit son sont sous sur svp ta te tes toi ton toujours tous tout toute toutes"
        " tu un une va vais veux voudrais voulons vos votre vous vu y aujourd hui matin mois nouveau nouvel nouvelle"
        " nouvelles nouveaux merci plait stp"
    ).split()
)

# A request that begins so is asked to be told something, whatever verbs follow.
ASKING: Final = frozenset(
    (
        "what whats which who whom whose why when where how is are was were did does do has have show list get"
        " find see read view display tell look lookup search check count fetch browse print explain retrieve know"
        " describe inspect download any query pull"
        " qui quoi quel quelle quels quelles quand comment pourquoi ou montre montrer montrez liste lister listez"
        " affiche afficher affichez cherche chercher cherchez trouve trouver trouvez voir lire"
        " lis consulter recherche rechercher regarder recupere recuperer combien est sont ont telecharger"
    ).split()
)
# Begins a request for something to be done, although it looks like a question.
POLITE: Final = (
    "can you,could you,would you,will you,can we,could we,can i,could i,i want to,i would like to,id like to,i need to,"
    "we need to,we want to,how do i,how can i,how to,how do we,i have to,help me,please,peux tu,pouvez vous,"
    "pourrais tu,pourriez vous,je veux,je voudrais,il faut,j aimerais,comment,est ce que tu peux,on doit,go ahead and,"
    "let s,lets,hey,hi,bonjour,i d like to,give me,give us,get me,donne moi,donnez moi,i m going to,time to,est ce"
    " que je peux"
)

# What a verb asks for. Where a verb may mean several, the tool needs to do one of them.
ACTIONS: Final[Mapping[str, str]] = {
    "create": "create make raise open add new file log write start set setup put prepare generate register author"
    " spin draft cut submit introduce publish define provision schedule whip book reserve stand allow enable"
    " creer cree creez ajouter ajoute ajoutez ouvrir ouvre ouvrez nouveau nouvelle rediger redige documenter"
    " documente document autoriser autorise",
    "change": "update change edit modify set rename replace rewrite assign reassign close reopen adjust fix correct"
    " alter mark move bump resolve amend put reword revise give hand transition unassign prioritize tag retitle"
    " activate complete finish abandon raise lower promote extend shift swap pass flip take turn reactivate"
    " modifier modifie modifiez changer change mettre mets fermer ferme fermez assigner assigne renommer renomme"
    " resoudre corriger corrige affecter affecte passer passe deplacer deplace cloturer cloture remplacer remplace"
    " abandonner abandonne attribuer attribue rouvrir",
    "move": "move drag shift put slide push deplacer deplace transferer bouger mettre mets passer passe advance",
    "rename": "rename retitle renommer renomme call",
    "delete": "delete remove drop erase destroy trash purge bin kill nuke wipe discard detach unlink clean get"
    " take scrap tear disconnect strip supprimer supprime supprimez effacer efface enlever enleve retirer retire"
    " detruire jeter jette ditch zap unassign dissociate delier detacher",
    "run": "run start trigger queue launch kick fire build execute begin relaunch rebuild rerun redeploy deploy retry"
    " restart refresh sync reload lancer lance lancez demarrer demarre executer execute declencher declenche relancer"
    " relance relancez redemarrer redemarre ship update resync rafraichir synchroniser synchronise actualiser pull"
    " spin compile re-run resume resubmit",
    "retry": "retry rerun relaunch relancer relance relancez restart redo repeat reessayer redemarrer try run resume",
    "cancel": "cancel stop abort kill halt interrupt terminate annuler annule annulez arreter arrete arretez stopper"
    " interrompre end call pull",
    "abandon": "abandon close cancel withdraw drop reject discard abandonner abandonne annuler fermer ferme",
    "approve": "approve reject accept vote decline sign give green thumbs ok bless deny authorize refuse let lgtm block"
    " approuver approuve approuvez rejeter rejette valider valide refuser refuse accepter accepte wave reset wait",
    "merge": "merge complete land finish fusionner fusionne fusionnez merger terminer squash ship finaliser integrate"
    " close",
    "comment": "comment reply answer note say write respond post leave tell ask add ping mention remark"
    " commenter commente repondre reponds ecrire ecris laisser laisse",
    "link": "link connect associate relate tie attach add join reference hook make set put nest"
    " lier lie liez relier relie associer associe rattacher rattache connecter parent",
    "attach": "attach upload add put joindre joins attacher attache televerser ajouter ajoute include",
    "deploy": "deploy release ship promote push roll start launch redeploy put send get deployer deploie livrer"
    " mettre mets rollout trigger run publier",
    "record": "record enter log report save note add create submit put mark upload"
    " enregistrer enregistre saisir noter consigner",
    "invite": "invite add ask request assign put get have include need ajouter ajoute inviter demander demande",
    "commit": "commit push check save write add change edit update put upload create modify pousser pousse committer"
    " enregistrer",
}
# Verbs of writing that are as often a thing that is spoken of: they count as verbs only where a request begins.
ALSO_THINGS: Final = frozenset(
    (
        "build release test comment link note log file report run start update change commit branch tag open close set"
        " fix cut book lance mark draft block vote complete merge deploy refresh sync queue drop pull push put take"
        " release call ship turn like fire green pass passe join give say new note need have let get go ask answer"
        " save change ferme parent ouvre lie bin trash record reply schedule post make reset wait end cancel review"
        " retire lower extend request try approve"
    ).split()
)

# `news` is more than one `new`.
NO_PLURALS: Final = frozenset({"news"})
# Verbs of several words, wherever they stand.
PHRASAL: Final[Mapping[str, str]] = {
    "delete": "get rid of,throw away,throw out,clear out,clean up,take off,faire disparaitre,no longer",
    "run": "kick off,fire off,set off,start up,spin up",
    "approve": "sign off,thumbs up,green light,give the go,feu vert,looks good",
    "deploy": "roll out,go live,put into production,en production",
    "cancel": "call off,shut down,pull the plug",
    "change": "mets a jour,mettre a jour,hand over,give to",
    "create": "set up,write up,mettre en place",
    "retry": "try again,another go,run again",
}
# What the first word of a tool's name does, where it is not called as what is asked for.
DOES: Final[Mapping[str, str]] = {
    "update": "change",
    "replace": "change",
    "add": "create",
    "new": "create",
    "write": "create",
    "open": "create",
    "complete": "merge",
    "remove": "delete",
    "queue": "run",
    "start": "run",
    "refresh": "run",
    "vote": "approve",
    "push": "commit",
}
# What follows is what somebody wrote or called something, and not what they want.
QUOTING: Final = (
    "titled called named saying entitled says intitule intitulee nomme nommee appele appelee disant subject"
).split()
