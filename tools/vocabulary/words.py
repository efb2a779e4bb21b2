"""What the trade calls things, in English, French, some German and Spanish; and what is asked of others."""

from __future__ import annotations

from typing import Final

NAMES: Final = {
    # Work
    "workitem": "work item, workitem, work items, ticket, issue, pbi, item, element de travail, card,"
    " elements de travail, carte, ado item, jira, elemento de trabajo, tarjeta, karte, fiche,"
    " arbeitselement, workitems, user request, tix, tiket",
    "bug": "bug, defect, anomalie, bogue, glitch, defaut, dysfonctionnement, fehler, error de producto,"
    " anomalies, showstopper",
    "task": "task, todo item, tache, chore, sub task, subtask, aufgabe, aufgaben, tarea, to do item, todo, task item",
    "story": "user story, story, product backlog item, recit utilisateur, recit, user stories, stories,"
    " historia de usuario, historia, anwendergeschichte",
    "epic": "epic, epique, epics, epica, initiative",
    "feature": "feature, fonctionnalite, funcionalidad, feature request",
    "comment": "comment, remark, discussion, note, commentaire, remarque, conversation, reply, commenter,"
    " said, say, wrote, reviewers write, people write, they write, feedback, thread, talk,"
    " kommentar, comentario, reponse, answer, un mot, a word, nit, two cents, message, sagen,"
    " kommentare, discussed, conversation thread, fil de discussion, hilo, objection, question,"
    " dit, ecrit, bemerkung, saying, suggestion, fil de commentaires, un fil",
    "history": "history, revision, audit trail, historique, trail, changelog, log of changes, verlauf,"
    " historial, timeline, trace, edits, previous value",
    "attachment": "attachment, attached, pictures, photos, screenshot, piece jointe, pieces jointes, capture,"
    " capture d ecran,"
    " fichier joint, attach, joindre, anhang, anhange, adjunto, attached file, fichiers joints,"
    " enclosed, captures",
    "url": "url, http, https, web, website, site web, lien web, address on the web",
    "author": "who changed, who touched, who edited, who modified, who moved, qui a modifie, qui a change,"
    " who wrote, who rewrote, who last changed, wer hat, qui a touche, who put, who set, qui a"
    " deplace, qui a ferme, who closed, who reopened, who reassigned",
    "ending": "end, se termine, finit, prend fin, days left, fini, ends, is over, finish date, endet,"
    " termina, fin du sprint, last day of, how long left",
    "link": "link, relation, related, relationship, linked, lien, lier, liaison, tie, connect, relate,"
    " depend, dependency, dependance, associated, belong, unlink, attached to, verknupfung,"
    " verknupft, enlace, unrelated, nothing to do with, tied, connection between, unlinked, lies,"
    " liee",
    "child": "child, children, sub item, subtask, sous tache, enfant, underneath, sous element, children"
    " of, enfants, sous taches, unteraufgabe, hijo, hijos, belongs to",
    "parent": "parent, above, eltern, padre, parents",
    "duplicate": "duplicate, dupe, doublon, duplicates, doppelt, duplicado, same as",
    "block": "block, blocked, blocker, blocking, bloque, bloquer, held up, hold up, stuck, coince, in the"
    " way, blocks, blockiert, bloquea, holding up, hold back, impediment, obstacle, bloquent",
    "board": "board, kanban, tableau, tableau kanban, taskboard, tablero, kanban board, tableaux, boards",
    "column": "column, colonne, spalte, columna, column of",
    "swimlane": "swimlane, swim lane, lane, couloir, row, swimlanes, couloirs",
    "iteration": "iteration, sprint, cycle, timebox, sprints, iteracion, sprintende",
    "backlog": "backlog, carnet, carnet de produit, backlogs, carnet de commande",
    "capacity": "capacity, capacite, availability, available, day off, days off, vacation, holiday, conge,"
    " off work, absent, out of office, dispo, disponible, disponibilite, hours, absence, urlaub,"
    " vacaciones, on leave, sick, sickness, parental leave, en vacances, vacances, off next week,"
    " is off, are off, workload, bandwidth, absents, in conge, manpower, free time",
    "mine": "my, mine, me, assigned to me, on my plate, my plate, mes, mon, ma, moi, my queue, my name,"
    " for me, mis, meine, meinen, mir, mi cola, i have, j ai, on my desk, my desk, pour moi, for"
    " my, assigned to us",
    "assign": "assign, assigned, reassign, owner, assignee, assigner, affecter, affecte, attribuer, hand"
    " over, unassigned, responsible, owns, charge de, zuweisen, asignar, asignado, hand, picked"
    " up, nobody s, no owner, without owner, assignes, affectes, pass on",
    "priority": "priority, priorite, severity, urgent, gravite, importance, critical, p1, prioritat,"
    " prioridad, prio, priorites, p0, sev, sev 0",
    "state": "state, status, etat, statut, progress, avancement, zustand, estado, where does it stand, ou"
    " en est, how far, how is, how s, en cours",
    "close": "close, closed, done, resolved, resolve, fermer, cloturer, termine, terminer, finish,"
    " finished, complete, completed, geschlossen, cerrado, wrapped up, over with, ferme, fermes,"
    " cloture, clos",
    "area": "area, area path, zone, areas, component area, chemin de zone, bereich, bereichspfad, chemins"
    " de zone, zones",
    "project": "project, projet, proyecto, projekt, projekte, projets",
    "team": "team, squad, equipe, crew, tribe, equipo, mannschaft, equipes, squads, crews",
    "member": "member, people in, membre, who belongs, part of, fait partie, roster, people on, colleague,"
    " collegue, who is in, qui est dans, who works in, who is on, mitglied, miembro, teammates,"
    " teammate, team mates, coworker, wer ist im, quien esta en, quien forma, composition,"
    " composed of, works in, works on team, headcount, on the team, in the team",
    "user": "user, person, account, identity, profile, utilisateur, compte, identite, benutzer, usuario,"
    " utilisateurs, nutzer, user id, descriptor, email of, mail of",
    "whoami": "who am i, logged in, signed in, whoami, log in as, qui suis je, my account, my login, mon"
    " compte, which account, sign in as, acting as, on whose behalf, logged on, wer bin ich, quien"
    " soy, am i signed in, am i logged in, log in with, connected as, logged in as, signed in as,"
    " angemeldet, in whose name, under which identity, you act, conectado",
    "group": "group, groupe, gruppe, grupo, groups",
    "notification": "notification, email alert, mail alert, alerts i get, notify, notified, mail i get, mails,"
    " avis, benachrichtigung, notificacion, mails from, emails from, spam, spammed, subscribed to,"
    " inbox, mails do i, e mails do i, so many mails, so many emails, notifications",
    "dashboard": "dashboard, wallboard, tableau de bord, tableaux de bord, big screen, panel, paneles,"
    " dashboards, wall screen, tiles, tile, widget, widgets",
    "wiki": "wiki, documentation, docs, runbook, knowledge base, guide, how to guide, playbook, handbook,"
    " base de connaissance, doc, manuel, mode d emploi, written down, documented, onboarding,"
    " instructions, dokumentation, documentacion, documentee, documente, wikis, how to, howto,"
    " write up, write ups, dokumentiert, documentado, mode operatoire, procedure, tutorial,"
    " cookbook",
    "page": "page, article, seite, pagina, pages, section, paragraph, chapter, seiten",
    "query": "query, saved query, requete, queries, shared query, abfrage, consulta, requetes",
    "wiql": "wiql, select from workitems, system id, from workitems, wiql query, flat list query",
    # Code
    "repository": "repository, repo, git repository, depot, referentiel, codebase, depots, repositorio, repos,"
    " git repo, codebases",
    "branch": "branch, branche, main, master, develop, trunk, branching, rama, zweig, branches, ramas",
    "commit": "commit, checkin, check in, changeset, landed, land, sha, committed, validation de code,"
    " commits, commited, validation, checked in, check ins",
    "push": "push, pushed, force push, pousser, pousse, pushes, gepusht, pushed to, poussees",
    "file": "file, fichier, source file, readme, dockerfile, config file, script, yaml, yml, json,"
    " package json, datei, dateien, archivo, fichiers, requirements, changelog file, csproj,"
    " package lock, props, settings file",
    "folder": "folder, directory, dossier, repertoire, tree, arborescence, ordner, carpeta, carpetas,"
    " dossiers, directories, subfolder, subfolders",
    "code": "code, source, source code, codebase, class, method, function, code source, fonction,"
    " methode, codigo, quellcode, funktion, funcion, api call, implemented, implementation",
    "compare": "compare, difference, differ, between, comparer, versus, vs, comparaison, vergleich, compara,"
    " diferencia, unterschied, unterschiede, differences, compared, delta, ecart, differents",
    "diff": "diff, lines changed, patch, code changes, hunks, lines, ligne, changed lines, code change, hunk",
    "pullrequest": "pull request, pr, prs, merge request, mr, demande de tirage, demandes de tirage,"
    " pullrequest, demande d extraction, demande de fusion, solicitud de extraccion, pull"
    " requests, demandes de fusion, pull req, pullrequests, merge requests",
    "review": "review, reviewer, relecture, relecteur, revue, revoir, have a look at, reviewing, look over,"
    " relire, second pair of eyes, revision, prufen, code review, relecteurs, reviewers, eyes on,"
    " eyes, look at, take a look, relit, relis, reviews, rereview, weigh in",
    "approve": "approve, approval, approved, sign off, signoff, thumbs up, green light, lgtm, approbation,"
    " approuver, feu vert, accept, accord, valider, validation, go ahead, waiting on me, vote,"
    " bless, gate, rejected, reject, refuse, decline, denied, rejeter, refuser, deny, freigabe,"
    " freigeben, genehmigung, aprobacion, aprobar, approvals, approver, approvers, blessing, my"
    " ok, go for, approbations, accords, waiting for my approval, sign offs, sign it off, consent,"
    " validations",
    "merge": "merge, merged, squash, fusionner, fusion, merging, complete pull request, zusammenfuhren,"
    " fusionar, merges, fusionnee, fusionnees, go in, went in, get in",
    "draft": "draft, brouillon, wip pull request, entwurf, borrador, wip",
    "abandon": "abandon, abandoned, abandonner, withdraw",
    "policy": "policy, policies, protection, protected, protect, branch protection, required, regle de"
    " branche, strategie, strategie de branche, requirement, enforce, richtlinie, richtlinien,"
    " politica, politicas, regles, strategies, protegee, protected branch, allowed to, required"
    " reviewers, minimum reviewers, guard rails, verifications, verification, gating",
    "security": "security, vulnerability, vulnerable, cve, secret scanning, leaked, advanced security, securite,"
    " vulnerabilite, faille, exposed, credential, code scanning, dependabot, leak, insecure,"
    " exploit, sicherheit, seguridad, vulnerabilities, vulnerabilites, failles, leaked secret, leaked secrets,"
    " sicherheitslucke, sicherheitslucken, log4j, hole, holes, leaks, compromised, zero day,"
    " injection, hard coded",
    "alert": "alert, alerte, warning, alerts, alertes, warnung, alerta, security finding, finding 0",
    # Delivery
    "pipeline": "pipeline, ci, ci cd, workflow, continuous integration, integration continue, pipelines,"
    " integration pipeline, kette, tuberia, ci pipeline",
    "run": "run, running, execution, rerun, executed, lancer, executer, in progress, job, nightly,"
    " relancer, runs, lauf, laufe, ejecucion, ejecuciones, executions",
    "build": "build, compile, compilation, built, nightly build, builder, generation, compiled, builds,"
    " kompilierung, compilacion, compilations, building, generations",
    "fail": "fail, failed, failure, broke, broken, break, red, error, wrong, crash, crashed, failing,"
    " echoue, echouer, echec, casse, fell over, blew up, rouge, erreur, plante, exploded, went"
    " wrong, ko, broken down, unhappy, doesn t work, not working, bombed, died, problem, probleme,"
    " en echec, tombe, went bang, kaput, fehlgeschlagen, fallo, fallaron, kaputt, roto, cassee,"
    " plantee, plantent, echouent, blow up, blown up, keeps failing, falling over, bust, busted,"
    " borked, in trouble, wrecked, hosed, exception, fails, rouges, foire, merde, craque,"
    " failures, kept failing",
    "succeed": "succeed, green, pass, passed, passing, success, successful, reussi, reussir, vert, healthy,"
    " fine, erfolgreich, exito, gruen, grun, verde, passes, made it, verts, verte, went well, go"
    " well, worked out, work out",
    "log": "log, output, console, console output, journal, journaux, trace, sortie, logs, stack trace,"
    " protokoll, protokolle, registro, registros, outputs, sorties, spit out, printed out, stdout,"
    " stderr, transcript",
    "stage": "stage, etape du pipeline, job, stufe, etapa, stages, jobs",
    "step": "step, etape, steps, schritt, schritte, paso, pasos, etapes",
    "artifact": "artifact, artefact, produced, build output, binary, binaries, zip, artifacts, artefakt,"
    " artefakte, artefacto, artefactos, artefacts, built files, installer, dll, jar, package of"
    " the build",
    "download": "download, telecharger, telecharge, grab, save locally, herunterladen, descargar, recuperer, fetch",
    "variable": "variable, parametre, variablen, variables, parameter, parameters, parametres",
    "variablegroup": "variable group, variable groups, groupe de variables, groupes de variables, variable"
    " library, library of variables, variables are in the group, variables in the group, variables"
    " du groupe, variablengruppe, variablengruppen, grupo de variables, grupos de variables, var"
    " group, shared variables",
    "deploy": "deploy, deployment, deployed, ship, shipped, rollout, roll out, promote, go live, deployer,"
    " deploie, deploiement, livrer, mise en production, livraison, mettre en production, rolled"
    " out, rollback, roll back, redeploy, live, released to, mise en prod, mep, out the door,"
    " shipping, bereitstellung, despliegue, desplegar, deployments, deploiements, deploys,"
    " deployed to, rollouts, rolling out, livre, livree, mises en production, en prod, deployments"
    " to, deployt, mettre en prod, mets en prod, passe en prod, passer en prod, passer en"
    " production",
    "release": "release, version livree, released, releases, cut a release, livraisons, auslieferung,"
    " entrega, versions livrees, livrable, hotfix release, shipped, ausgeliefert, entregas",
    "environment": "environment, staging, prod, production, uat, test environment, environnement, preprod, qa,"
    " recette, pre production, umgebung, entorno, environnements, produktion, produccion, prd,"
    " integration environment, environments, staging environment, live environment, test system,"
    " prep",
    "definition": "definition, definitions",
    "wait": "wait, waiting, pending, attend, en attente, awaiting, attente, sitting with, held, warten,"
    " wartet, espera, pendiente, ausstehend, stehen aus, outstanding, waits for, attendent,"
    " attente de, on hold, sitting",
    "feed": "feed, registry, flux, feeds, package feed, registries, canal",
    "package": "package, npm, nuget, maven, pypi, library, paquet, bibliotheque, librairie, dependency,"
    " python package, paket, pakete, paquete, paquetes, packages, paquets, libraries, librairies,"
    " bibliotheques, libs, lib, nugets, module, gem, sdk package",
    "version": "version, versions, versionen, versiones, prerelease, semver",
    "testplan": "test plan, test plans, plan de test, plans de test, plan, plan de pruebas, planes de prueba,"
    " testplane, testplans",
    "testsuite": "test suite, test suites, suite, suite de tests, suites, suite de pruebas, testsuiten, test"
    " set, suites de tests",
    "testcase": "test case, test cases, cas de test, manual test, case, cases, scenario, testfall, testfalle,"
    " caso de prueba, casos de prueba, test scenario, test script, cas",
    "testrun": "test run, test runs, campagne de test, campagne, testlauf, testlaufe, ejecucion de pruebas,"
    " campagnes, campagnes de test, run of the tests, test execution",
    "testresult": "test result, test results, outcome, resultat, resultats de test, result, pass rate, flaky,"
    " testergebnis, testergebnisse, resultado, resultados, outcomes, resultats, flake, flakes",
    "test": "test, testing, tested, smoke test, regression, tests, prueba, pruebas, tester, teste, testes, qa test",
    "manual": "by hand, manually, manual, a la main, manuellement, von hand, a mano, manuels, manuelle",
    "serviceconnection": "service connection, service connections, connexion de service, connexions de service,"
    " service endpoint, service principal, connection to azure, connexion, conexion de servicio,"
    " conexiones de servicio, dienstverbindung, arm connection, connection, connections, endpoint",
    "search": "full text, plein texte, volltext, mention, mentioning, contain, occurrence, usage",
    # Azure
    "azure": "azure, microsoft azure, azure service, azure services, microsoft, microsoft cloud, azure portal",
    "storageaccount": "storage account, storage accounts, compte de stockage, comptes de stockage, speicherkonto,"
    " speicherkonten, cuenta de almacenamiento",
    "container": "blob container, container, containers, conteneur, conteneurs, contenedor",
    "blob": "blob, blobs, blob storage, azure storage, data lake, in storage, from storage, log blob, sas",
    "storagetable": "storage table, storage tables, table storage, azure table, entity, entities, partition key,"
    " row key",
    "storagequeue": "storage queue, storage queues, the queue, in queue, poison queue, queue storage, queues, messages,"
    " file d attente, warteschlange, warteschlangen, message in the queue",
    "keyvault": "key vault, key vaults, keyvault, keyvaults, vault, vaults, coffre, coffres, coffre de cles, akv",
    "certificate": "certificate, certificates, certificat, certificats, cert, certs, zertifikat, zertifikate,"
    " tls certificate, ssl certificate, certificado",
    "expiring": "expire, expires, expired, expiring, expiry, expiration, run out, runs out, expirent, lauft ab,"
    " abgelaufen, ablaufen, caduca, to renew",
    "azuresubscription": "azure subscription, azure subscriptions, abonnement azure, abonnements azure, production"
    " subscription, suscripcion de azure, azure abonnement",
    "tenant": "tenant, tenants, mandant, mandanten",
    "location": "azure region, azure regions, regions azure, region azure, data center, data centers, rechenzentrum",
    "access": "my access, my rights, my permissions, mes droits, mes permissions, am i allowed, may i, allowed to,"
    " my role, my roles, mes roles, ai je le droit, do i have owner, do i have contributor, am i contributor,"
    " am i owner, darf ich, meine rechte",
    "update": "azure update, azure updates, announcement, news, what s new, what is new, roadmap, annonce,"
    " nouveaute, generally available, ga, announced, release notes of azure, actualite, announces,"
    " whats new, quoi de neuf, nouveautes, neuigkeiten, novedades, announcements, annonces,"
    " actualites, has microsoft said, announce, released by microsoft, ga this, annoncer, anything"
    " new, neu in azure",
    "retirement": "retire, retirement, deprecated, deprecation, deprecate, sunset, end of life, eol, end of"
    " support, out of support, no longer supported, discontinued, retired, retrait, retire"
    " bientot, fin de vie, retires, obsolete, fin de support, phased out, shut down by, going"
    " away, supprime par microsoft, abandonne par microsoft, retraits, discontinue, eingestellt,"
    " abgekundigt, deadline, deadlines, stop working, switched off, disparait, disparaissent,"
    " arretes, arrete par microsoft, migrate off, migrate, migrer, moved off, killed off, shut"
    " off, retirements, turned off, axed",
    "preview": "preview, public preview, private preview, apercu, preversion, previews, vorschau",
    "sync": "sync, synchronise, refresh, synchroniser, rafraichir, actualiser, reload, resync,"
    " synchronisation, synchronisiert, resynced, resynchronise, resynchroniser, synced",
    "fresh": "fresh, up to date, stale, health, a jour, outdated, frais, how old, freshness, aktuell,"
    " recente, how recent, how current, too old, date de, datent, a quand remonte, age of, old is,"
    " last loaded",
    "calendar": "calendar, ical, ics, outlook calendar, calendrier, agenda, rss, atom, csv, subscribe, excel,"
    " spreadsheet, abonner, kalender, calendario, feed reader, abonnieren, m abonner, google"
    " calendar, table of, tableur",
    "firewall": "firewall, port, traffic, whitelist, allowlist, unblock, outbound, inbound, ip, ip address,"
    " pare feu, network rule, subnet, flux reseau, trafic, egress, ingress, tcp, udp, ip range,"
    " network, reseau, nsg, cidr, adresse ip, white list, reach, talk to, cortafuegos, pare feux,"
    " whitelisting, times out, ssh, rdp, ports, flow, flux, open 0, https from, dns servers,"
    " bastion, flows, route traffic, permit, blocked traffic, vers le serveur, connect to the",
    "rule": "rule, regle",
    # Azure
    "resource": "resource, resources, ressource, ressources, recurso, recursos, azure resource, ressourcen",
    "resourcegroup": "rg, resource group, resource groups, groupe de ressources, groupes de ressources,"
    " ressourcengruppe, ressourcengruppen, grupo de recursos, grupos de recursos",
    "ingroup": "in resource group, in the resource group, in this resource group, in our resource group, on"
    " resource group, on the resource group, on this resource group, in rg, dans le groupe de"
    " ressources, dans ce groupe de ressources, in der ressourcengruppe, in dieser ressourcengruppe,"
    " en el grupo de recursos",
    "insubscription": "in the subscription, in this subscription, in our subscription, in the production subscription,"
    " in subscription, across our subscriptions, across all subscriptions, across subscriptions, dans"
    " l abonnement, over all subscriptions, in all subscriptions, uber alle abonnements",
    "resourcegraph": "resource graph, kql, kusto, az graph",
    "resourcelock": "lock, locks, locked, delete lock, read only lock, verrou, verrous, verrouillee, gesperrt,"
    " protected against deletion",
    "machine": "virtual machine, virtual machines, vm, vms, scale set, scale sets, machine virtuelle, machines"
    " virtuelles, virtuelle maschine, virtuelle maschinen, virtuellen maschinen, maquina virtual,"
    " maquinas virtuales",
    "appsetting": "app setting, app settings, application setting, application settings, parametre de l application",
    "throughput": "throughput, ru, ru s, rus, request unit, request units, durchsatz",
    "tier": "archive tier, cool tier, hot tier, cold tier, access tier",
    "azurerole": "contributor on, owner on, reader on, lecteur sur, contributor role, owner role,"
    " reader role, role, roles, rolle",
    "webapp": "app service, app services, web app, web apps, function app, function apps, container app,"
    " container apps, app service plan, app service plans, static web app, logic app, deployment slot",
    "cluster": "aks, aks cluster, aks clusters, kubernetes, kubernetes cluster, kubernetes version, cluster,"
    " clusters, node pool, node pools, container registry",
    "database": "database, databases, sql database, sql databases, sql server, sql servers, redis,"
    " redis cache, postgres, mysql, managed instance, elastic pool, base de donnees, bases de donnees, datenbank,"
    " datenbanken, base de datos",
    "cosmos": "cosmos, cosmos db, cosmosdb, cosmos account, cosmos accounts, cosmos container, cosmos containers",
    "servicebus": "service bus, service bus namespace, service bus queue, queues of a service bus",
    "deadletter": "dead letter, dead letters, dead letter queue, dead lettered, lettres mortes",
    "eventhub": "event hub, event hubs, event grid",
    "networking": "virtual network, virtual networks, vnet, vnets, load balancer, load balancers, dns zone, dns zones,"
    " private dns zone, private dns zones, dns record, dns records, private endpoint, private endpoints,"
    " application gateway, front door, cdn, public ip address, public ip addresses",
    "alertrule": "alert rule, alert rules, metric alert, metric alerts, metric alert rule, metric alert rules,"
    " action group, action groups, alarmregel, alarmregeln, wer wird alarmiert, who gets alerted",
    "advisor": "advisor, azure advisor, advisor recommendation, advisor recommendations",
    "roleassignment": "role assignment, role assignments, rbac assignment, rbac assignments, who has access, who else"
    " has access, qui a acces, wer hat zugriff, deny assignment, deny assignments",
    "roledefinition": "role definition, role definitions, custom role, custom roles, built in role, built in roles,"
    " azure role, azure roles",
    "azd": "azd, azd up, azd deploy, azd env, azd environment, azd environments, azd template, azd templates, azd init,"
    " azure developer cli, awesome azd",
    "template": "arm template, bicep, arm deployment, template deployment, arm, modele arm"
    ", azd provision history, azd provision failed, azd up failed",
}

KINDS: Final = {
    **dict.fromkeys(("bug", "task", "story", "epic", "feature"), "workitem"),
    **dict.fromkeys(("child", "parent", "duplicate"), "link"),
    **dict.fromkeys(("testplan", "testsuite", "testcase", "testrun", "testresult"), "test"),
    "variablegroup": "variable",
    "deadletter": "servicebus",
    "retirement": "update",
    "preview": "update",
    **dict.fromkeys(
        ("machine", "webapp", "cluster", "database", "cosmos", "servicebus", "eventhub", "networking", "alertrule"),
        "resource",
    ),
}

# Any word may be the name of one of these.
NAMED: Final = "repository, project, code, team, pipeline, feed, board, branch, user, file, folder, package, dashboard"

# Nobody here does these: the updates tell of most Azure services, and no tool does anything with them.
ELSEWHERE: Final = (
    "channel, pdf, euro, dollar, jazz, world cup, salle de reunion, invoice, "
    "email, mail, e mail, slack, teams message, teams meeting, calendar invite, meeting, weather, forecast, "
    "restaurant, table for, flight, hotel, poem, joke, song, resize, "
    "powerpoint, presentation, word document, salary, payroll, taxi, train, github, gitlab, jenkins, confluence, "
    "servicenow, salesforce, laptop, printer, music, stock, news article, football, movie, "
    "film, lunch, pizza, coffee, facture, reunion, courriel, meteo, blague, cafe, "
    "terraform, sms, phone, appointment, holiday request, expense, timesheet, "
    "contract, letter, essay, room, desk, gift, crm, ticket to, capital, "
    "voyage, vol, billet, train ticket, "
    "plane, concert, mfa, amazon, aws, bucket, ec, gcp, google cloud, google cloud "
    "storage, lambda function"
)

# What these look for may be called anything; what they look in is said.
SEARCHES: Final = {
    "search_azure_updates": "update, retirement, preview",
    "search_code": "code, file",
    "search_wiki": "wiki, page",
    "search_work_items": "workitem",
    "search_work_item_text": "workitem",
}

# Where no tool does what is asked: what reads anything in Azure, by words that speak of it.
_IN_AZURE: Final = (
    "azure, resource, server, database, db, sql, postgres, postgresql, mysql, redis, vm, machine, disk, backup,"
    " snapshot, pod, node, cluster, aks, kubernetes, container, app, function, queue, topic, storage, blob, vault,"
    " secret, cert, certificate, network, vnet, subnet, ip, dns, gateway, firewall, nsg, port, cpu, memory, gpu, model,"
    " openai, region, subscription, service principal, identity, quota, sku, tier, domain, endpoint, idle,"
    " unused, orphan"
)
FALLBACKS: Final = {
    "what_changed": "fail, failing, crash, error, broke, broken, down, slow, can t, cannot, not work, not process,"
    " outage, stopped, bounce, timeout",
    "query_logs": "log, error, exception, crash, fail, trace, outofmemory, slow",
    "query_resource_graph": _IN_AZURE,
    "read_azure": _IN_AZURE,
}
