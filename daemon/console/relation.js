// Who did what with whom or what: relations that a model read from a clip, as sentences.

import { get, place } from "./api.js";
import { h } from "./dom.js";
import { link } from "./entry.js";
import { of } from "./routes.js";
import { clock, full, instant } from "./times.js";

/** The relations of an entity or of a stretch of time, nothing relaxed; `more` says whether the limit cut them off. */
export async function relationsOf(stream, asked, limit, signal) {
  const { relations } = await get(`${place(stream)}/relations`, { ...asked, limit, enough: 1 }, signal);
  return { found: relations.filter((one) => !one.relaxed.length), more: relations.length === limit };
}

/** A list of them; `dated` says the day with the time. */
export function relationList(found, stream, asOf, dated = true) {
  const when = dated ? instant : clock;
  const row = (one) =>
    h(
      "li",
      {},
      link(
        one.clip,
        one.start,
        null,
        { class: "relation-when", title: full(one.start), "aria-label": `Open the frame of ${full(one.start)}` },
        h("time", { datetime: one.start }, when(one.start)),
      ),
      h(
        "span",
        { title: one.author ? `Written by ${one.author.model}, ${one.author.prompt}` : null },
        party(one.source, stream, asOf),
        ` ${one.kind.replaceAll("_", " ")} `,
        party(one.target, stream, asOf),
        one.evidence ? h("span", { class: "soft" }, ` (${one.evidence})`) : null,
      ),
    );
  return h("ul", { class: "relations" }, found.map(row));
}

function party({ name, entity }, stream, asOf) {
  const to = entity ? of(stream, `entity/${entity}`, { as_of: asOf }) : of(stream, "chains", { name, as_of: asOf });
  return h("a", { href: to }, name, entity ? [" ", h("small", {}, entity)] : null);
}
