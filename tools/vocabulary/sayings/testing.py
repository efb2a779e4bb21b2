"""How people ask for tests."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "list_test_plans": (
        "test plans, which test plans are there, show the test plans, what are we testing for the release, test plans"
        " of the project, quels plans de test avons nous, welche testplane gibt es, que planes de prueba hay, active "
        "test plans, plans for testing, which test plan is for the release, plans we test by"
    ),
    "get_test_plan": (
        "test plan details, show test plan, about the test plan, details of test plan 0, about test plan 0, who owns "
        "test plan 0, when does test plan 0 end, show plan 0, details du plan de test 0, testplan 0 zeigen, sprint of"
        " test plan 0, what is in test plan 0, when is test plan 0 due"
    ),
    "list_test_suites": (
        "test suites, suites of plan, which suites are in test plan, what suites are there in plan 0, suites in test "
        "plan 0, how is test plan 0 organized, quelles suites dans le plan 0, suites de test du plan, welche suiten "
        "hat plan 0, suites del plan, structure of the test plan, what is in plan 0 suites, parts of the test plan, "
        "quelles suites contient le plan de test 0"
    ),
    "get_test_suite": (
        "test suite details, show suite, about the suite, details of suite 0, show suite 0, what is suite 0 for, sub "
        "suites of suite 0, details de la suite 0, which requirement does suite 0 cover, about test suite 0, what is "
        "suite 0, parent of suite 0"
    ),
    "list_test_cases": (
        "test cases in suite, which test cases are in plan, manual tests of suite, test points, tests in the suite,"
        " which tests are not run yet, which manual tests are in suite 0, test cases of suite 0, what do we test in"
        " suite 0, which cases are in plan 0, tests assigned to me, who has to run the tests, quels cas de test "
        "dans la suite 0, cas de test de la suite, welche testfalle sind in suite 0, casos de prueba de la suite, "
        "which manual tests are not run yet, tests still to do in the suite, list the test cases, what is to be "
        "tested in suite 0, open test points, which tests does suite 0 have, who runs which case, que faut il "
        "tester dans la suite 0, cases in suite 0, cases i have to run in suite 0, cases to run by hand, what do i "
        "have to test in suite 0, which cases are mine to run, cases of suite 0"
    ),
    "list_test_runs": (
        "test runs, last test runs, recent test runs, how are tests doing, automated test runs, state of the tests,"
        " did test runs pass, did the last test run go well, latest test runs, how are the tests doing, when were "
        "tests last run, are the tests green, automated tests of last night, quelles campagnes de test recemment, "
        "dernieres campagnes, etat des tests, letzte testlaufe, ultimas ejecuciones de pruebas, test runs of plan "
        "0, which test runs are in progress, do our tests pass, when did the tests last run, are the nightly tests "
        "fine, recent test executions, how do the tests look, regression runs, est ce que les tests passent, how is"
        " testing going, did the tests run, how are the tests"
    ),
    "get_test_results": (
        "results of test run, which tests failed, failed tests, test outcome, did tests pass, flaky tests, pass "
        "rate of run, how many tests passed, which tests are red, test failures, which tests failed in run 0, "
        "results of test run 0, failed tests and their errors, what does the failed test say, pass rate of test run"
        " 0, error of the failing test, quels tests ont echoue, resultats de la campagne 0, combien de tests "
        "passent, welche tests sind fehlgeschlagen, que pruebas fallaron, why did the test fail, which tests are "
        "flaky, stack trace of the failed test, outcome of run 0, tests that are red, did test login pass in run 0,"
        " are all tests ok in run 0, which cases of run 0 went red, how did test run 0 end, what failed in the "
        "smoke test, tests broken in run 0, list the failures of test run 0, which ones passed in run 0, quels "
        "tests sont rouges, is test login flaky, show me the failing tests of test run 0, how did test run 0 turn "
        "out, how did run 0 of the tests go, outcome of test run 0"
    ),
    "get_test_case": (
        "test case with steps, steps of test case, show test case, expected results of test case, how is case "
        "tested, how do i execute test case 0, steps of test case 0, what is the expected result of test case 0, "
        "show test case 0, read test 0, how is login tested, etapes du cas de test 0, montre le cas de test 0, "
        "schritte von testfall 0, pasos del caso de prueba, what does test case 0 check, instructions of manual "
        "test 0, walk me through test case 0, how do i test this case 0, what do i have to click in test 0, test 0 "
        "instructions, comment executer le cas 0, execute test case 0, how do i run test case 0"
    ),
    "create_test_case": (
        "create test case, write test case, new test case, add a manual test, draft test, write a test case for the "
        "password reset, new test case for login, add a manual test that checks the basket, describe a test with "
        "steps, make a test case out of this story, redige un cas de test, cree un cas de test pour la connexion, "
        "nouveau cas de test, erstelle einen testfall, crear un caso de prueba, document how to test the export, "
        "draft a test case, describe how to test the refund as a test case, add a test case that checks the login, we"
        " need a test case for refunds, ecris un cas de test pour le panier, new manual test"
    ),
    "update_test_case_steps": (
        "change steps of test case, edit test steps, rewrite test case, add step to test case, update test case, "
        "replace steps, step 0 of test case 0 is wrong replace the steps, change the steps of test 0, add a step to "
        "test case 0, rewrite test case 0, the expected result of test 0 has to change, insert a step in test case 0,"
        " modifie les etapes du cas de test 0, ajoute une etape au cas de test, change le cas de test 0, schritte von"
        " testfall 0 andern, cambiar los pasos del caso, correct the steps of the manual test, update test case 0, "
        "test case 0 needs another step, the steps of case 0 are out of date, put a new first step into test 0, redo "
        "the steps of test case 0"
    ),
    "create_test_plan": (
        "create test plan, new test plan, set up test plan, start a test plan for the spring release, set up a test "
        "plan for sprint 0, we need a test plan, cree un plan de test, nouveau plan de test pour la release, erstelle"
        " einen testplan, crear un plan de pruebas, plan the tests for the release, we need a plan for testing the "
        "release, il nous faut un plan de test pour le sprint 0, open a new test plan, get a test plan going"
    ),
    "create_test_suite": (
        "create test suite, new suite in plan, add suite for requirement, new suite for requirement 0, add a suite to"
        " plan 0, make a test suite for story 0, create suite regression in plan 0, cree une suite de tests, nouvelle"
        " suite dans le plan 0, ajoute une suite, erstelle eine testsuite, crear una suite, group these tests in a "
        "new suite, start a smoke test suite, make a suite for the smoke tests, il faut une suite pour les tests, "
        "group cases into a new suite, suite for story 0"
    ),
    "add_test_cases": (
        "add test cases to suite, put test case into suite, include case in suite, include cases 0 and 0 in suite "
        "0, add test case 0 to suite 0, put the tests into the regression suite, the suite should also contain case"
        " 0, ajoute les cas de test a la suite, mets le cas de test 0 dans la suite 0, testfall 0 zur suite "
        "hinzufugen, agregar casos a la suite, assign test cases to the suite, extend the suite by test case 0, put"
        " case 0 in the regression suite, case 0 belongs in suite 0, move these cases into the suite, pull case 0 "
        "into suite 0, extend suite 0 with case 0, cases 0 and 0 belong into suite 0, case 0 belongs into suite 0, "
        "case 0 should be in suite 0, case 0 is missing in suite 0"
    ),
    "record_test_results": (
        "record test results, mark test as passed, mark test as failed, log manual test run, test passed by hand, "
        "enter the outcome of tests, report test outcome, i ran the tests by hand, save results of manual tests, "
        "tests passed, note that test 0 failed when i did it by hand, test case 0 passed, mark the manual tests as "
        "passed, set the outcome of test 0 to failed, i tested it and it works record that, save my manual test "
        "run, log the results of today s manual tests, test 0 is ok, all tests of the suite passed mark them, "
        "enregistre les resultats des tests, le test 0 est passe, marque le test comme echoue, saisis le resultat "
        "du test manuel, testergebnis eintragen, registrar resultados de pruebas, report that the smoke test "
        "failed, we ran the regression by hand and it passed, put the test results in, write down that case 0 "
        "passed when i tried it, case 0 worked, i just tested the login it fails note that, put a pass on test 0, "
        "tick test 0 as passed, set test 0 to blocked, we did the acceptance test all good, j ai fait le test 0 il "
        "passe, mark the smoke tests as ok, sign the tests off as passed, test case 0 passed on my machine note it,"
        " case 0 works note that, i ran case 0 and it failed note it, 0 passed and 0 failed note it in plan 0, case"
        " 0 passed put it down, note that test 0 failed, i ran case 0 and it passed, mark test 0 as failed in plan "
        "0, 0 and 0 passed record it, case 0 passed on my machine"
    ),
}
