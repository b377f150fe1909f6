// Shows a run while it goes on; without it the page loads itself anew.
"use strict";

for (const place of document.querySelectorAll("[data-live]")) {
  if ("EventSource" in window) watch(place);
}

function watch(place) {
  let source = null;
  const said = place.querySelector("[data-said]");
  const shown = new Map();
  // clocks go by the server's time, however a browser's own is set
  let ahead = Number(place.dataset.now) - Date.now();

  // a browser keeps few connections to one server: a page that nobody looks at needs none
  document.addEventListener("visibilitychange", follow);
  follow();
  tick();
  setInterval(tick, 1000);

  function follow() {
    if (document.hidden) {
      source?.close();
      source = null;
    } else if (!source) {
      source = new EventSource(place.dataset.live);
      source.addEventListener("changed", change);
      source.addEventListener("ended", end);
      source.addEventListener("error", lose);
    }
  }

  function change(event) {
    const news = JSON.parse(event.data);
    ahead = news.now - Date.now();
    for (const [name, html] of Object.entries(news.parts)) {
      if (shown.get(name) === html) continue;
      shown.set(name, html);
      show(place.querySelector(`[data-part="${name}"]`), html);
    }
    tick();
    // a screen reader hears of milestones, and not of every turn
    if (said && said.textContent !== news.said) said.textContent = news.said;
  }

  function end() {
    source.close();
    location.reload();
  }

  // the browser asks again by itself, unless it was turned away: signed out, or too many are here
  function lose() {
    if (source?.readyState !== EventSource.CLOSED) return;
    source = null;
    if (said) setTimeout(() => location.reload(), 15_000);
    else setTimeout(follow, 60_000);
  }

  function tick() {
    const now = Date.now() + ahead;
    for (const clock of place.querySelectorAll("[data-since]")) {
      clock.textContent = passed(now - Number(clock.dataset.since));
    }
  }
}

function show(part, html) {
  if (!part) return;
  const page = new DOMParser().parseFromString(html, "text/html");
  renew(part, page.body);
  const box = part.closest("[data-box]");
  if (box) box.hidden = html.trim() === "";
}

// Changes what differs and nothing else: what has the focus, or is just being pressed, stays.
function renew(there, now) {
  const before = [...there.childNodes];
  const after = [...now.childNodes];
  after.forEach((node, at) => {
    const old = before[at];
    if (!old) there.append(node);
    else if (old.isEqualNode(node)) return;
    else if (old.nodeName !== node.nodeName || old.href !== node.href || !old.attributes) {
      old.replaceWith(node);
    } else {
      for (const { name } of [...old.attributes]) {
        if (!node.hasAttribute(name)) old.removeAttribute(name);
      }
      for (const { name, value } of node.attributes) {
        if (old.getAttribute(name) !== value) old.setAttribute(name, value);
      }
      renew(old, node);
    }
  });
  for (const old of before.slice(after.length)) old.remove();
}

function passed(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours
    ? `${hours}:${two(minutes)}:${two(seconds % 60)}`
    : `${minutes}:${two(seconds % 60)}`;
}
