// An entity's biography: its pictures in order of time, each with what was said around it, and what is known of others.

import { get, place } from "../api.js";
import { asOfNotice } from "../asof.js";
import { count, failure, h, loading, whenNear } from "../dom.js";
import { crop } from "../pictures.js";
import { of } from "../routes.js";
import { between, clock, day, duration, full } from "../times.js";
import { occasion } from "../occasion.js";
import { kin } from "../kin.js";

const PAGE = 100;

export function show({ stream, rest, params, following, signal }) {
  const [entity] = rest;
  const asOf = params.as_of;
  const page = h("article", { class: "biography" }, loading("the biography"));
  const path = `${place(stream)}/entities/${encodeURIComponent(entity)}`;

  const read = async () => {
    try {
      const first = await get(path, { as_of: asOf, limit: PAGE }, signal);
      page.replaceChildren(
        asOfNotice(asOf) ?? "",
        head(first.entity, asOf),
        kin(first.entity, asOf, signal),
        occasions(first),
      );
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
      foot.replaceChildren(
        ...(next ? [h("button", { type: "button", class: "button", on: { click: older } }, "Later")] : []),
      );
      if (next) whenNear(foot, signal, older);
    };
    add(first.observations);
    continueBelow();
    return h("section", { "aria-label": "Occasions" }, list, foot);
  };

  if (!asOf)
    following.addEventListener(
      "change",
      ({ detail }) => {
        if (detail.entities.includes(entity) && scrollY < 200) void read();
      },
      { signal },
    );
  void read();
  return page;
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
      h("p", { class: "eyebrow" }, "Biography of ", h("code", {}, one.entity)),
      h("h1", {}, one.label),
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

/** Observations of one clip together, in the order in which they came. */
function byClip(observations) {
  const groups = [];
  for (const one of observations) {
    if (groups.at(-1)?.[0].clip === one.clip) groups.at(-1).push(one);
    else groups.push([one]);
  }
  return groups;
}
