// Looks again while something may happen by itself. What is typed meanwhile is not lost.
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
    // The server does not answer at present: the next time it may.
  }
}, 5000);
