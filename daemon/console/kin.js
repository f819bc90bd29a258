// Other entities of the same label: which are surely others, and which might be the same one, unproved.

import { get, place } from "./api.js";
import { count, h } from "./dom.js";
import { crop } from "./pictures.js";
import { of } from "./routes.js";

const SHOWN = 12;

/** A strip of them, filled as they come; empty where there are none. */
export function kin(one, asOf, signal) {
  const strip = h("section", { class: "kin", "aria-label": "Others" });
  void fill(strip, one, asOf, signal).catch(() => {});
  return strip;
}

async function fill(strip, one, asOf, signal) {
  const [alike, apart] = await Promise.all([
    get(`${place(one.stream)}/entities`, { label: one.label, limit: SHOWN * 3, as_of: asOf }, signal),
    Promise.all(one.apart_from.slice(0, SHOWN).map((name) => named(one, name, asOf, signal))),
  ]);
  const surely = apart.filter(Boolean);
  const unresolved = alike.entities.filter(
    (other) => other.entity !== one.entity && !one.apart_from.includes(other.entity),
  );
  const group = (title, told, found, more) =>
    h(
      "div",
      { class: "kin-group" },
      h("h2", {}, title),
      h("p", { class: "soft" }, told),
      h(
        "ul",
        {},
        found.slice(0, SHOWN).map((other) =>
          h(
            "li",
            {},
            h(
              "a",
              {
                href: of(one.stream, `entity/${other.entity}`, { as_of: asOf }),
                "aria-label": `${other.name ?? other.label} ${other.entity}`,
              },
              crop(other.best_crop ?? other.crop, other.label, 72),
              h("span", {}, other.name ?? other.label, " ", h("small", {}, other.entity)),
            ),
          ),
        ),
        more,
      ),
    );
  const left = one.apart_from.length - surely.length;
  if (surely.length)
    strip.append(
      group(
        "Surely others",
        "Seen at another place in the same frames.",
        surely,
        left > 0 ? h("li", { class: "soft" }, `and ${left} more`) : null,
      ),
    );
  if (unresolved.length) {
    const many = Math.max(unresolved.length, alike.total - 1 - one.apart_from.length);
    strip.append(
      group(
        "Unresolved",
        `${count(many, "other entity", "other entities")} labelled ${one.label}: nothing proves that ${many === 1 ? "it is" : "they are"} this one, nor that ${many === 1 ? "it is" : "they are"} not.`,
        unresolved,
        many > SHOWN
          ? h(
              "li",
              {},
              h(
                "a",
                { class: "soft", href: of(one.stream, "entities", { label: one.label, as_of: asOf }) },
                "all of them",
              ),
            )
          : null,
      ),
    );
  }
}

async function named(one, name, asOf, signal) {
  try {
    return (await get(`${place(one.stream)}/entities/${name}`, { limit: 1, as_of: asOf }, signal)).entity;
  } catch {
    return null;
  }
}
