"""How people ask for pipelines and builds."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "list_pipelines": (
        "pipelines, which pipelines are there, all pipelines, list ci, what ci pipelines do we run, which pipelines"
        " exist, list the pipelines, is there a pipeline for the repo, pipelines in folder x, id of the pipeline, "
        "quels pipelines avons nous, liste des pipelines, welche pipelines gibt es, que pipelines hay, how many "
        "pipelines do we have, what pipelines build the web app, find the deploy pipeline, is there a pipeline that"
        " deploys the docs site, which pipeline builds the shop, names of the pipelines, which pipelines do we own,"
        " do we have ci for this repo, pipelines whose name has web, quel pipeline deploie le site, what ci do we "
        "have, our pipelines"
    ),
    "get_pipeline": (
        "pipeline details, variables of pipeline, show pipeline, latest run of pipeline, which yaml does the pipeline"
        " use, is pipeline green, which parameters does pipeline 0 take, which variables does the pipeline have, "
        "details of pipeline 0, which yaml file does pipeline 0 use, which repo does the pipeline build, last run of "
        "pipeline 0, is the pipeline healthy, comment est configure le pipeline, variables du pipeline 0, welche "
        "variablen hat pipeline 0, detalles del pipeline, how is the pipeline configured, what does pipeline 0 do, "
        "what triggers and variables has pipeline 0, whats pipeline 0 for, settings of pipeline 0, where is the yaml "
        "of pipeline 0, is pipeline 0 ok right now"
    ),
    "list_pipeline_runs": (
        "runs of pipeline, last runs of pipeline, pipeline history, how often did pipeline fail, when did pipeline "
        "last run, which runs failed, recent runs, last successful run, when was pipeline last green, when did the "
        "nightly last succeed, how are the runs of pipeline 0 doing, last runs of pipeline 0, how often does "
        "pipeline 0 fail, did the nightly run, show failed runs of pipeline, is pipeline 0 flaky, runs of the "
        "deploy pipeline this week, when was the pipeline last run, dernieres executions du pipeline, quand le "
        "pipeline a t il tourne, executions echouees, letzte laufe der pipeline 0, ultimas ejecuciones del "
        "pipeline, is anything running in pipeline 0, which runs are still going, history of pipeline 0, last green"
        " run of pipeline 0, did the pipeline run on my branch, how has pipeline 0 been behaving this week, how did"
        " the last runs of pipeline 0 go, success rate of pipeline 0, runs on branch develop, show me when pipeline"
        " 0 ran, is pipeline 0 stable, how often do we deploy with pipeline 0, le pipeline 0 a t il tourne cette "
        "nuit, which run of pipeline 0 was the last good one, how did the nightly go, did the nightly run"
    ),
    "get_pipeline_run": (
        "status of run, is the run finished, show run, stages of run, did pipeline run succeed, how far is the run, "
        "progress of run, which stage is running, where is run 0 now, how far is run 0, is run 0 through, status of "
        "run 0, did run 0 succeed, which stage is run 0 in, is run 0 still running, what is run 0 waiting for, result"
        " of run 0, ou en est l execution 0, etat du run 0, l execution 0 est elle finie, wie weit ist lauf 0, estado"
        " de la ejecucion 0, which stages of run 0 passed, show run 0, who started run 0, is run 0 through yet, whats"
        " up with run 0, how is run 0 doing, how is the thing i kicked off, has my run finished, did my pipeline "
        "finish, run 0 status, how long has run 0 been running, why does run 0 hang, mon execution est elle finie, "
        "which branch is run 0 on, how is the run going, is my run done, how is the thing i started doing"
    ),
    "run_azd_pipeline": (
        "deploy the azd environment, run the azd pipeline, start the pipeline that deploys shop dev with azd, azd "
        "deploy by the pipeline, provision the azd environment by its pipeline, deploie l environnement azd"
    ),
    "run_pipeline": (
        "run pipeline, start pipeline, trigger pipeline, kick off pipeline, launch pipeline on branch, run nightly "
        "pipeline with parameters, start deployment pipeline, fire off the pipeline, kick the deploy pipeline off on "
        "develop, start the nightly now, run pipeline 0, run the pipeline with parameter x, trigger ci on my branch, "
        "launch the release pipeline, fire up pipeline 0, run it again, lance le pipeline, declenche le pipeline sur "
        "develop, demarre le pipeline de deploiement, relance le pipeline, starte die pipeline, ejecuta el pipeline, "
        "run the tests pipeline on main, start ci by hand, run pipeline 0 without the deploy stage, queue a run of "
        "pipeline 0, run the integration tests pipeline, deploy with the pipeline, get the pipeline going, give "
        "pipeline 0 a spin, run pipeline 0 with environment test, fire pipeline 0 for my branch, can you start the "
        "deploy job, set the nightly going, let pipeline 0 run, i want to run pipeline 0, run the e 0 e pipeline "
        "against staging, fais tourner le pipeline 0, trigger a run, start ci on main"
    ),
    "cancel_pipeline_run": (
        "cancel run, stop pipeline, abort pipeline run, kill running pipeline, stop the run in progress, halt "
        "pipeline, kill the ci job, pull the plug on run 0, stop run 0, cancel the pipeline, abort the run it hangs, "
        "kill run 0, interrupt the running pipeline, stop the pipeline that is running, arrete l execution 0, annule "
        "le run 0, stoppe le pipeline, lauf 0 abbrechen, cancelar la ejecucion, run 0 hangs stop it, wrong branch "
        "cancel the run, the deployment pipeline must not go on stop it, hit the brakes on run 0, stop it run 0 has "
        "wrong parameters, halt run 0, run 0 must not finish, kill the pipeline before it deploys, get run 0 to stop,"
        " stoppe le run 0 je me suis trompe de branche, coupe l execution, i started the wrong pipeline stop it"
    ),
    "get_pipeline_logs": (
        "logs of run, pipeline log, output of step in run, console output of pipeline, log of the deploy step, what "
        "did the run print, what did the test step of run 0 print, logs of run 0, show the log of the run, log of the"
        " deploy step of run 0, output of stage test in run 0, full log of pipeline run, montre les logs de l "
        "execution 0, sortie de l etape de test, journal du run 0, logs von lauf 0, registros de la ejecucion, last "
        "lines of the log of run 0, read step log, what does the log of the pipeline say, what did stage deploy of "
        "run 0 write to the console, let me read the log of run 0, task output of run 0, last 0 lines of the log of "
        "run 0, log of job test in run 0, console of run 0"
    ),
    "retry_pipeline_stage": (
        "retry failed stage, rerun failed jobs, run stage again, rerun the failed tests stage, retry the deploy "
        "stage, try the failed job again, restart failed stage, give stage another go, give the failed stage "
        "another try, rerun the failed stage of run 0, the stage failed because of the network run it again, "
        "restart the failed jobs, rerun only what failed, redo stage test of run 0, relance l etape echouee, "
        "reessaie le stage de deploiement, relance les jobs en echec, stufe noch einmal ausfuhren, reintentar la "
        "etapa, repeat the stage deploy, try stage test again, resume the run from the failed stage, the flaky "
        "stage tripped again have another go at it, stage deploy failed try it once more, run the failed part "
        "again, restart stage test of run 0, redo the failed jobs of run 0, only rerun the failed jobs, refais "
        "tourner l etape echouee, the stage was flaky have it go again, stage was flaky run it again, have the "
        "stage go again, give the tests another go in run 0"
    ),
    "create_pipeline": (
        "create pipeline, new pipeline from yaml, set up ci for repo, add pipeline, set up a pipeline, make yaml "
        "file into pipeline, register pipeline, we need ci for the new repo the yaml is there, set up a pipeline "
        "from azure pipelines yml, make a pipeline of this yaml, add ci to the repo, register the yaml as a "
        "pipeline, new pipeline for the web app, hook the repo up to ci, cree un pipeline a partir du yaml, nouveau"
        " pipeline pour le depot, mets en place la ci, lege eine pipeline an, crear un pipeline, the repo has no "
        "pipeline yet create one, turn the yaml file into a pipeline, wire build yml up as a pipeline, get the repo"
        " a build pipeline, the repo needs ci set it up, add a pipeline for the yaml in ci, hook up ci for the new "
        "service, branche le yaml comme pipeline, on veut une ci pour ce depot, we need ci for the repo, we need a "
        "pipeline for the yaml, there is a yaml make a pipeline of it"
    ),
    "rename_pipeline": (
        "rename pipeline, change name of pipeline, call the pipeline, the pipeline should be called web from now on, "
        "give pipeline 0 another name, rename pipeline 0 to web, change the name of the pipeline, the pipeline has "
        "the wrong name, renomme le pipeline, change le nom du pipeline, pipeline umbenennen, renombrar el pipeline, "
        "pipeline 0 deserves a better name, call pipeline 0 shop release, name the pipeline differently, change what "
        "the pipeline is called"
    ),
    "list_build_definitions": (
        "build definitions, which build definitions, definition id of build, what build definitions exist, list build"
        " definitions in folder legacy, which definitions do we have for builds, quelles definitions de build, welche"
        " builddefinitionen gibt es, classic build definitions, id of the build definition, definiciones de "
        "compilacion, definitions of builds in this project, which build definition is for the web app"
    ),
    "list_builds": (
        "builds, latest builds, last builds on main, failed builds, which builds failed, is main green, is ci "
        "green, is the build broken, status of ci, builds of today, did the nightly build pass, running builds, "
        "queued builds, are builds passing, what is red, what is building, state of builds, broken builds, last "
        "successful build, builds requested by me, did last night s build pass, is anything building at the moment,"
        " show the latest builds, which builds are running, is main building, is ci ok, what failed today, how is "
        "ci doing, builds of anna, builds that failed this week, is the build green, are there builds in the queue,"
        " what is the state of the build, is everything green, queue of builds, build 0 and the ones before, le "
        "build est il vert, derniers builds, quels builds ont echoue, builds en cours, est ce que ca compile, ist "
        "der build grun, letzte builds, que builds fallaron, is master ok, does main still compile, how often did "
        "the build break this week, who is building right now, why is the build so slow lately, any builds from "
        "pavel today, what is ci up to, builds on my branch, is the tree green, is anything red, recent failures in"
        " ci, builds of the last 0 hours, what built overnight, is the queue long, are there builds waiting, how "
        "many builds failed this week, est ce que tout est vert, les builds de cette nuit, last green build, has "
        "main been built since my commit, is main healthy, wich pipelines failed yesterday, what failed yesterday, "
        "which ones failed last night, what is broken, is everything green, is main green, state of main, what was "
        "built today, is ci ok, who broke main"
    ),
    "get_build": (
        "build details, status of build, who started build, is build done, result of build, did build succeed, how "
        "long did build take, which commit was built, how long did build 0 take, status of build 0, did build 0 pass,"
        " is build 0 finished, who triggered build 0, which branch did build 0 build, when did build 0 start, which "
        "commit is in build 0, result of build 0, ou en est le build 0, le build 0 a t il reussi, combien de temps a "
        "dure le build 0, wie lange hat build 0 gedauert, estado del build 0, show build 0, details of build 0, why "
        "was build 0 started, did 0 compile, who queued build 0, how is build 0 doing, when was build 0 done, is "
        "build 0 any good, build 0 on which agent, was build 0 successful, how old is build 0"
    ),
    "queue_build": (
        "queue build, start build, build main again, trigger build, rebuild, kick off build, build branch, make a "
        "build, rebuild main, start a build of main, build my branch, trigger a build of definition 0, queue a "
        "build, build it again, make a new build, lance un build, compile la branche, relance le build, demarre une"
        " compilation, starte einen build, lanzar una compilacion, i want a fresh build, get me a build of develop,"
        " run build definition 0, have definition 0 built again, build the release branch, get main compiled, start"
        " another build, i need a build of my branch, refais un build, build develop please, new build of the web "
        "app, build definition 0 once more, have definition 0 built again, build it again, have it built again"
    ),
    "cancel_build": (
        "cancel build, stop build, abort build, kill build, kill the ci job, cancel build 0, stop the build, abort "
        "the running build, kill build 0, build 0 is wrong stop it, the build hangs cancel it, annule le build 0, "
        "arrete le build, stoppe la compilation, brich build 0 ab, cancelar el build, halt the build, take build 0 "
        "out of the queue, build 0 is a waste of time stop it, do not let build 0 go on, abort 0, cancel my build, "
        "end build 0, laisse tomber le build 0, i queued the wrong build cancel it"
    ),
    "get_build_logs": (
        "log of build, build output, console output of build, read build log, what did the build print, show compile "
        "step log, show me the compiler output of build 0, log of build 0, logs of the build, what did build 0 say, "
        "warnings in build 0, output of the compile step, montre les logs du build 0, sortie du build, journal de "
        "compilation, log von build 0, registro del build, full build log, console of build 0, which warnings did the"
        " compiler give, affiche la sortie du compilateur du build 0, raw log of build 0, what did msbuild print in "
        "build 0, let me read the build log, line 0 of the build log, log of step test of build 0"
    ),
    "list_build_changes": (
        "commits in build, what is new in build, what went into build, which changes broke the build, changes since "
        "last build, who broke the build, what code is in build, who broke main, what went into build 0, which "
        "commits are new in build 0, what is new since the last build, whose changes are in build 0, what code "
        "changed in build 0, is my commit in build 0, quels commits dans le build 0, qu y a t il de nouveau dans le "
        "build 0, qui a casse le build, welche anderungen sind in build 0, que cambios hay en el build, which change "
        "made the build fail, whose commit broke main, changes between builds, what is the difference between build 0"
        " and 0, work items in build 0, whose changes ended up in build 0, whats new in build 0 compared to the last "
        "green one, what came in with build 0, which commits are between the builds, is my fix in build 0, whose code"
        " is in build 0, ce qui est nouveau dans le build 0, what is different in build 0, which work items are in "
        "build 0"
    ),
    "list_build_artifacts": (
        "artifacts of build, what did the build produce, build outputs, drop of build, files published by build, what"
        " files came out of build 0, which artifacts has build 0, did build 0 publish a package, where is the output "
        "of build 0, quels artefacts a produit le build 0, welche artefakte hat build 0, artefactos del build, what "
        "does build 0 publish, is there a zip of build 0, what can i download from build 0, which binaries did build "
        "0 make, list the artifacts of build 0, did build 0 leave an installer"
    ),
    "get_build_artifact": (
        "download artifact of build, get drop zip, fetch build artifact, download drop, download the drop of build 0,"
        " get me the zip of build 0, fetch artifact drop, download the installer from build 0, telecharge l artefact "
        "du build 0, recupere l artefact, artefakt von build 0 herunterladen, descargar el artefacto, give me the "
        "binaries of build 0, save the build output, grab the installer that build 0 made, pull the drop of build 0, "
        "i need the zip from build 0, hand me the package built in 0"
    ),
    "get_build_failures": (
        "why did the build fail, why is ci red, what broke the build, failing tests in build, errors of the run, "
        "why is pipeline broken, build error, what went wrong in pipeline, build is red, ci is broken, cause of "
        "failed run, something wrong with build, why is main red, pipeline failed, compile errors, failure of the "
        "build, which step failed, build fell over, stack trace of failed build, investigate failed run, ci is red "
        "again what happened, why is the pipeline failing, what broke, which test broke the build, what is the "
        "error in build 0, why is run 0 red, find out what is wrong with the build, the pipeline failed tell me "
        "why, my build does not work, what is the reason for the failed run, debug the failed build, explain the "
        "failure of run 0, diagnose the pipeline, which tests failed in build 0, root cause of the broken build, "
        "pourquoi le build a echoue, pourquoi la compilation a plante, pourquoi la ci est rouge, qu est ce qui a "
        "casse le build, le pipeline est en echec pourquoi, erreur du build 0, warum ist der build fehlgeschlagen, "
        "warum ist die pipeline rot, por que fallo el build, the build is failing help, build keeps failing, "
        "nightly is red, what went wrong last night in ci, tests are failing in ci, analyse the failure, why ca not"
        " it compile, error message of the failed build, look into the red build, ci fails on my branch, what is "
        "making the pipeline fail, the pipeline keeps falling over figure out why, what did build 0 choke on, why "
        "is it red, what made run 0 die, ci is angry, main is broken what is wrong, where did the build stop, which"
        " step blew up, my pr build fails why, look at why the nightly died, who or what broke the build, reason "
        "for red, it does not compile any more, tell me what failed, quelle etape a echoue, pourquoi c est rouge, "
        "la ci est cassee, le build ne passe plus, whats wrong with ci, deploy pipeline fails at the last step why,"
        " fix the broken build what is the error, get to the bottom of the failed build, what went bang in ci, "
        "build trouble, why is everything red this morning, what is failing, something is wrong with the build, "
        "everything is broken, why is it red, why is main red, what broke, what is wrong with ci, who broke the "
        "build, it is red why, what happened last night"
    ),
    "compare_builds": (
        "what changed between two builds, compare build 0 with build 0, difference between builds, commits between "
        "build 0 and build 0, which work items went in between the two builds, changes since the last green build, "
        "what is new in 0 compared to the last good one, whose code came in between the builds, release notes "
        "between two builds, tickets delivered between build 0 and 0, what went in since build 0, delta between the"
        " builds, what is different in this build from the one before, everything that came in since the last "
        "successful build, quels commits entre le build 0 et le build 0, compare les deux builds, qu est ce qui a "
        "change entre ces builds, from build 0 to build 0 what changed, changelog between builds, what did we add "
        "since the build that worked, what came in between two builds, what is new between build 0 and build 0, "
        "commits between two builds, tickets between build 0 and 0, difference between build 0 and 0, what changed "
        "since build 0, work items shipped since the last deployed build, release notes from build 0 to 0, "
        "changelog between two builds, qu est ce qui a change entre le build 0 et le build 0, everything that got "
        "in since build 0, compare build 0 with build 0"
    ),
    "list_failed_tests": (
        "which tests failed in build 0, which tests are failing, is the test failure new, since when does the test "
        "fail, failed tests of the run with their errors, tests that broke in the last build, what tests are red, "
        "show the failing tests with stack, stack trace of the failing test, which unit tests fail, did this test "
        "fail before, how long has this test been failing, new test failures in build 0, quels tests ont echoue "
        "dans le build 0, depuis quand ce test echoue, which tests fell over in last night s build, welche tests "
        "sind fehlgeschlagen, test failures of pipeline run 0, what do the failing tests complain about, assertion "
        "message of the failed test, which tests failed in the build, failed tests of build 0, red tests in the "
        "build, broken tests, since when does the test fail, tests that broke last night, which tests are failing, "
        "are there failing tests in the build, new test failures, quels tests ont echoue, quels tests sont rouges "
        "dans le build, which tests went red with the last build, how many tests failed, unit tests that fail on "
        "main, test errors of the build, since which build is this test broken"
    ),
    "list_pipeline_approvals": (
        "approvals of pipeline run, environment approvals waiting, which yaml pipelines wait for my approval, "
        "pipeline waits for my approval, who approved the pipeline run, who approved the stage, pending checks of "
        "the environment, yaml approvals, which pipeline runs are waiting for a go, what is stuck waiting for an "
        "approval in the pipelines, runs that hang on a gate, approvals still open for run 0, quels deploiements "
        "yaml attendent un feu vert, which environments wait for a green light, quelles approbations de pipeline "
        "sont en attente, deployments to prod that wait for somebody s ok, does a pipeline need my ok, who has to "
        "approve run 0, is run 0 waiting for anybody, who let the run through to prod and when, what waits for an "
        "approval, which runs wait for someone, which pipeline runs wait for my approval, pending approvals of run "
        "0, what is stuck waiting for an ok, does anything wait for me to approve, who approved run 0, who let run "
        "0 through to prod, when was run 0 approved, was run 0 rejected and by whom, open gates, quelles "
        "validations attendent, qu est ce qui attend mon accord, is somebody sitting on an approval"
    ),
    "get_pipeline_approval": (
        "show approval of the pipeline, who may approve the stage, details of the environment approval, "
        "instructions of the approval, what does approval 0 say, status of the approval of run 0, who has answered "
        "this approval already, montre l approbation du pipeline, who may approve run 0, who can give the approval,"
        " who is allowed to approve the gate, who has to approve the run, details of the approval, whose approval "
        "is missing on run 0, approvers of the run, qui peut valider le run 0, on whom does the approval depend"
    ),
    "decide_pipeline_approval": (
        "approve pipeline run 0, approve the stage of run 0, reject pipeline run 0, approve environment check, let "
        "the pipeline go on, refuse the stage, give the yaml pipeline a green light, wave run 0 through to the prod"
        " environment, let run 0 into production, say no to the deployment of run 0, approuve le pipeline 0, refuse"
        " l execution 0, donne le feu vert a l execution, the run is waiting for me approve it, sign off run 0 for "
        "the environment, accept the pending approval of the pipeline, turn down the approval of run 0, ok the "
        "deployment stage it is one of the yaml ones, release the gate of the pipeline run, approve run 0, reject "
        "run 0, approve the pending pipeline, let run 0 go on to prod, run 0 may go on, say yes to run 0, refuse "
        "the approval of run 0, give run 0 the green light, hold run 0 back reject it, wave the run through to "
        "production, valide le run 0, refuse le run 0, the pipeline may continue, approve the stage of run 0, i "
        "approve run 0"
    ),
}
