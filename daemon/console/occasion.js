// One occasion of a biography: when, the pictures, what is told of it, and the lines around it.

import { get, place } from "./api.js";
import { h, whenNear } from "./dom.js";
import { link, spoken, writtenBy } from "./entry.js";
import { crop } from "./pictures.js";
import { between, clock, day, duration, full } from "./times.js";

/** Seconds between two occasions from which it is worth saying how long it was out of sight. */
const AWAY_S = 60;

const LINES_MAX = 6;

/** Of an occasion's observations, the one that was in sight last: one that began earlier may have lasted longer. */
export const last = (seen) => seen.reduce((one, other) => (between(one.end, other.end) > 0 ? other : one));

/** How long an occasion lasted; of several sightings, which may lie apart, over how long they spread. */
export function lasting(seen) {
  const long = duration(between(seen[0].start, last(seen).end));
  return seen.length === 1 ? `for ${long}` : `${seen.length} sightings in ${long}`;
}

/** The observations of one clip; `before` is the last one of the occasion before, or null. */
export function occasion(seen, before, { stream, asOf, signal }) {
  const [first] = seen;
  const around = h("div", { class: "around" });
  const away = before ? between(before.end, first.start) : 0;
  const dated = !before || day(before.start) !== day(first.start);
  const item = h(
    "li",
    { class: "occasion" },
    away > AWAY_S ? h("p", { class: "gap" }, `out of sight for ${duration(away)}`) : null,
    dated ? h("h2", { class: "day" }, day(first.start)) : null,
    h(
      "div",
      { class: "occasion-row" },
      choice(seen),
      h(
        "div",
        { class: "when" },
        h("time", { datetime: first.start, title: full(first.start) }, clock(first.start)),
        h("span", { class: "soft" }, lasting(seen)),
      ),
      h(
        "div",
        {},
        h("div", { class: "shots" }, seen.flatMap(pictures)),
        ...[...new Set(seen.map((one) => one.text))].map((text) => h("p", { class: "described" }, text)),
        writtenBy(seen.find((one) => one.description)?.description.author),
        around,
        h("p", { class: "more" }, link(first.clip, first.start, first.observation, {}, "Open the clip")),
      ),
    ),
  );
  whenNear(item, signal, async () => {
    try {
      const { lines } = await get(`${place(stream)}/clips/${first.clip}`, { as_of: asOf }, signal);
      // A description may quote what was heard; once is enough.
      const untold = lines.filter((line) => !seen.some((one) => one.text.includes(line.text)));
      around.replaceChildren(...nearest(untold, first).map(spoken));
    } catch (error) {
      if (error.name !== "AbortError")
        around.replaceChildren(h("p", { class: "soft" }, `What was said is not read: ${error.message}.`));
    }
  });
  return item;
}

/** What chooses the occasion while some are to be split off. */
function choice(seen) {
  const value = seen.map((one) => one.observation).join(" ");
  const box = h("input", { type: "checkbox", name: "occasion", value, "aria-label": `The occasion at ${clock(seen[0].start)}` });
  return h("label", { class: "choose" }, box);
}

function pictures(one) {
  const shown = one.crops.length ? one.crops : [{ path: null, at: one.start }];
  return shown.map((picture) =>
    link(
      one.clip,
      picture.at,
      one.observation,
      { class: "shot-link", "aria-label": `Open the frame of ${clock(picture.at)}` },
      crop(picture.path, one.label, 140),
    ),
  );
}

/** The lines that were nearest to an observation, in the order of their times. */
function nearest(lines, one) {
  const off = (line) => Math.max(0, between(line.end, one.start), between(one.end, line.start));
  return lines
    .toSorted((a, b) => off(a) - off(b))
    .slice(0, LINES_MAX)
    .toSorted((a, b) => a.start.localeCompare(b.start));
}
