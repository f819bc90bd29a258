// A chain for reading: dated facts about one topic, or dated steps of one event, each with where it is seen.

import { h } from "./dom.js";
import { link, writtenBy } from "./entry.js";
import { of } from "./routes.js";
import { full, instant } from "./times.js";

const KINDS = { topic: "Topic", event: "Event" };

export function chain(one, stream, asOf) {
  const authors = new Map(one.links.map(({ author }) => [JSON.stringify(author), author]));
  return h(
    "article",
    { class: "chain", data: { kind: one.kind } },
    h(
      "h3",
      {},
      one.entity ? h("a", { href: of(stream, `entity/${one.entity}`, { as_of: asOf }) }, one.title) : one.title,
      " ",
      h("span", { class: "tag" }, KINDS[one.kind] ?? one.kind),
    ),
    h(
      "ol",
      {},
      one.further
        ? h("li", {}, h("a", { class: "soft", href: whole(one, stream, asOf) }, `${one.further} more before`))
        : null,
      one.links.map((each) => h("li", {}, when(each), h("span", {}, each.text))),
    ),
    [...authors.values()].map(writtenBy),
  );
}

const whole = (one, stream, asOf) => of(stream, "chains", { name: one.title, links: 500, as_of: asOf });

function when({ start, clip }) {
  const time = h("time", { datetime: start, title: full(start) }, instant(start));
  return clip ? link(clip, start, null, { "aria-label": `Open the frame of ${full(start)}` }, time) : time;
}
