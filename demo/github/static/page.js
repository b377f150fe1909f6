// Keeps an issue's page alive: asks for its moving part every two seconds and swaps only what
// changed, so that open details, a half-written comment and the place on the page stay.
"use strict";

const POLL_MS = 2000;
const clockSkew = Date.now() - Date.parse(document.body.dataset.now);

function tellTimes() {
  for (const element of document.querySelectorAll("time[datetime]")) {
    const seconds = (Date.now() - clockSkew - Date.parse(element.dateTime)) / 1000;
    const [size, unit] = [[86400, "day"], [3600, "hour"], [60, "minute"], [1, "second"]].find(
      ([unitSize]) => seconds >= unitSize,
    ) ?? [1, "second"];
    const count = Math.max(0, Math.floor(seconds / size));
    const words = `${count} ${unit}${count === 1 ? "" : "s"} ago`;
    element.textContent = unit === "second" && count < 10 ? "now" : words;
  }
}

// What the server sent for each region and item, before times and open details changed it.
function snapshot(live) {
  const pieces = new Map();
  for (const region of live.querySelectorAll("[data-region]")) {
    if (region.dataset.region !== "timeline") pieces.set(region.dataset.region, region.outerHTML);
    else for (const item of region.children) pieces.set(item.id, item.outerHTML);
  }
  return pieces;
}

function keepOpen(before, after) {
  const opened = [...before.querySelectorAll("details")];
  [...after.querySelectorAll("details")].forEach((details, place) => {
    if (opened[place]?.open) details.open = true;
  });
}

function replaceWhere(changed, before, after) {
  if (!changed) return;
  keepOpen(before, after);
  before.replaceWith(after);
}

function isBusy(element) {
  return element.contains(document.activeElement) && document.activeElement.matches("textarea");
}

function update(live, fresh, known) {
  const now = snapshot(fresh);
  for (const name of ["head", "side"]) {
    const before = live.querySelector(`[data-region="${name}"]`);
    const after = fresh.querySelector(`[data-region="${name}"]`);
    replaceWhere(now.get(name) !== known.get(name), before, after);
  }
  const timeline = live.querySelector('[data-region="timeline"]');
  const items = [...fresh.querySelector('[data-region="timeline"]').children];
  const wanted = new Set(items.map((item) => item.id));
  for (const old of [...timeline.children]) if (!wanted.has(old.id)) old.remove();
  items.forEach((item, place) => {
    const present = document.getElementById(item.id);
    if (!present) {
      item.classList.add("is-new");
      timeline.insertBefore(item, timeline.children[place] ?? null);
    } else if (isBusy(present)) {
      now.set(item.id, known.get(item.id)); // being edited: look again next time
    } else {
      replaceWhere(now.get(item.id) !== known.get(item.id), present, item);
    }
  });
  tellTimes();
  return now;
}

function watch(live) {
  let known = snapshot(live);
  let tag = "";
  const look = async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(live.dataset.live, { headers: { "If-None-Match": tag } });
      if (answer.status !== 200) return;
      tag = answer.headers.get("ETag") ?? "";
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      known = update(live, page.querySelector("[data-live]"), known);
    } catch {
      // the server stopped or restarts: the page stays as it is until it answers again
    }
  };
  setInterval(look, POLL_MS);
}

// A menu closes when somebody clicks elsewhere, as menus do.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]"))
    if (!menu.contains(event.target)) menu.open = false;
});

const live = document.querySelector("[data-live]");
if (live) watch(live);
tellTimes();
setInterval(tellTimes, 10000);
