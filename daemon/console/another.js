// Choosing another entity, to say that it is the same or that it is not: by its picture, its name or its number.

import { get, place } from "./api.js";
import { debounced, h } from "./dom.js";
import { crop } from "./pictures.js";
import { moment } from "./times.js";

const SHOWN = 12;

/** The form; those of the same label that are not apart already are offered first. `done` gets the one that is chosen. */
export function another(one, verdict, done, signal) {
  const offered = h("ul", { class: "offered" });
  const confirm = h("div", { class: "confirm" });

  let asked = null;

  const offer = async (text) => {
    asked = text;
    const found = await like(one, text, signal);
    // Answers may overtake each other; the last question counts.
    if (asked !== text) return;
    confirm.replaceChildren();
    offered.replaceChildren(
      ...(found.length ? found.map((other) => h("li", {}, choice(other))) : [h("li", { class: "soft" }, none(one, text))]),
    );
  };
  const choice = (other) => {
    const choose = (event) => {
      for (const each of offered.querySelectorAll("button")) each.setAttribute("aria-pressed", "false");
      event.currentTarget.setAttribute("aria-pressed", "true");
      confirm.replaceChildren(
        h("span", {}, `${called(one)} and ${called(other)}:`),
        h("button", { type: "button", class: "button primary", on: { click: () => void done(other.entity) } }, verdict),
      );
    };
    const seen = other.observations === 1 ? "seen once" : `seen ${other.observations} times`;
    return h(
      "button",
      { type: "button", class: "other-one", "aria-pressed": "false", title: `${seen}, last ${moment(other.last_seen)}`, on: { click: choose } },
      crop(other.best_crop ?? other.crop, other.label, 72),
      h("span", {}, called(other)),
    );
  };
  const field = h("input", {
    type: "search",
    id: "another",
    placeholder: "Name, label or e12",
    on: { input: debounced((event) => void offer(event.target.value.trim()).catch(() => {})) },
  });
  void offer("").catch(() => {});
  return h("div", { class: "another" }, h("label", { for: "another" }, "Which one?"), field, offered, confirm);
}

const none = (one, text) => (text ? "None is found." : `There is no other ${one.label} that it could be; look by name or number.`);

const called = (one) => `${one.name ?? one.label} ${one.entity}`;

async function like(one, text, signal) {
  const path = `${place(one.stream)}/entities`;
  if (/^e?\d+$/.test(text)) {
    const name = `e${text.replace("e", "")}`;
    const found = await get(`${path}/${name}`, { limit: 1 }, signal).catch(() => null);
    return found && found.entity.entity !== one.entity ? [found.entity] : [];
  }
  const asked = text ? { name: text } : { label: one.label };
  const { entities } = await get(path, { ...asked, limit: SHOWN + 1 + one.apart_from.length }, signal);
  const settled = text ? [one.entity] : [one.entity, ...one.apart_from];
  return entities.filter((other) => !settled.includes(other.entity)).slice(0, SHOWN);
}
