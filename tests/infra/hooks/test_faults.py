"""Whatever goes wrong between a hook and Azure: it is asked again for as long as that may help, and told in words."""

from __future__ import annotations

import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import after_provisioning
import azd
import before_provisioning
from cannot_go_on import CannotGoOnError
from tests.fakes.azure_for_hooks import AzureForHooks, error
from tests.fakes.https import Told, certify
from tests.infra.hooks.bench import Bench

SUBSCRIPTION = "/subscriptions/"
SCOPE = "https://management.azure.com/.default"
BUSY = error(429, "SubscriptionRequestsThrottled", "Number of requests exceeded.")


def test_azure_that_is_busy_is_asked_again(bench: Bench) -> None:
    bench.azure.fail("GET", SUBSCRIPTION, BUSY, BUSY)
    done = bench.run("preprovision")
    assert (done.returncode, done.stderr) == (0, "")
    (told,) = done.stdout.splitlines()
    assert told.startswith("Waiting for Azure Resource Manager, at most 180 more seconds: 429 SubscriptionRequests")


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_what_another_try_may_mend_is_tried_again(bench: Bench, status: int) -> None:
    bench.azure.fail("GET", SUBSCRIPTION, Told(status), Told(status))
    before_provisioning.check_subscription(bench.deployment())
    assert bench.clock.slept == [5, 5]


@pytest.mark.parametrize(("asked", "waited"), [("17", 17), ("170", 170), ("0", 0.1), ("soon", 5), ("-3", 5)])
def test_azure_says_itself_when_it_wants_to_be_asked_again(bench: Bench, asked: str, waited: float) -> None:
    bench.azure.fail("GET", SUBSCRIPTION, replace(BUSY, headers={"Retry-After": asked}))
    before_provisioning.check_subscription(bench.deployment())
    assert bench.clock.slept == [waited]


def test_azure_that_wants_to_be_asked_tomorrow_is_not_asked_today(bench: Bench) -> None:
    bench.azure.fail("GET", SUBSCRIPTION, replace(BUSY, headers={"Retry-After": "86400"}))
    with pytest.raises(CannotGoOnError, match="429 SubscriptionRequestsThrottled"):
        before_provisioning.check_subscription(bench.deployment())
    assert (len(bench.azure.asked), bench.clock.slept) == (1, [])


def test_azure_that_stays_busy_is_told_after_three_minutes(bench: Bench) -> None:
    bench.azure.fail("GET", SUBSCRIPTION, *[replace(BUSY, headers={"Retry-After": "20"})] * 100)
    with pytest.raises(CannotGoOnError, match=r"429 SubscriptionRequestsThrottled: Number.*Run the same command again"):
        before_provisioning.check_subscription(bench.deployment())
    assert sum(bench.clock.slept) == 180


@pytest.mark.parametrize("status", [400, 403, 409])
def test_azure_that_refuses_is_not_asked_again(bench: Bench, status: int) -> None:
    bench.azure.fail("GET", SUBSCRIPTION, *[error(status, "No")] * 9)
    assert bench.run("preprovision").returncode == 1
    assert len(bench.azure.asked) == 1


@pytest.mark.parametrize("status", [0, 200, 400])
def test_azure_that_does_not_answer_in_time_is_asked_again(
    bench: Bench, capsys: pytest.CaptureFixture[str], status: int
) -> None:
    bench.azure.fail("GET", SUBSCRIPTION, Told(status, holds=True))
    before_provisioning.check_subscription(bench.deployment(seconds_to_answer=2))
    assert "no answer from management.azure.com in time" in capsys.readouterr().out


def test_a_secret_whose_answer_was_lost_is_stored_again_with_the_same_value(bench: Bench) -> None:
    bench.azure.fail("PUT", "/secrets/", error(504, "GatewayTimeout"))
    after_provisioning.store_missing_secrets(bench.deployment())
    first, second = bench.azure.calls("PUT", "/secrets/")
    assert first.body == second.body


def test_azure_that_cannot_be_reached_is_told(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    with pytest.raises(CannotGoOnError, match=r"management\.azure\.com cannot be reached: .*Connection refused"):
        before_provisioning.check_subscription(bench.deployment())


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"null", b"\xff\xfe", b'{"error": "no"}', b'{"error": null}'])
def test_an_answer_that_says_nothing_is_told_by_its_status(bench: Bench, body: bytes) -> None:
    bench.azure.fail("GET", SUBSCRIPTION, Told(400, body))
    with pytest.raises(CannotGoOnError, match=r"exists: 400\. Run the same"):
        before_provisioning.check_subscription(bench.deployment())


def test_a_certificate_that_nobody_vouches_for_is_told_with_the_way_out(bench: Bench, tmp_path: Path) -> None:
    of_somebody_else = certify(tmp_path / "other.pem", "management.azure.com")
    done = bench.project.run("preprovision", {**bench.variables(), "SSL_CERT_FILE": str(of_somebody_else.file)})
    assert done.returncode == 1
    assert "does not trust the certificate of management.azure.com" in done.stderr
    assert "SSL_CERT_FILE" in done.stderr
    assert bench.azure.asked == []


def test_a_proxy_that_answers_for_another_host_is_not_trusted(bench: Bench, tmp_path: Path) -> None:
    azure, elsewhere = AzureForHooks(), tmp_path / "elsewhere"
    elsewhere.mkdir()
    with azure.serving(elsewhere) as internet:
        mixed = {**bench.variables(), "HTTPS_PROXY": internet["HTTPS_PROXY"]}
        done = bench.project.run("preprovision", mixed)
    assert "does not trust the certificate" in done.stderr
    assert azure.asked == []


# What azd answers


@pytest.mark.parametrize("told", ["", "no json", "[]", '"text"', "null", "{}"])
def test_what_is_no_token_is_no_sign_in(bench: Bench, told: str) -> None:
    _let_azd(bench, f"printf '%s' '{told}'")
    with pytest.raises(CannotGoOnError, match="azd returned no token for Azure"):
        azd.token(SCOPE)


def test_a_token_that_is_more_than_one_is_neither_sent_nor_shown(bench: Bench) -> None:
    _let_azd(bench, """printf '%s' '{"token": "token-1-of-me\\nX-Injected: 1"}'""")
    done = bench.run("preprovision")
    assert done.returncode == 1
    assert "to management.azure.com is invalid. Run 'azd auth login', then run the same" in done.stderr
    assert bench.azure.asked == []


def test_azd_that_says_nothing_is_not_waited_for_for_ever(bench: Bench) -> None:
    _let_azd(bench, f"""exec {sys.executable} -c 'import time; time.sleep(60); print("{{\\"token\\": \\"late\\"}}")'""")
    with pytest.raises(CannotGoOnError, match="azd returned no token for Azure"):
        azd.token(SCOPE, seconds=0.5)


def _let_azd(bench: Bench, do: str) -> None:
    (bench.azd.folder / "azd").write_text(f"#!/bin/sh\n{do}\n", encoding="utf-8")


def test_without_azd_on_the_path_it_is_said_where_it_comes_from(bench: Bench) -> None:
    (bench.azd.folder / "azd").unlink()
    done = bench.run("preprovision")
    assert (done.returncode, done.stderr) == (1, "azd is not on the PATH. Install it: https://aka.ms/azd\n")


# Ending early


def test_an_interrupted_hook_says_so_and_does_its_work_the_next_time(bench: Bench) -> None:
    bench.azure.provider = ["NotRegistered", "Registering"]
    with bench.started("preprovision") as process:
        assert process.stdout
        assert process.stdout.readline().startswith("Registering Microsoft.App")
        assert process.stdout.readline().startswith("Waiting for the registration")
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert told == "Interrupted. Completed steps are not repeated: run the same command again.\n"
    bench.azure.provider = ["Registered"]
    assert bench.run("preprovision").returncode == 0
    assert len(bench.azure.calls("POST", "/register")) == 1
