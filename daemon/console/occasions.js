// The occasions of a biography in order of time, read on as one scrolls; renewed in place when words or clips come.

import { GONE, get } from "./api.js";
import { failure, h, settle, whenNear } from "./dom.js";
import { last, occasion } from "./occasion.js";

/** Observations of a page; whoever reads the first one takes as many. */
export const PAGE = 100;
const PAGE_MAX = 500;

/** The part of the page for what is at `path`, begun with its first page; `renew` reads again as many as are shown. */
export function occasions(path, place, { first, changed }) {
  const { asOf, signal } = place;
  const list = h("ol", { class: "occasions" });
  const foot = h("div", {});
  const known = new Map();
  let [observations, next, reading] = [first.observations, first.next, false];

  const show = () => {
    let before = null;
    const shown = byClip(observations).map((clip) => {
      const key = JSON.stringify([clip, before?.end]);
      if (!known.has(key)) known.set(key, occasion(clip, before, place));
      before = last(clip);
      return [key, known.get(key)];
    });
    settle(
      list,
      shown.map(([, element]) => element),
    );
    const keys = new Set(shown.map(([key]) => key));
    for (const key of known.keys()) if (!keys.has(key)) known.delete(key);
    foot.replaceChildren(
      ...(next ? [h("button", { type: "button", class: "button", on: { click: later } }, "Later")] : []),
    );
    if (next) whenNear(foot, signal, later);
  };
  const read = (limit, cursor = null) => get(path, { as_of: asOf, limit, cursor }, signal);
  const later = async () => {
    if (reading || !next) return;
    const from = next;
    reading = true;
    try {
      const page = await read(PAGE, from);
      // Renewed meanwhile: this page continues what is shown no more.
      if (from !== next) return;
      [observations, next] = [[...observations, ...page.observations], page.next];
      show();
    } catch (error) {
      if (error.name !== "AbortError") foot.replaceChildren(failure(error, error.status === GONE ? renew : later));
    } finally {
      reading = false;
    }
  };
  const renew = async () => {
    let page = await read(Math.min(PAGE_MAX, Math.max(PAGE, observations.length)));
    const found = [...page.observations];
    while (page.next && found.length < observations.length) {
      page = await read(PAGE_MAX, page.next);
      found.push(...page.observations);
    }
    [observations, next] = [found, page.next];
    changed(page.entity);
    show();
  };
  show();
  return { part: h("section", { "aria-label": "Occasions" }, list, foot), list, renew };
}

/** Observations of one clip together, in the order in which they came. */
function byClip(observations) {
  const groups = [];
  for (const one of observations) {
    if (groups.at(-1)?.[0].clip === one.clip) groups.at(-1).push(one);
    else groups.push([one]);
  }
  return groups;
}
