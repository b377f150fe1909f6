// Keeps the page of a run up to date while it goes on; without it the page loads itself anew.
"use strict";

const live = document.querySelector("[data-events]");
if (live && "EventSource" in window) follow(live);

const fresh = document.querySelector("[data-fresh]");
if (fresh) setInterval(refresh, 1000 * Number(fresh.dataset.fresh), fresh);

// Shows what has changed on a page that tells of many runs, or of one that has yet to begin.
async function refresh(part) {
  if (document.hidden || part.contains(document.activeElement)) return;
  const answer = await fetch(location.href).catch(() => null);
  if (!answer || !answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const now = page.querySelector("[data-fresh]");
  if (!now) location.reload();
  else if (now.innerHTML !== part.innerHTML) part.replaceChildren(...now.childNodes);
}

function follow(live) {
  const source = new EventSource(live.dataset.events);
  const bar = live.querySelector("progress");
  const said = live.querySelector("[data-said]");
  let tenth = -1;

  source.addEventListener("progress", (event) => {
    const now = JSON.parse(event.data);
    bar.max = now.total;
    bar.value = now.done;
    for (const [name, text] of Object.entries(now.shown)) {
      live.querySelector(`[data-shown="${name}"]`).textContent = text;
    }
    live.querySelector("[data-more]").textContent = now.more ? `and ${now.more} more` : "";
    showFlight(live.querySelector("[data-flight]"), now.in_flight);
    // a screen reader hears of every tenth of the way, not of every case
    const at = Math.floor((10 * now.done) / Math.max(1, now.total));
    if (at !== tenth) said.textContent = `${now.shown.done} cases done`;
    tenth = at;
  });
  source.addEventListener("ended", () => {
    source.close();
    location.reload();
  });
}

function showFlight(list, cases) {
  const base = location.pathname + "/case?id=";
  list.replaceChildren(
    ...cases.map((one) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = base + encodeURIComponent(one.id);
      link.textContent = one.id;
      const turn = document.createElement("span");
      turn.textContent = one.turn ? `turn ${one.turn}` : "begins";
      item.append(link, " ", turn);
      return item;
    }),
  );
}
