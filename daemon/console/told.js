// What is told of an entity beside its own sightings: whom it dealt with, and the topics and events of its name.

import { get, place } from "./api.js";
import { chain } from "./chain.js";
import { h } from "./dom.js";
import { relationList, relationsOf } from "./relation.js";

const FEW = 4;
const MANY = 200;

/** The part of the page, empty where nothing is told; `renew` reads it again. */
export function told(stream, entity, asOf, signal) {
  const part = h("section", { class: "told-of", "aria-label": "What is told of it" });
  let [limit, shown] = [FEW, null];

  const read = async () => {
    const [related, { chains }] = await Promise.all([
      relationsOf(stream, { entity, as_of: asOf }, limit, signal),
      get(`${place(stream)}/chains`, { entity, links: FEW, as_of: asOf }, signal),
    ]);
    if (shown === (shown = JSON.stringify([related, chains]))) return;
    part.replaceChildren(...relations(related), ...topics(chains));
  };
  const renew = () => void read().catch(() => {});
  const relations = ({ found, more }) =>
    found.length
      ? [
          h(
            "div",
            { class: "dealings" },
            h("h2", {}, "Dealings"),
            relationList(found, stream, asOf),
            more && limit < MANY ? h("button", { type: "button", class: "quiet", on: { click: further } }, "More") : null,
          ),
        ]
      : [];
  const topics = (chains) =>
    chains.length ? [h("div", { class: "chains" }, chains.map((one) => chain(one, stream, asOf)))] : [];
  const further = () => {
    limit = MANY;
    renew();
  };
  renew();
  return { part, renew };
}
