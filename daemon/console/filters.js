// The filters of a search: label, speaker, entity and a stretch of time, folded away until they are wanted.

import { get, place } from "./api.js";
import { h } from "./dom.js";
import { ofField, toField, zoneName } from "./times.js";

/** The fields; `change` gets what is set or taken away. */
export function filters(stream, asked, signal, change) {
  const known = h("datalist", { id: "labels" });
  void get(`${place(stream)}/entities`, { limit: 1 }, signal)
    .then((page) => known.append(...page.labels.map((one) => h("option", { value: one.label }))))
    .catch(() => {});
  const text = (name, label, more = {}) =>
    h(
      "label",
      {},
      h("span", {}, label),
      h("input", {
        name,
        value: asked[name] ?? "",
        ...more,
        on: { change: (event) => change({ [name]: event.target.value.trim() || null }) },
      }),
    );
  const when = (name, label) =>
    h(
      "label",
      {},
      h("span", {}, label),
      h("input", {
        type: "datetime-local",
        step: 1,
        name,
        value: toField(asked[name]),
        on: { change: (event) => change({ [name]: ofField(event.target.value) }) },
      }),
    );
  const set = ["from", "to", "label", "entity", "speaker"].filter((name) => asked[name]).length;
  return h(
    "details",
    { class: "filters", open: set > 0 },
    h("summary", {}, "Filters", set ? h("span", { class: "tag" }, set) : null),
    h(
      "div",
      { class: "fields" },
      text("label", "Label", { list: "labels" }),
      text("speaker", "Speaker"),
      text("entity", "Entity", { pattern: "e[0-9]+", placeholder: "e12" }),
      when("from", `From (${zoneName()})`),
      when("to", "To"),
      known,
    ),
  );
}
