// The entities that are known, as a wall of pictures: filtered, sorted, and read on as one scrolls.

import { GONE, get, place } from "../api.js";
import { count, debounced, failure, h, loading, note, tell, whenNear } from "../dom.js";
import { crop } from "../pictures.js";
import { amend, of } from "../routes.js";
import { moment } from "../times.js";
import { asOfNotice } from "../asof.js";

const PAGE = 60;
const CHIPS = 10;
const SORTS = { seen: "Most seen", last: "Seen last", first: "Seen first", entity: "By number" };

export function show({ stream, params, following, signal }) {
  const asked = { label: params.label, name: params.name, text: params.text, sort: params.sort ?? "seen", as_of: params.as_of };
  const wall = h("ul", { class: "wall" });
  const foot = h("div", { class: "wall-foot" });
  const total = h("p", { class: "soft total", role: "status" });
  const chips = h("div", { class: "chips", role: "group", "aria-label": "Label" });
  const fresh = h("button", { type: "button", class: "fresh button", hidden: true, on: { click: () => restart() } });
  let [next, turn] = [null, 0];

  const older = async () => {
    const mine = turn;
    try {
      const page = await get(`${place(stream)}/entities`, { ...asked, limit: PAGE, cursor: next }, signal);
      if (mine !== turn) return;
      if (next === null) begin(page);
      wall.append(...page.entities.map((one) => card(one, stream, asked.as_of)));
      next = page.next;
      foot.replaceChildren(
        ...(next ? [h("button", { type: "button", class: "button", on: { click: older } }, "More")] : []),
      );
      if (next) whenNear(foot, signal, older, "900px");
    } catch (error) {
      if (error.name !== "AbortError" && mine === turn)
        foot.replaceChildren(failure(error, error.status === GONE ? restart : older));
    }
  };

  const begin = (page) => {
    wall.replaceChildren();
    labels(chips, page.labels, asked.label, (label) => change({ label }));
    const filtered = asked.label || asked.text || asked.name;
    total.textContent = page.total ? count(page.total, "entity", "entities") : "";
    tell(count(page.total, "entity", "entities"));
    if (!page.total) {
      wall.replaceChildren(
        h(
          "li",
          { class: "whole" },
          filtered
            ? note(
                "No entity is like that",
                "Try another word, or fewer.",
                h(
                  "button",
                  { type: "button", class: "button", on: { click: () => change({ label: null, text: null, name: null }) } },
                  "Show all entities",
                ),
              )
            : note("No entity is known yet", "One appears here once it was seen for two seconds or more."),
        ),
      );
    }
  };

  const restart = () => {
    turn += 1;
    [next, fresh.hidden, fresh.dataset.count] = [null, true, 0];
    if (!wall.childElementCount) foot.replaceChildren(loading("entities"));
    void older();
  };
  const change = (changes) => {
    Object.assign(asked, changes);
    amend({ ...changes });
    field.value = asked.text ?? "";
    called.value = asked.name ?? "";
    restart();
  };

  const field = h("input", {
    type: "search",
    name: "text",
    value: asked.text ?? "",
    placeholder: "Described as …",
    "aria-label": "Described as",
    on: {
      input: debounced((event) => change({ text: event.target.value || null })),
    },
  });
  const called = h("input", {
    type: "search",
    name: "name",
    value: asked.name ?? "",
    placeholder: "Called …",
    "aria-label": "Called",
    on: {
      input: debounced((event) => change({ name: event.target.value || null })),
    },
  });
  const sort = h(
    "select",
    { "aria-label": "Order", on: { change: (event) => change({ sort: event.target.value }) } },
    Object.entries(SORTS).map(([value, name]) => h("option", { value, selected: value === asked.sort }, name)),
  );
  following.addEventListener(
    "change",
    ({ detail }) => {
      if (!detail.new_entities.length || asked.as_of) return;
      const many = Number(fresh.dataset.count || 0) + detail.new_entities.length;
      [fresh.dataset.count, fresh.textContent, fresh.hidden] = [
        many,
        `Show ${count(many, "new entity", "new entities")}`,
        false,
      ];
    },
    { signal },
  );
  restart();
  return h(
    "div",
    { class: "entities" },
    h("div", { class: "page-head" }, h("h1", {}, "Entities"), total),
    asOfNotice(asked.as_of),
    h("div", { class: "tools" }, called, field, sort, chips),
    fresh,
    wall,
    foot,
  );
}

/** One entity on the wall. */
export function card(one, stream, asOf = undefined) {
  return h(
    "li",
    {},
    h(
      "a",
      { href: of(stream, `entity/${one.entity}`, { as_of: asOf }), class: "card" },
      crop(one.best_crop ?? one.crop, one.label, 240),
      h("span", { class: "card-label" }, h("span", {}, one.name ?? one.label), h("small", {}, one.entity)),
      h(
        "span",
        { class: "soft" },
        one.name ? `${one.label}, ` : null,
        one.observations === 1 ? "seen once" : `seen ${one.observations} times`,
        `, ${one.observations === 1 ? "" : "last "}`,
        h("time", { datetime: one.last_seen }, moment(one.last_seen)),
      ),
    ),
  );
}

function labels(chips, found, chosen, choose) {
  const chip = (label, many) =>
    h(
      "button",
      {
        type: "button",
        class: "chip",
        "aria-pressed": String(label === (chosen ?? null)),
        on: { click: (event) => press(event.currentTarget, label) },
      },
      label ?? "All",
      many ? h("small", {}, many) : null,
    );
  const press = (button, label) => {
    for (const one of chips.querySelectorAll(".chip")) one.setAttribute("aria-pressed", String(one === button));
    choose(label);
  };
  if (chips.childElementCount) return;
  const rest = found.slice(CHIPS);
  chips.append(chip(null), ...found.slice(0, CHIPS).map((one) => chip(one.label, one.entities)));
  if (rest.length)
    chips.append(
      h(
        "select",
        { "aria-label": "More labels", on: { change: (event) => event.target.value && choose(event.target.value) } },
        h("option", { value: "" }, "More …"),
        rest.map((one) =>
          h("option", { value: one.label, selected: one.label === chosen }, `${one.label} (${one.entities})`),
        ),
      ),
    );
}
