// Brings parts of pages up to date while somebody looks, and follows a run of a dataset; without it both
// stand on pages that are loaded anew.
"use strict";

const live = document.querySelector("[data-events]");
if (live && "EventSource" in window) follow(live);

for (const part of document.querySelectorAll("[data-fresh]")) {
  const name = part.id ? `#${part.id}` : "[data-fresh]";
  const timer = setInterval(async () => {
    await refresh(part, name);
    if (!part.hasAttribute("data-fresh")) clearInterval(timer);
  }, 1000 * Number(part.dataset.fresh));
}

// Shows what has changed in a part of the page that the server writes.
async function refresh(part, name) {
  if (document.hidden || part.contains(document.activeElement)) return;
  const answer = await fetch(location.href).catch(() => null);
  if (!answer || !answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const now = page.querySelector(name);
  if (!now) return location.reload();
  if (!now.hasAttribute("data-fresh")) part.removeAttribute("data-fresh");
  if (now.innerHTML !== part.innerHTML) part.replaceChildren(...now.childNodes);
}

function follow(live) {
  const source = new EventSource(live.dataset.events);
  const bar = live.querySelector("progress");
  const said = live.querySelector("[data-said]");
  const cases = document.querySelector("[data-cases]");
  let tenth = -1;
  let [listed, willList] = [bar.value, false];

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
    if (now.done === listed) return;
    listed = now.done;
    if (willList) return;
    willList = true;
    // the list is read anew when cases have ended, and not for each of thousands
    setTimeout(() => {
      willList = false;
      refresh(cases, "[data-cases]");
    }, 1500);
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
