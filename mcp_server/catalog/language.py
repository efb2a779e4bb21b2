"""How requests are made, mostly in English and French: words without meaning, questions, and what verbs ask for."""

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
        " ve re ll isn don doesn didn aren won haven hasn wasn weren shouldn couldn wouldn cant dont doesnt didnt isnt"
        " anybody somewhere anywhere time times way lot bit earlier later though yeah well oh bloke folk folks guy"
        " guys both either neither"
        # Whoever and whatever is named as an example
        " anna hanna tom karim atlas falcon nova kraken acme"
        # French
        " ai ainsi alors apres assez au aucun aussi autre aux avant avec avoir avons bien bonjour c ca ce cela ces"
        " cet cette ceux chez ci comme comment d dans de deja demain depuis derniere dernieres derniers dernier des"
        " doit donc du elle elles en encore ensuite entre es est et ete etre eu eux faire fais fait faudrait faut hier"
        " ici il ils j je jour jours l la là le les leur leurs lui m ma mais me meme mes moi mon n ne nos notre nous"
        " ont ou par parmi pas peut peux pour pourrais pourriez pouvez puis qu quand que quel quelle quelles quels qui"
        " quoi s sa sans se semaine ses si soit son sont sous sur svp ta te tes toi ton toujours tous tout toute toutes"
        " tu un une va vais veux voudrais voulons vos votre vous vu y aujourd hui matin mois nouveau nouvel nouvelle"
        " nouvelles nouveaux merci plait stp il lui leur elles ceci cela etait etaient sera seront etc veuillez"
        # German and Spanish
        " der die das den dem des ein eine einen einem einer und oder im am von mit fur auf ist sind wird ich mir mich"
        " mein meine meinen sie es zu zum zur bei uns unser unsere el los las una unos unas del o en con por para son"
        " esta estan tiene mi lo al se bitte nach als aus bis favor nuestro nuestra"
    ).split()
)

# A request that begins so is asked to be told something, whatever verbs follow.
ASKING: Final = frozenset(
    (
        "what whats which who whom whose why when where how is are was were did does do has have show list get"
        " find see read view display tell look lookup search check count fetch browse print explain retrieve know"
        " describe inspect download any query pull may should"
        " qui quoi quel quelle quels quelles quand comment pourquoi ou montre montrer montrez liste lister listez"
        " affiche afficher affichez cherche chercher cherchez trouve trouver trouvez voir lire"
        " lis consulter recherche rechercher regarder recupere recuperer combien est sont ont telecharger"
        " zeig zeige zeigen welche welcher welches wer wann warum wo wie was gibt lies suche finde"
        " muestra mostrar ver cual cuales quien cuando donde hay busca buscar lista"
    ).split()
)
# These begin nothing but a question, whatever verbs of several words follow.
QUESTIONS: Final = frozenset(
    "what whats which who whom whose why when where is are was were did does may should qui quoi quel quelle quels"
    " quelles quand pourquoi welche welcher welches wer wann warum wo wie cual cuales quien cuando donde".split()
)
# Begins a request for something to be done, although it looks like a question.
POLITE: Final = (
    "can you,could you,would you,will you,can we,could we,can i,could i,i want to,i would like to,id like to,i need to,"
    "we need to,we want to,how do i,how can i,how to,how do we,i have to,help me,please,peux tu,pouvez vous,"
    "pourrais tu,pourriez vous,je veux,je voudrais,il faut,j aimerais,comment,est ce que tu peux,on doit,go ahead and,"
    "let s,lets,hey,hi,bonjour,i d like to,give me,give us,get me,donne moi,donnez moi,i m going to,time to,est ce"
    " que je peux"
)

# Small words that tell one request from another, in several languages, by what they ask or say.
_SMALL: Final = {
    "which": "which what whats quel quelle quels quelles welche welcher welches cual cuales was que",
    "who": "who whom whose qui wer wen wessen quien quienes",
    "when": "when quand wann cuando date",
    "why": "why pourquoi warum wieso reason cause raison explain diagnose investigate debug",
    "where": "where wo donde",
    "many": "many combien viele cuantos cuantas count",
    "long": "long temps lange duration",
    "last": "last latest recent newest derniere dernieres dernier derniers letzte letzten ultimo ultimos ultima ultimas"
    " neueste recently lately",
    "new": "new nouveau nouvelle nouvel nouvelles neu neue neuen nuevo nueva another",
    "open": "open ouvert ouverts ouverte ouvertes offen offene abierto abiertos abiertas unresolved",
    "all": "all tous toutes alle todos every everything",
    "now": "now currently current maintenant actuellement jetzt ahora actual moment cours",
    "left": "left remaining reste restent noch remain",
    "next": "next prochain prochaine prochaines nachste nachsten siguiente upcoming",
    "any": "any there hay gibt exist existe existent avons haben got",
    "show": "show display print view see montre montrer montrez affiche afficher affichez zeig zeige mostrar muestra"
    " ver voir read lis lire look",
    "list": "list liste lister listez",
    "find": "find search cherche chercher trouve trouver suche finde buscar grep recherche",
    "period": "today yesterday week month night nightly hier semaine heute gestern hoy ayer day since",
    "about": "detail about info information tell describe summarize",
    "how": "how comment wie como",
    "no": "no not pas nobody keine nicht never anymore longer",
    "again": "again erneut encore",
}
SMALL_WORDS: Final[Mapping[str, str]] = {word: name for name, words in _SMALL.items() for word in words.split()}
# What a verb asks for. Where a verb may mean several, the tool needs to do one of them.
ACTIONS: Final[Mapping[str, str]] = {
    "create": "create branch fork make raise open add new file log write start set setup put prepare generate register"
    " author spin draft cut submit introduce publish define provision schedule whip book reserve stand allow enable"
    " creer cree creez ajouter ajoute ajoutez ouvrir ouvre ouvrez nouveau nouvelle rediger redige documenter"
    " documente document autoriser autorise"
    " erstelle erstellen anlegen crear crea anadir agregar hinzufugen jot raise capture",
    "change": "update change edit modify set rename replace rewrite assign reassign close reopen adjust fix correct"
    " alter mark move bump resolve amend put reword revise give hand transition unassign prioritize tag retitle"
    " activate complete finish abandon raise lower promote extend shift swap pass flip take turn reactivate"
    " modifier modifie modifiez changer change mettre mets fermer ferme fermez assigner assigne renommer renomme"
    " resoudre corriger corrige affecter affecte passer passe deplacer deplace cloturer cloture remplacer remplace"
    " abandonner abandonne attribuer attribue rouvrir"
    " andere andern aktualisiere setze schliesse weise umbenennen cambiar cambia modificar actualizar cerrar"
    " renombrar upgrade scale disable",
    "move": "move drag shift put slide push deplacer deplace transferer bouger mettre mets passer passe advance"
    " verschiebe verschieben mover mueve slide shove",
    "rename": "rename retitle renommer renomme call umbenennen renombrar",
    "delete": "delete remove drop erase destroy trash purge bin kill nuke wipe discard detach unlink clean"
    " take scrap tear disconnect strip supprimer supprime supprimez effacer efface enlever enleve retirer retire"
    " detruire jeter jette ditch zap unassign dissociate delier detacher vire virer virez degage degager balance"
    " balancer rm"
    " losche loschen entferne entfernen eliminar borrar quitar",
    "run": "run start trigger queue launch kick fire build execute begin relaunch rebuild rerun redeploy deploy retry"
    " restart refresh sync reload lancer lance lancez demarrer demarre executer execute declencher declenche relancer"
    " relance relancez redemarrer redemarre ship update resync rafraichir synchroniser synchronise actualiser pull"
    " spin compile re-run resume resubmit"
    " starte starten fuhre ausfuhren ejecuta ejecutar lanzar",
    "retry": "retry rerun relaunch relancer relance relancez restart redo repeat reessayer redemarrer try run resume"
    " wiederhole reintentar",
    "cancel": "cancel stop abort kill halt interrupt terminate annuler annule annulez arreter arrete arretez stopper"
    " interrompre end call pull"
    " abbrechen brich cancelar stoppe detener",
    "abandon": "abandon close cancel withdraw drop reject discard abandonner abandonne annuler fermer ferme",
    "approve": "approve reject accept vote decline sign give green thumbs ok bless deny authorize refuse let lgtm block"
    " approuver approuve approuvez rejeter rejette valider valide refuser refuse accepter accepte wave reset wait"
    " genehmige genehmigen lehne aprobar aprueba rechazar",
    "merge": "merge complete land finish fusionner fusionne fusionnez merger terminer squash ship finaliser integrate"
    " close"
    " mergen fusionar",
    "comment": "comment reply answer note say write respond post leave tell ask add ping mention remark"
    " commenter commente repondre reponds ecrire ecris laisser laisse"
    " kommentiere kommentieren comentar",
    "link": "link connect associate relate tie attach add join reference hook make set put nest"
    " lier lie liez relier relie associer associe rattacher rattache connecter parent"
    " verknupfe verknupfen enlazar vincular",
    "attach": "attach upload add put joindre joins attacher attache televerser ajouter ajoute include"
    " anhangen adjuntar",
    "deploy": "deploy release ship promote push roll start launch redeploy put send deployer deploie livrer"
    " mettre mets rollout trigger run publier"
    " deploye ausrollen desplegar",
    "record": "record enter log report save note add create submit put mark upload"
    " enregistrer enregistre saisir noter consigner",
    "restore": "restore recover undelete restaurer restaure recuperar wiederherstellen",
    "invite": "invite add ask request assign put have include need ajouter ajoute inviter demander demande",
    # What nobody here does, but for the tools that are asked for by just these words.
    "elsewhere": "rotate dismiss require enforce install uninstall encrypt decrypt grant revoke lock unlock protect"
    " resize clone unsubscribe translate traduire",
    "commit": "commit push check save write add change edit update put upload create modify pousser pousse committer"
    " enregistrer",
}
DONE_ELSEWHERE: Final = frozenset({"elsewhere"})
# Verbs of writing that are as often a thing that is spoken of: they count as verbs only where a request begins.
ALSO_THINGS: Final = frozenset(
    (
        "build release test comment link note log file report run start update change commit branch tag open close set"
        " fix cut book lance mark draft block vote complete merge deploy refresh sync queue drop pull push put take"
        " release call ship turn like fire green pass passe join give say new note need have let get go ask answer"
        " save change ferme parent ouvre lie bin trash record reply schedule post make reset wait end cancel review"
        " retire lower extend request try approve hand remark"
    ).split()
)

# `news` is more than one `new`.
NO_PLURALS: Final = frozenset({"news"})
# Verbs of several words, wherever they stand.
PHRASAL: Final[Mapping[str, str]] = {
    "delete": "get rid of,throw away,throw out,throw,clear out,clean up,take off,take \\w+ off,faire disparaitre"
    ",no longer,off the hook,do away with,blow away,chuck out,not need,not any more,not(?: \\w+)* any ?more"
    ",should not be,can go(?! to| in| on| live| out| ahead| back| through| again)"
    ",may go(?! to| in| on| live| out| ahead| back| through| again),has to go$,must go$,should go$,peut partir"
    ",nothing to do with,dispose of"
    ",do without",
    "run": "kick off,fire off,set off,start up,spin up,get going,kick \\w+ off,fire up,have another go,set \\w+ going",
    "approve": "sign off,sign \\w+ off,thumbs up,green light,give the go,feu vert,looks good,wave \\w+ through"
    ",let through,wave through,my blessing,my ok,mon accord,i approve,i accept,i reject,i say yes,i say no,fine by"
    " me,fine with me,ok for me,ok from me,no objection"
    ",j approuve,je valide,je refuse,d accord pour,may go to,may go live,may go out,may go ahead,can go live"
    ",can go ahead,can go out,give \\w+ the nod",
    "deploy": "roll out,go live,put into production,out the door,release 0 onto,get release 0,bring \\w+ 0 to"
    ",get \\w+ 0 to,back to release,roll back,roll \\w+ out,push out",
    "cancel": "call off,shut down,pull the plug,hit the brakes,put a stop,put an end,hit stop,knock on the head,stand"
    " down",
    "change": "mets a jour,mettre a jour,hand over,give to,mark \\w+ as,take over,bring up to date,out of date"
    ",am done with,is done,sign \\w+ up",
    "create": "set up,write up,mettre en place,nous faut,me faut,we need a,i need a,need a new,need another"
    ",need one more,we need \\w+ for,we need \\w+ from,need sprint 0,need iteration 0,faudrait un,faudrait une"
    ",faut ouvrir,faut creer,make a note,put in a",
    "rename": "should be called,should be named,to be called,better name,another name,new name,devrait s appeler"
    ",doit s appeler",
    "retry": "go again,once again,try again,another go,run again,another try,another shot,one more time,encore une"
    " fois,once more",
    "comment": "let know,let \\w+ know,un mot,a word,tell the author,get back to",
    "merge": "get in,get into,get it in,get them in,get that in,bring in,bring into,ship it",
    "invite": "eyes on,have a look,take a look,second reviewer,another reviewer,one more reviewer,look over",
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
    "restart": "run",
    "stop": "cancel",
    "set": "change",
    "scale": "change",
    "swap": "change",
    "tag": "change",
    "enable": "change",
    "recover": "restore",
    "undelete": "restore",
    "upload": "attach",
    "purge": "delete",
    "vote": "approve",
    "push": "commit",
}
# Who says so tells that something is not done, and does not ask for it.
NEGATIONS: Final = frozenset("nobody personne niemand not cannot pas nicht kann puede".split())
# What can, should or has to be done is a demand, too.
DUE: Final = frozenset("can may should must to could".split())
# After one of these stands a thing; so are these before a number.
ARTICLES: Final = frozenset(
    "the a an my our your this that these those le la les l un une mon ma mes notre nos ce cette der die das el".split()
)
NUMBERED: Final = frozenset("build release test comment note log report run commit branch file".split())
# A demand may begin with these, and goes on with one of those.
LEADING: Final = frozenset("please just so then and now simply directly kindly also go ahead".split())
OBJECTS: Final = frozenset(
    "it that them this the a an him her me my these those all both le la les l ca cela moi en es sie ihn lo into to in"
    " up off away back out down".split()
)
# What follows is what somebody wrote or called something, and not what they want.
# Who tells somebody something on a numbered thing says what after one of those.
TELLING: Final = frozenset(
    "tell say note write comment ask mention remark reply answer inform remind post dis ecris demande previens reponds"
    " note commente indique schreib schreibe sag".split()
)
TO_US: Final = frozenset("me us if".split())
TOLD: Final = frozenset("that why whether que qu pourquoi dass warum".split())
# What follows says what it is about, in any words.
ABOUT: Final = frozenset("for about because regarding concerning pour sur car fur uber para sobre".split())
QUOTING: Final = (
    "titled called named saying entitled says intitule intitulee nomme nommee appele appelee disant subject"
).split()
