// Polls the state of the change, and reloads the page when it differs. If the user has typed a reason, shows a link instead.
const shown = document.body.dataset.state;
const timer = setInterval(async () => {
  if (document.hidden) return;
  try {
    const answer = await fetch(`${location.pathname}?state`, { cache: "no-store", redirect: "error" });
    if (answer.ok && (await answer.json()).state === shown) return;
    clearInterval(timer);
    const why = document.getElementById("why");
    if (why && why.value) document.getElementById("moved").hidden = false;
    else location.replace(location.pathname);
  } catch {
    // The server does not respond. Try again at the next interval.
  }
}, 5000);
