// Your word on who is who, on an entity's page: its name, who it is too or is not, and what is somebody else's.
//
// Offered only to those who may write, and of now alone: what was known earlier cannot be ruled on.

import { place, post } from "./api.js";
import { h } from "./dom.js";
import { forget } from "./kept.js";
import { another } from "./another.js";
import { rulings } from "./rulings.js";
import { of as addressOf } from "./routes.js";
import { mayWrite } from "./who.js";

const LONGEST = 200;

/** The part of the page for an entity; `list` holds its occasions, `done` is called once a word holds. */
export function ruling(one, { list, asOf, signal, done }) {
  const part = h("section", { class: "ruling", "aria-label": "Your word on who is who", hidden: true });
  const path = `${place(one.stream)}/entities/${one.entity}`;
  const said = h("div", { class: "said-so", role: "status" });
  const refused = h("p", { class: "refused", role: "alert" });
  const form = h("div", { class: "ruling-form" });
  const parted = h("div", { class: "parted" });
  const undo = (name) => void say(`${place(one.stream)}/rulings/${name}/undo`);
  const log = rulings(one, { undo, signal });

  /** Say a word; what comes of it is told with the way to take it back. */
  const say = async (where, body = undefined) => {
    refused.textContent = "";
    try {
      const made = await post(where, body);
      open(null);
      // Views that were left know nothing of it.
      forget();
      said.replaceChildren(h("span", {}, told(made, one)), ...takeBack(made.ruling));
      done();
    } catch (error) {
      refused.textContent = error.status === 403 ? "Your token may only read." : `Not so: ${error.message}.`;
    }
  };
  const takeBack = ({ ruling: name, act }) => {
    const words = act === "undo" ? "Say it again" : "Undo";
    return [h("button", { type: "button", class: "quiet", on: { click: () => undo(name) } }, words)];
  };

  const forms = {
    Name: () => naming(one, (name) => say(`${path}/name`, { name })),
    "Same as …": () => another(one, "They are one", (other) => say(`${path}/merge`, { other }), signal),
    "Not the same as …": () => another(one, "They are two", (other) => say(`${path}/apart`, { other }), signal),
    "Split off …": () => splitting(list, (observations) => say(`${path}/split`, { observations }), () => open(null)),
  };
  /** Those that a model takes for parts of it can be told apart from it in one step. */
  const of = ({ joined = [] }) =>
    parted.replaceChildren(
      ...joined.map((other) =>
        h(
          "button",
          { type: "button", class: "quiet", on: { click: () => void say(`${path}/apart`, { other }) } },
          `${other} is another`,
        ),
      ),
    );
  const buttons = Object.keys(forms).map((name) =>
    h(
      "button",
      { type: "button", class: "button", "aria-expanded": "false", on: { click: () => open(name) } },
      name,
    ),
  );
  const open = (name) => {
    const button = buttons.find((each) => each.textContent === name);
    const closing = !button || button.getAttribute("aria-expanded") === "true";
    for (const each of buttons) each.setAttribute("aria-expanded", String(each === button && !closing));
    list.classList.remove("choosing");
    refused.textContent = "";
    form.replaceChildren(...(closing ? [] : [forms[name]()]));
    if (closing) return;
    said.replaceChildren();
    form.querySelector("input, button")?.focus({ preventScroll: true });
  };

  if (!asOf)
    void mayWrite().then((may) => {
      part.hidden = !may;
      if (may) part.append(h("div", { class: "actions" }, buttons), parted, form, refused, said, log.part);
    });
  return { part, renew: log.renew, of };
}

/** What a word has brought about, as a sentence. */
function told({ ruling: made, moved }, one) {
  const shifted = moved ? ` ${moved} ${moved === 1 ? "sighting" : "sightings"} moved.` : "";
  switch (made.act) {
    case "name":
      return `It goes by “${made.name}” now.`;
    case "merge":
      return `${made.other} is one with ${made.entity} now.${shifted}`;
    case "apart":
      return `${made.entity} and ${made.other} are two, whatever they look like.`;
    case "split":
      return [`Split off as `, h("a", { href: addressOf(one.stream, `entity/${made.other}`) }, made.other), `.${shifted}`];
    default:
      return `Taken back.${shifted}`;
  }
}

function naming(one, done) {
  const field = h("input", { id: "its-name", name: "its-name", required: true, maxlength: LONGEST, autocomplete: "off" });
  field.value = one.name ?? "";
  const submit = (event) => {
    event.preventDefault();
    if (field.value.trim()) void done(field.value.trim());
  };
  return h(
    "form",
    { on: { submit } },
    h("label", { for: "its-name" }, "What it is called"),
    field,
    h("button", { class: "button primary" }, "Save"),
  );
}

/** Occasions get a box each; what is chosen is of somebody or something else. */
function splitting(list, done, cancel) {
  list.classList.add("choosing");
  list.scrollIntoView({ block: "start" });
  const chosen = () => [...list.querySelectorAll("[name=occasion]:checked")];
  for (const box of chosen()) box.checked = false;
  const why = h("span", { class: "soft" }, "Choose the occasions on which it is somebody or something else.");
  const go = () => {
    const observations = chosen().flatMap((box) => box.value.split(" "));
    if (observations.length) void done(observations);
    else why.textContent = "None is chosen yet: check the boxes of the occasions.";
  };
  return h(
    "div",
    { class: "splitting" },
    why,
    h("button", { type: "button", class: "button primary", on: { click: go } }, "Split them off"),
    h("button", { type: "button", class: "button", on: { click: cancel } }, "Cancel"),
  );
}
