// An entity's biography: its pictures in order of time, each with what was said around it, and what is known of others.

import { get, place } from "../api.js";
import { asOfNotice } from "../asof.js";
import { count, failure, h, loading } from "../dom.js";
import { kin } from "../kin.js";
import { PAGE, occasions } from "../occasions.js";
import { crop } from "../pictures.js";
import { of } from "../routes.js";
import { ruling } from "../ruling.js";
import { between, clock, day, duration, full } from "../times.js";
import { told } from "../told.js";

export function show({ stream, rest, params, following, signal }) {
  const [entity] = rest;
  const asOf = params.as_of;
  const page = h("article", { class: "biography" }, loading("the biography"));
  const path = `${place(stream)}/entities/${encodeURIComponent(entity)}`;
  let renew = null;

  const read = async () => {
    try {
      const first = await get(path, { as_of: asOf, limit: PAGE }, signal);
      page.replaceChildren(...parts(first));
    } catch (error) {
      if (error.name !== "AbortError") page.replaceChildren(failure(error, read), ...elsewhere(error, stream));
    }
  };

  const parts = (first) => {
    const [top, others] = [h("div", {}), h("div", {})];
    let known = null;
    const changed = (one) => {
      if (known === (known = JSON.stringify(one))) return;
      top.replaceChildren(head(one, asOf));
      others.replaceChildren(kin(one, asOf, signal));
      word.of(one);
      document.title = `${one.name ?? one.label} · Biographer`;
    };
    const beside = told(stream, entity, asOf, signal);
    const life = occasions(path, { stream, asOf, signal }, { first, changed });
    const word = ruling(first.entity, { list: life.list, asOf, signal, done: () => renew() });
    renew = async () => {
      beside.renew();
      word.renew();
      await life.renew();
    };
    changed(first.entity);
    return [asOfNotice(asOf) ?? "", top, word.part, others, beside.part, life.part];
  };

  const again = () => {
    if (renew) void renew().catch((error) => error.status === 404 && read());
  };
  if (!asOf) {
    following.addEventListener("words", again, { signal });
    following.addEventListener("change", ({ detail }) => detail.entities.includes(entity) && again(), { signal });
  }
  void read();
  return page;
}

/** Where an entity is found that is one with another by now. */
function elsewhere({ message }, stream) {
  const [, owner] = /ask for (e\d+)/.exec(message) ?? [];
  if (!owner) return [];
  return [h("p", { class: "centred" }, h("a", { class: "button", href: of(stream, `entity/${owner}`) }, `To ${owner}`))];
}

function head(one, asOf) {
  const lasted = between(one.first_seen, one.last_seen);
  return h(
    "header",
    { class: "bio-head" },
    crop(one.best_crop ?? one.crop, one.label, 320),
    h(
      "div",
      {},
      h("p", { class: "eyebrow" }, "Biography of ", h("code", {}, one.entity), one.name ? `, ${one.label}` : ""),
      h("h1", {}, one.name ?? one.label),
      h(
        "p",
        { class: "summary" },
        one.observations === 1
          ? "Seen once, "
          : `Seen ${one.observations} times in ${count(one.clips, "clip")}, first `,
        "on ",
        h("time", { datetime: one.first_seen }, `${day(one.first_seen)} at ${clock(one.first_seen)}`),
        one.observations === 1
          ? "."
          : [
              ", for the last time ",
              h("time", { datetime: one.last_seen, title: full(one.last_seen) }, `${duration(lasted)} later`),
              ".",
            ],
      ),
      cast(one),
      h(
        "p",
        { class: "actions" },
        h(
          "a",
          { class: "button", href: of(one.stream, `graph/${one.entity}`, { as_of: asOf }) },
          "What lies around it",
        ),
        h(
          "a",
          { class: "button", href: of(one.stream, "search", { entity: one.entity, as_of: asOf }) },
          "Search its life",
        ),
      ),
    ),
  );
}

/** What of it is a model's word alone: its name, and what is taken for a part of it. */
function cast({ named_by: by, joined = [] }) {
  const told = [
    by === "castings" ? "It is so named by a model." : null,
    joined.length ? `A model takes ${joined.join(", ")} for the same.` : null,
  ].filter(Boolean);
  return told.length ? h("p", { class: "soft" }, told.join(" ")) : null;
}
