// An entity's biography: its pictures in order of time, each with what was said around it, and what is known of others.

import { get, place } from "../api.js";
import { asOfNotice } from "../asof.js";
import { count, failure, h, loading, whenNear } from "../dom.js";
import { link, spoken } from "../entry.js";
import { crop } from "../pictures.js";
import { of } from "../routes.js";
import { between, clock, day, duration, full } from "../times.js";
import { kin } from "../kin.js";

const PAGE = 100;

/** Seconds between two occasions from which it is worth saying how long it was out of sight. */
const AWAY_S = 60;

const LINES_MAX = 6;

export function show({ stream, rest, params, following, signal }) {
  const [entity] = rest;
  const asOf = params.as_of;
  const page = h("article", { class: "biography" }, loading("the biography"));
  const path = `${place(stream)}/entities/${encodeURIComponent(entity)}`;

  const read = async () => {
    try {
      const first = await get(path, { as_of: asOf, limit: PAGE }, signal);
      page.replaceChildren(asOfNotice(asOf) ?? "", head(first.entity, asOf), kin(first.entity, asOf, signal), occasions(first));
      document.title = `${first.entity.label} · Biographer`;
    } catch (error) {
      if (error.name !== "AbortError") page.replaceChildren(failure(error, read));
    }
  };

  const occasions = (first) => {
    const list = h("ol", { class: "occasions" });
    const foot = h("div", {});
    let before = null;
    const add = (found) => {
      for (const clip of byClip(found)) {
        list.append(occasion(clip, before, { stream, asOf, signal }));
        before = clip.at(-1);
      }
    };
    let next = first.next;
    const older = async () => {
      try {
        const more = await get(path, { as_of: asOf, limit: PAGE, cursor: next }, signal);
        add(more.observations);
        next = more.next;
        continueBelow();
      } catch (error) {
        if (error.name !== "AbortError") foot.replaceChildren(failure(error, older));
      }
    };
    const continueBelow = () => {
      foot.replaceChildren(...(next ? [h("button", { type: "button", class: "button", on: { click: older } }, "Later")] : []));
      if (next) whenNear(foot, signal, older);
    };
    add(first.observations);
    continueBelow();
    return h("section", { "aria-label": "Occasions" }, list, foot);
  };

  if (!asOf) following.addEventListener("change", ({ detail }) => {
    if (detail.entities.includes(entity) && scrollY < 200) void read();
  }, { signal });
  void read();
  return page;
}

function head(one, asOf) {
  const lasted = between(one.first_seen, one.last_seen);
  return h("header", { class: "bio-head" },
    crop(one.best_crop ?? one.crop, one.label, 320),
    h("div", {},
      h("p", { class: "eyebrow" }, "Biography of ", h("code", {}, one.entity)),
      h("h1", {}, one.label),
      h("p", { class: "summary" }, one.observations === 1 ? "Seen once, " : `Seen ${one.observations} times in ${count(one.clips, "clip")}, first `,
        "on ", h("time", { datetime: one.first_seen }, `${day(one.first_seen)} at ${clock(one.first_seen)}`),
        one.observations === 1 ? "." : [", for the last time ", h("time", { datetime: one.last_seen, title: full(one.last_seen) }, `${duration(lasted)} later`), "."]),
      h("p", { class: "actions" },
        h("a", { class: "button", href: of(one.stream, `graph/${one.entity}`, { as_of: asOf }) }, "What lies around it"),
        h("a", { class: "button", href: of(one.stream, "search", { entity: one.entity, as_of: asOf }) }, "Search its life"))));
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

function occasion(seen, before, { stream, asOf, signal }) {
  const [first] = seen;
  const around = h("div", { class: "around" });
  const away = before ? between(before.end, first.start) : 0;
  const dated = !before || day(before.start) !== day(first.start);
  const item = h("li", { class: "occasion" },
    away > AWAY_S ? h("p", { class: "gap" }, `out of sight for ${duration(away)}`) : null,
    dated ? h("h2", { class: "day" }, day(first.start)) : null,
    h("div", { class: "occasion-row" },
      h("div", { class: "when" }, h("time", { datetime: first.start, title: full(first.start) }, clock(first.start)), h("span", { class: "soft" }, `for ${duration(between(first.start, seen.at(-1).end))}`)),
      h("div", {},
        h("div", { class: "shots" }, seen.flatMap(pictures)),
        ...[...new Set(seen.map((one) => one.text))].map((text) => h("p", { class: "described" }, text)),
        around,
        h("p", { class: "more" }, link(first.clip, first.start, first.observation, {}, "Open the clip")))));
  whenNear(item, signal, async () => {
    try {
      const { lines } = await get(`${place(stream)}/clips/${first.clip}`, { as_of: asOf }, signal);
      // A description may quote what was heard; once is enough.
      const untold = lines.filter((line) => !seen.some((one) => one.text.includes(line.text)));
      around.replaceChildren(...nearest(untold, first).map(spoken));
    } catch (error) {
      if (error.name !== "AbortError") around.replaceChildren(h("p", { class: "soft" }, `What was said is not read: ${error.message}.`));
    }
  });
  return item;
}

function pictures(one) {
  if (!one.crops.length) return [link(one.clip, one.start, one.observation, { class: "shot-link", "aria-label": `Open the frame of ${clock(one.start)}` }, crop(null, one.label, 140))];
  return one.crops.map((picture) =>
    link(one.clip, picture.at, one.observation, { class: "shot-link", "aria-label": `Open the frame of ${clock(picture.at)}` }, crop(picture.path, one.label, 140)));
}

/** The lines that were nearest to an observation, in the order of their times. */
function nearest(lines, one) {
  const off = (line) => Math.max(0, between(line.end, one.start), between(one.end, line.start));
  return lines.toSorted((a, b) => off(a) - off(b)).slice(0, LINES_MAX).toSorted((a, b) => a.start.localeCompare(b.start));
}
