"""How people ask for each tool. Phrases are parted by commas; fillers, numbers and names are left out of them."""

from __future__ import annotations

from typing import Final

OTHERS: Final = {
    "search_azure_updates": "azure announcements, azure news, what changes in azure, azure service retires,"
    " azure service deprecated, retirement date of an azure service, azure launch, azure preview, feature generally"
    " available in azure, which azure services are retired, azure end of life, what s new, azure roadmap, when does"
    " azure service end of support, azure service launched",
    "check_azure_updates_health": "are azure updates up to date, how fresh are azure updates, when was the last sync of"
    " azure updates, is the azure news stale, did the sync work, health of azure updates",
    "refresh_azure_updates": "sync azure updates, refresh azure news, fetch azure announcements now, reload azure"
    " updates, sync now, update the azure updates index",
    "get_azure_updates_feeds": "azure updates as rss, subscribe to azure updates, azure retirements in my calendar,"
    " ical of azure updates, csv of azure updates, export azure updates, feed of azure news, outlook calendar"
    " of retirements, azure updates for excel",
    "new_azure_firewall_rules": "open a port, allow traffic from an address, whitelist an ip, add a firewall rule,"
    " unblock outbound traffic, allow network access to a host, firewall rule for port, let subnet talk to subnet,"
    " allow connections between servers, add ip range to firewall, punch a hole in the firewall, firewall yaml,"
    " create network rule",
}

WORK: Final = {
    "get_work_item": "details of a work item, show work item, what is work item about, read bug, status of ticket,"
    " description of the ticket, acceptance criteria of story, who is work item assigned to, state of the ticket,"
    " repro steps of bug",
    "create_work_item": "create a bug, file a ticket, log a defect, open a bug, raise an issue, new user story,"
    " add a task, create an epic, create a feature, report a bug, add a child task to a story, put a task on the"
    " backlog, write up a bug",
    "update_work_item": "assign work item, close bug, change state of work item, set priority, move work item to"
    " iteration, reassign ticket, mark task as done, set story points, change title, edit description, resolve bug,"
    " reopen ticket, set remaining work, tag work item, change area path, put story in sprint, estimate a story,"
    " hand over ticket to, give task to, move story to the next sprint, mark ticket closed, change the severity,"
    " set the due date of a task, activate task, change status of ticket",
    "list_work_item_types": "valid states of a type, which states can a bug have, allowed states, work item types,"
    " which types are there, state transitions, can it go from active to closed, workflow states",
    "delete_work_item": "delete work item, delete bug, remove ticket, throw away task, delete duplicate ticket",
    "list_work_item_revisions": "history of a work item, who changed work item, who changed the priority, when was"
    " ticket closed, revisions of ticket, changes made to ticket, audit trail of a ticket, who moved the ticket,"
    " when did the state change, previous values of ticket, who closed the bug, who reassigned task, edits of a ticket",
    "list_work_items": "run a wiql query, execute wiql, work items of this wiql, select from workitems",
    "search_work_items": "find work item by title, bug about, ticket that mentions, search tickets for a word,"
    " is there already a ticket for, find stories about, look for bugs with keyword, any existing bug about",
    "query_work_items": "work items assigned to me, my tickets, what is assigned to me, what is on my plate,"
    " my to-do, what should i work on, what do i have to do, tickets of someone, open bugs assigned to, my open tasks,"
    " what is person working on, unassigned tickets, active work items, recently changed work items, tickets with tag,"
    " my work, work items changed this week, items in area path, everything assigned to, blocked tickets, high"
    " priority work items, open issues, tickets i created, my backlog, what am i working on",
    "list_saved_queries": "saved queries, shared queries, my queries, which queries are there, query folders",
    "run_saved_query": "run saved query, run the shared query, results of the query, execute query, work items of the"
    " query",
    "list_epics": "epics, which epics are there, all epics, epics of the project",
    "list_features": "features, which features are there, all features in progress",
    "list_user_stories": "user stories, stories, product backlog items, all stories, open stories",
    "list_bugs": "bugs, open bugs, all bugs, defects, critical bugs, bug list, bugs still open, high severity bugs,"
    " active bugs",
    "list_tasks": "tasks, open tasks, all tasks",
    "add_work_item_comment": "comment on ticket, add a comment to work item, leave a note on bug, reply in the"
    " discussion of ticket, write on ticket, tell in the ticket, note on story, comment bug, post on work item",
    "update_work_item_comment": "edit comment on ticket, change my comment on work item, fix typo in comment on bug,"
    " rewrite comment on ticket, correct my comment on bug",
    "list_work_item_comments": "comments on ticket, discussion of work item, what was said on bug, what people"
    " wrote on ticket, read discussion of bug, conversation on the ticket, remarks on story",
    "link_work_items": "link work items, make task child of story, set parent of work item, relate bugs, mark as"
    " duplicate, connect story to feature, ticket is blocked by ticket, ticket depends on ticket, put story under epic,"
    " tie tickets together, duplicate of ticket, successor, nest task below feature, parent of ticket should be",
    "remove_work_item_link": "unlink work items, remove link between tickets, remove parent of task, detach story from"
    " epic, disconnect tickets, drop relation between bugs, no longer related, no longer blocked by",
    "add_work_item_artifact_link": "link bug to build, link ticket to build, link work item to commit, attach branch to"
    " work item, connect bug to pull request, add hyperlink to ticket, link address to work item, found in build,"
    " put a url on the ticket",
    "remove_work_item_artifact_link": "unlink ticket from build, remove hyperlink from ticket, remove commit link from"
    " work item, detach branch from work item",
    "get_linked_work_items": "children of epic, parent of story, related work items, what is linked to ticket, tasks"
    " under story, what blocks ticket, dependencies of ticket, subtasks of ticket, what belongs to feature,"
    " duplicates of bug, stories under the epic, links of ticket, what ticket depends on, hierarchy below feature",
    "add_work_item_attachment": "attach file to ticket, attach log to bug, upload screenshot to work item, add"
    " attachment to bug, put file on the ticket, attach picture to bug",
    "add_work_item_attachment_from_url": "attach file from url, attach from web address, attach the file at this link"
    " to bug, download from https and attach to ticket, attach picture from website",
    "list_work_item_attachments": "attachments of work item, files on the ticket, what is attached to bug, which"
    " screenshots are on bug, list attached files",
    "get_work_item_attachment": "show screenshot of bug, open attachment, download attachment of ticket, read the"
    " attached log, view the image attached to ticket, get file attached",
    "remove_work_item_attachment": "remove attachment from work item, delete screenshot from bug, take file off"
    " ticket, delete attached file, drop attachment",
    "get_boards": "boards of team, which boards are there, kanban boards, list boards",
    "get_board_columns": "columns of board, board columns, which columns are on the board, wip limits of board,"
    " steps on the kanban board",
    "get_board_swimlanes": "swimlanes of board, lanes on the board, rows of board, expedite lane",
    "get_board_items": "cards on board, what is on the board, what is in column doing, cards in progress, items in the"
    " review column, show the kanban board, what is stuck in column, board of the team",
    "move_board_card": "move card to column, drag card to done, move ticket on the board, put card in doing column,"
    " slide card to testing, move ticket to column, push card into column",
    "list_iterations": "sprints, iterations of team, which sprints are there, sprint dates, upcoming sprints, past"
    " sprints, next sprint dates, sprint calendar, when does next sprint start",
    "get_current_iteration": "current sprint, which sprint are we in, when does the sprint end, current iteration,"
    " days left in sprint, end of sprint, what sprint is it, sprint goal date, active sprint",
    "list_iteration_items": "work in sprint, tickets in the current sprint, what is in this sprint, sprint backlog,"
    " sprint contents, what is left in sprint, sprint progress, stories in iteration, remaining work in sprint,"
    " what the team is working on in sprint, sprint taskboard, are we on track in this sprint, unfinished work of"
    " sprint, what did we commit to in the sprint, items in iteration",
    "get_team_capacity": "team capacity, who is off in sprint, days off, vacation of team, hours available in sprint,"
    " who is on holiday, how many hours does team have, availability of the team, workload of the team,"
    " who is away, absent people",
    "set_team_capacity": "set capacity of a member, set hours per day in sprint, enter my days off, plan vacation in"
    " sprint, change team capacity, i am on holiday in the sprint",
    "create_iteration": "create a sprint, new sprint, create iteration, make the next sprint, add a sprint, plan a new"
    " sprint with dates, create sprint for two weeks",
    "add_iteration_to_team": "add sprint to team, assign iteration to team, let the team use the sprint, select"
    " iteration for team",
    "list_backlogs": "backlogs of team, which backlogs are there, backlog levels",
    "list_backlog_items": "items on the backlog, top of backlog, product backlog, what is next on the backlog,"
    " backlog order, groom backlog, refine the backlog, what comes first in backlog, prioritized backlog",
    "search_work_item_text": "search work items full text, full text search in tickets, search all fields of tickets,"
    " tickets mentioning in comments, search tickets for text anywhere",
    "list_projects": "projects, which projects are there, all projects, projects in the organization, where do i start",
    "get_project": "project details, description of project, process template of project, about the project",
    "list_teams": "teams, which teams are there, teams of project, all teams, squads",
    "get_team_members": "members of team, who is in the team, people in the squad, who belongs to the team, team"
    " admin, who administers the team, colleagues in team, team roster",
    "list_area_paths": "area paths, areas of project, which areas exist, area tree, component areas",
    "list_dashboards": "dashboards, which dashboards are there, dashboards of team",
    "get_dashboard": "show dashboard, widgets of dashboard, what is on the dashboard, open dashboard",
    "list_subscriptions": "notifications of person, who gets notifications, email alerts of group, what am i"
    " subscribed to, why do i get these mails, which mails do i get, notification subscriptions, notification settings",
    "get_current_user": "who am i, my account, signed in as, which account am i using, my user, whoami, my identity,"
    " which user are you acting as",
    "search_users": "find user, user id of person, look up person, find group, search people by name, email of"
    " colleague, find the id of someone, find account of person, identity of person, who is named",
    "get_user": "details of user, show user, get group, user by id, profile of user, is the account active",
    "list_wikis": "wikis, which wikis are there, wikis of project",
    "get_wiki": "wiki details, which repository is the wiki made from, about the wiki, where does the wiki live",
    "get_wiki_page": "read wiki page, show wiki page, open wiki page, content of wiki page, what does the wiki say"
    " about, show documentation page, display the docs page",
    "create_wiki_page": "create wiki page, new page in wiki, add wiki page, write docs in the wiki, document this in"
    " the wiki, add page to the documentation, write it up on the wiki, start a page",
    "update_wiki_page": "update wiki page, edit wiki page, change wiki page, add section to wiki page, fix typo in wiki"
    " page, rewrite documentation page, append to wiki page, correct the docs",
    "update_wiki_section": "change one section of wiki page, rewrite section of wiki, edit chapter of the docs page,"
    " replace paragraph below heading in wiki",
    "delete_wiki_page": "delete wiki page, remove page from wiki, delete docs page",
    "list_wiki_pages": "pages of wiki, which pages are in the wiki, table of contents of wiki, wiki tree, outline of"
    " documentation",
    "search_wiki": "search wiki, find in wiki, is it documented, where is the documentation about, find docs, runbook,"
    " how-to in the wiki, find page about, search documentation for, where are the instructions, onboarding guide,"
    " do we have docs on, where is it written down",
}

CODE: Final = {
    "list_repositories": "repositories, which repos are there, all repos, list git repos, what code do we have",
    "get_repository": "repository details, default branch of repo, clone url, size of repository, about the repo,"
    " address of the repo to clone",
    "list_branches": "branches, which branches are there, stale branches, branches of repo, old branches, how far"
    " behind are branches, unmerged branches",
    "get_branch": "branch details, last commit on branch, is branch behind main, how far ahead is branch, tip of"
    " branch, head of the branch",
    "create_branch": "create branch, branch off main, new branch, cut a branch, start feature branch",
    "delete_branch": "delete branch, remove merged branch, drop branch, clean up branch",
    "get_file_content": "read file, show file, contents of file, open the source file, show lines of file, cat file,"
    " what is in the file, yaml file in repo, show dockerfile, show readme, look at the config file, print"
    " package json, source of file",
    "list_files": "files in folder, list files of repo, directory listing, folder contents, what is in the directory,"
    " structure of the repo, file tree, ls",
    "find_file": "which repositories have a file, which repos lack a file, repos without readme, repos with dockerfile,"
    " in which repo is the file, repositories that have a folder",
    "list_commits": "commits, who committed, last commits on branch, commit history, git log, commits by author, who"
    " changed the file, history of file, what landed on main, recent commits, what was merged into main, latest"
    " changes in repo, code changes since, who touched the file, what did person commit, blame",
    "get_commit": "show commit, commit details, what does commit change, message of commit, commit sha, files of"
    " commit, author of the commit",
    "compare_commits": "compare branches, compare commits, diff between branches, differences between tags, what"
    " differs from main, changes between two commits, difference between releases in code",
    "list_pushes": "pushes, who pushed, who force pushed, pushes to branch, who moved the branch, push history",
    "push_changes": "push changes, commit file, commit change to branch, edit file in repo, change file and commit,"
    " add file to repo, bump version in file, check in, push code, update readme on branch, fix typo in file, save file"
    " in repo, commit this",
    "search_code": "search code, find in code, where is function used, which repo uses, grep, find usages, where is"
    " class defined, which files contain, find references in code, who calls this method, search the source for,"
    " where in the codebase, hard-coded string, where do we use library, find todo comments in code, occurrences of",
    "list_pull_requests": "pull requests, open pull requests, prs waiting for my review, my prs, which prs are open,"
    " merge requests, prs by person, completed prs, what do i have to review, prs merged, draft prs, reviews waiting"
    " for me, abandoned prs, stale prs, which prs landed, prs i opened",
    "get_pull_request": "show pull request, details of pr, status of pr, is pr merged, reviewers of pr, who approved"
    " pr, who voted on pr, has pr conflicts, is the pr ready, who has to review the pr, description of pr, who reviews",
    "create_pull_request": "open pull request, create pr, raise pr, new pr from branch, submit pr, put up my branch for"
    " review, merge request from branch, send my branch for review, propose changes",
    "update_pull_request": "change title of pr, edit description of pr, abandon pr, close pr without merging, mark pr"
    " as draft, publish draft pr, reactivate pr, set auto-complete on pr, change target branch of pr, withdraw pr,"
    " rename pr, retarget pr, take pr out of draft",
    "complete_pull_request": "merge pr, complete pr, squash merge pr, land pr, merge it, finish pull request, merge and"
    " delete the source branch, get pr into main, ship the pr, close pr by merging",
    "add_pull_request_reviewer": "add reviewer to pr, ask person to review pr, request review from, assign reviewer,"
    " ping someone to look at pr, get person to review my pr, make person required reviewer, invite to pr",
    "remove_pull_request_reviewer": "remove reviewer from pr, take person off pr, drop reviewer, remove from the"
    " review",
    "vote_pull_request": "approve pr, reject pr, vote on pr, lgtm pr, thumbs up on pr, sign off pr, approve with"
    " suggestions, wait for author, request changes on pr, decline pr, give green light to pr, block pr, reset vote",
    "add_pull_request_comment": "comment on pr, reply to review comment, leave a comment on pr, tell the author on pr,"
    " add review comment on line, reply to thread on pr, answer reviewer, write feedback on pr, ask question on pr",
    "get_pull_request_comments": "comments on pr, what did reviewers say, review feedback, unresolved threads on pr,"
    " discussion of pr, what was said in the review, review comments, open threads of the pr, remarks of reviewers",
    "update_pull_request_thread": "resolve thread on pr, close thread, reopen thread, mark comment as fixed, mark"
    " thread as won't fix, resolve conversation on pr, resolve comments on pr, close review comment",
    "update_pull_request_comment": "edit comment on pr, change my comment on pr, fix typo in my pr comment, rewrite my"
    " review comment",
    "get_pull_request_work_items": "work items linked to pr, which ticket belongs to pr, stories of pr, bugs fixed by"
    " pr, what ticket is pr for, tickets of the pr",
    "link_pull_request_work_item": "link work item to pr, link bug to pull request, attach ticket to pr, associate"
    " story with pr, connect pr and ticket",
    "list_pull_request_changes": "files changed by pr, which files does pr touch, changed files in pr, how big is pr",
    "get_pull_request_diff": "diff of pr, show the changes of pr, lines changed by pr, code changes in pull request,"
    " what does pr change, patch of pr, review the code of pr, walk me through pr, review pr, look over pr",
    "list_branch_policies": "branch policies, rules on main, who must approve changes to main, required reviewers of"
    " branch, build validation, is main protected, minimum number of reviewers, branch protection, how many approvals",
    "get_branch_policy": "show policy, policy details, policy settings",
    "list_pull_request_policies": "what blocks pr, why can't pr be merged, checks of pr, policies of pr, does pr meet"
    " requirements, required checks of pr, what is pr waiting for, failing checks on pr, pr stuck, what still has to"
    " pass before the pr can merge, why is pr blocked",
    "list_security_alerts": "security alerts, vulnerabilities in repo, cve in dependencies, leaked secrets in code,"
    " advanced security findings, code scanning alerts, exposed credentials, vulnerable dependencies, security"
    " problems, security issues in repo, secret scanning",
    "get_security_alert": "details of alert, how to fix vulnerability, security alert details, where is the leaked"
    " secret, remediation for alert, explain the alert",
}

DELIVERY: Final = {
    "list_pipelines": "pipelines, which pipelines are there, all pipelines, list ci",
    "get_pipeline": "pipeline details, variables of pipeline, show pipeline, latest run of pipeline, which yaml does"
    " the pipeline use, is pipeline green",
    "list_pipeline_runs": "runs of pipeline, last runs of pipeline, pipeline history, how often did pipeline fail, when"
    " did pipeline last run, which runs failed, recent runs, last successful run, when was pipeline last green",
    "get_pipeline_run": "status of run, is the run finished, show run, stages of run, did pipeline run succeed, how far"
    " is the run, progress of run, which stage is running",
    "run_pipeline": "run pipeline, start pipeline, trigger pipeline, kick off pipeline, launch pipeline on branch,"
    " run nightly pipeline with parameters, start deployment pipeline, fire off the pipeline",
    "cancel_pipeline_run": "cancel run, stop pipeline, abort pipeline run, kill running pipeline, stop the run in"
    " progress, halt pipeline, kill the ci job",
    "get_pipeline_logs": "logs of run, pipeline log, output of step in run, console output of pipeline, log of the"
    " deploy step, what did the run print",
    "retry_pipeline_stage": "retry failed stage, rerun failed jobs, run stage again, rerun the failed tests stage,"
    " retry"
    " the deploy stage, try the failed job again, restart failed stage, give stage another go",
    "create_pipeline": "create pipeline, new pipeline from yaml, set up ci for repo, add pipeline, set up a pipeline,"
    " make yaml file into pipeline, register pipeline",
    "rename_pipeline": "rename pipeline, change name of pipeline, call the pipeline",
    "list_build_definitions": "build definitions, which build definitions, definition id of build",
    "list_builds": "builds, latest builds, last builds on main, failed builds, which builds failed, is main green,"
    " is ci green, is the build broken, status of ci, builds of today, did the nightly build pass, running builds,"
    " queued builds, are builds passing, what is red, what is building, state of builds, broken builds, last"
    " successful build, builds requested by me",
    "get_build": "build details, status of build, who started build, is build done, result of build, did build"
    " succeed, how long did build take, which commit was built",
    "queue_build": "queue build, start build, build main again, trigger build, rebuild, kick off build, build branch,"
    " make a build",
    "cancel_build": "cancel build, stop build, abort build, kill build, kill the ci job",
    "get_build_logs": "log of build, build output, console output of build, read build log, what did the build print,"
    " show compile step log",
    "list_build_changes": "commits in build, what is new in build, what went into build, which changes broke the"
    " build, changes since last build, who broke the build, what code is in build, who broke main",
    "list_pipeline_approvals": "approvals of pipeline run, environment approvals waiting, pipeline waits for my"
    " approval, who approved the pipeline run, who approved the stage, pending checks of environment, yaml approvals",
    "get_pipeline_approval": "show approval of pipeline, who may approve the stage, details of environment approval",
    "decide_pipeline_approval": "approve pipeline run, approve stage, reject pipeline run, approve environment check,"
    " let the pipeline go on, refuse the stage",
    "compare_builds": "what changed between two builds, compare build with build, difference between builds",
    "list_failed_tests": "which tests failed in build, is the test failure new, since when does test fail",
    "list_build_artifacts": "artifacts of build, what did the build produce, build outputs, drop of build, files"
    " published by build",
    "get_build_artifact": "download artifact of build, get drop zip, fetch build artifact, download drop",
    "get_build_failures": "why did the build fail, why is ci red, what broke the build, failing tests in build, errors"
    " of the run, why is pipeline broken, build error, what went wrong in pipeline, build is red, ci is broken,"
    " cause of failed run, something wrong with build, why is main red, pipeline failed, compile errors,"
    " failure of the build, which step failed, build fell over, stack trace of failed build, investigate failed run",
    "list_release_definitions": "release definitions, release pipelines, classic release pipelines",
    "get_release_definition": "release definition details, stages of the release pipeline, release pipeline setup",
    "list_releases": "releases, last releases, what was released, release history, what did we ship, what went to"
    " production, recent deployments, when did we last deploy, when was last release, what is in production, deployed"
    " versions, which release is live, what shipped",
    "get_release": "release details, status of release, what is in release, how far is release, where is release"
    " deployed, pending approvals of release, is release out",
    "create_release": "create release, new release from build, cut a release, make a release, release build, ship a"
    " new version",
    "deploy_release": "deploy release to production, deploy to staging, push release to environment, promote release to"
    " production, ship to prod, roll out release, deploy version to test, start deployment to environment, go live,"
    " redeploy release, put release on environment, rollback to release",
    "get_release_environment": "environment of release, deployment to staging status, did the deployment to production"
    " work, status of deployment in environment, who approved deployment, did deploy succeed, is it deployed to",
    "list_release_approvals": "approvals waiting, pending approvals, releases waiting for approval, deployments waiting"
    " for me to approve, who approved the release, what do i have to approve, gates waiting for me, sign-offs needed,"
    " what is waiting for my approval",
    "approve_release": "approve deployment, approve release to production, reject deployment, sign off release, give go"
    " for production, green light for deployment, approve gate, refuse deployment, thumbs-up for release, let the"
    " deployment through, reject release, approve rollout",
    "get_release_logs": "logs of deployment, why did deployment fail, release log, output of deploy to environment,"
    " deployment failed, what went wrong in deployment, release error, deploy fell over, rollout failed, deployment"
    " broke",
    "list_feeds": "feeds, package feeds, which feeds are there, artifact feeds, package registries",
    "get_feed": "feed details, show feed, about the feed",
    "list_packages": "packages in feed, npm packages, nuget packages, which packages do we publish, python packages in"
    " feed, maven packages, internal libraries",
    "get_package": "package details, latest version of package, newest version of library, show package",
    "get_package_versions": "versions of package, which versions of package exist, all versions of nuget package,"
    " published versions of library, package version history",
    "list_test_plans": "test plans, which test plans are there",
    "get_test_plan": "test plan details, show test plan, about the test plan",
    "list_test_suites": "test suites, suites of plan, which suites are in test plan",
    "get_test_suite": "test suite details, show suite, about the suite",
    "list_test_cases": "test cases in suite, which test cases are in plan, manual tests of suite, test points,"
    " tests in the suite, which tests are not run yet",
    "list_test_runs": "test runs, last test runs, recent test runs, how are tests doing, automated test runs,"
    " state of the tests, did test runs pass",
    "get_test_results": "results of test run, which tests failed, failed tests, test outcome, did tests pass, flaky"
    " tests, pass rate of run, how many tests passed, which tests are red, test failures",
    "get_test_case": "test case with steps, steps of test case, show test case, expected results of test case, how is"
    " case tested",
    "create_test_case": "create test case, write test case, new test case, add a manual test, draft test",
    "update_test_case_steps": "change steps of test case, edit test steps, rewrite test case, add step to test case,"
    " update test case, replace steps",
    "create_test_plan": "create test plan, new test plan, set up test plan",
    "create_test_suite": "create test suite, new suite in plan, add suite for requirement",
    "add_test_cases": "add test cases to suite, put test case into suite, include case in suite",
    "record_test_results": "record test results, mark test as passed, mark test as failed, log manual test run, test"
    " passed by hand, enter the outcome of tests, report test outcome, i ran the tests by hand, save results of manual"
    " tests, tests passed",
    "list_service_connections": "service connections, which service connections, connections to azure subscription,"
    " service endpoints, what pipelines use to log in to azure, connections of the project",
    "get_service_connection": "service connection details, show connection, is the service connection ready, service"
    " principal of connection, expired connection",
    "list_variable_groups": "variable groups, which variable groups, variables in group, libraries of variables,"
    " shared pipeline variables",
    "get_variable_group": "variable group details, variables in the group, what is the value of variable in group,"
    " show variable group, settings in the variable group",
}
