// One piece of evidence, small: a picture, when, what it is, and the way to the frame that shows it.

import { h } from "./dom.js";
import { link } from "./entry.js";
import { crop, frame } from "./pictures.js";
import { of } from "./routes.js";
import { clock, day, full } from "./times.js";

const SCALES = { local: "Episode", "3min": "3 minutes", "10min": "10 minutes", "1h": "An hour" };

/** What a piece of evidence is, in a word or two. */
export const title = (item) => item.name ?? item.label ?? SCALES[item.scale] ?? item.scale;

/** The piece; `mark` stands before it, such as the number by which an answer cites it. */
export function piece(item, asOf, mark = null) {
  return h(
    "li",
    { class: "piece", data: { unit: item.unit } },
    leading(item, asOf, { class: "piece-shot", "aria-label": `Open the frame of ${clock(item.start)}` }, picture(item)),
    h(
      "div",
      {},
      h(
        "p",
        { class: "piece-head" },
        mark ? h("span", { class: "cited" }, mark) : null,
        leading(item, asOf, {}, h("time", { datetime: item.start, title: full(item.start) }, clock(item.start))),
        h("span", { class: "soft" }, day(item.start).replace(/^\w+, /, "")),
      ),
      h("p", { class: "piece-what" }, h("b", {}, title(item)), whose(item, asOf), " ", item.text),
    ),
  );
}

/** A link to what shows a piece: the frame of its clip; of a longer stretch, all that was recorded in it. */
export function leading(item, asOf, attributes, ...children) {
  if (item.clip) return link(item.clip, item.start, item.unit.startsWith("o") ? item.unit : null, attributes, ...children);
  const there = of(item.stream, "search", { from: item.start, to: item.end, as_of: asOf });
  return h("a", { href: there, ...attributes }, ...children);
}

function picture(item) {
  if (item.crop) return crop(item.crop, item.label, 72);
  if (item.frame) return frame(item.frame, null, 160);
  return h("span", { class: "crop blank", "aria-hidden": "true" }, title(item).slice(0, 1).toUpperCase());
}

function whose(item, asOf) {
  if (!item.entity) return null;
  return [" ", h("a", { class: "soft", href: of(item.stream, `entity/${item.entity}`, { as_of: asOf }) }, item.entity)];
}
