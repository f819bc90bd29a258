// What users have said about an entity, each with the way to take it back; read once somebody wants to see it.

import { get, place } from "./api.js";
import { h } from "./dom.js";
import { moment } from "./times.js";

/** The list, folded away; `undo` is given the ruling that is to hold no more. */
export function rulings(one, { undo, signal }) {
  const list = h("ol", {}, h("li", { class: "soft" }, "Reading …"));
  const part = h("details", { class: "rulings" }, h("summary", {}, "What was said about it"), list);
  const read = async () => {
    const found = await get(`${place(one.stream)}/rulings`, {}, signal);
    const own = about(one.entity, found.rulings);
    list.replaceChildren(
      ...(own.length
        ? own.map((each) => row(each, found.rulings, undo))
        : [h("li", { class: "soft" }, "Nobody has said anything about it yet.")]),
    );
  };
  const renew = () => {
    if (part.open) void read().catch(() => {});
  };
  part.addEventListener("toggle", renew);
  return { part, renew };
}

/** The rulings on an entity, and on those that were merged into it. */
function about(entity, found) {
  const whole = new Set([entity]);
  for (const each of found.toReversed())
    if (each.act === "merge" && each.in_force && whole.has(each.entity)) whole.add(each.other);
  return found.filter((each) => each.act !== "undo" && (whole.has(each.entity) || whole.has(each.other)));
}

function row(each, found, undo) {
  // What was taken back is said again by taking back what took it back.
  const by = found.findLast((other) => other.undoes === each.ruling && other.in_force);
  const [name, words] = each.in_force ? [each.ruling, "Undo"] : [by?.ruling, "Say it again"];
  return h(
    "li",
    { data: { force: String(each.in_force) } },
    h("span", {}, sentence(each)),
    h("span", { class: "soft" }, ` ${each.by}, with what was known at ${moment(each.known)}`),
    name ? h("button", { type: "button", class: "quiet", on: { click: () => undo(name) } }, words) : null,
  );
}

function sentence({ act, entity, other, name, observations }) {
  const words = {
    name: () => `${entity} goes by “${name}”.`,
    merge: () => `${other} is one with ${entity}.`,
    apart: () => `${entity} and ${other} are two.`,
    split: () => `${observations.length} of the sightings of ${entity} are of ${other}.`,
  };
  return words[act]();
}
