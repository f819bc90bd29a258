// The search: a question, filters, and the time as of which it is asked; answers as biographies and episodes.

import { get, place, post } from "../api.js";
import { debounced, failure, h, loading, note, tell } from "../dom.js";
import { found } from "../found.js";
import { imageDrop } from "../image_drop.js";
import { amend, of } from "../routes.js";
import { filters } from "../filters.js";
import { slider } from "../slider.js";

const LIMIT = 24;
const KEPT = ["q", "as_of", "from", "to", "label", "entity", "speaker"];

export function show({ stream, record, params, following, signal }) {
  const asked = Object.fromEntries(KEPT.map((name) => [name, params[name] ?? null]));
  const results = h("div", { class: "results", "aria-live": "off" });
  let [asking, image] = [new AbortController(), null];

  const change = (changes) => {
    Object.assign(asked, changes);
    amend(changes);
    void search();
  };

  const search = async () => {
    asking.abort();
    asking = new AbortController();
    const mine = AbortSignal.any([signal, asking.signal]);
    if (!asked.q && !image && !(asked.from && asked.to) && !asked.entity) {
      results.replaceChildren(
        hint(stream, signal, (text) => {
          field.value = text;
          change({ q: text });
        }),
      );
      return;
    }
    if (!results.querySelector(".found")) results.replaceChildren(loading("evidence"));
    results.classList.add("stale");
    try {
      const answer = await post(`${place(stream)}/search`, body(asked, image, record), mine);
      results.replaceChildren(found(answer, { stream, asOf: asked.as_of }));
      tell(`${answer.items.length} pieces of evidence`);
    } catch (error) {
      if (error.name !== "AbortError") results.replaceChildren(failure(error, search));
    } finally {
      if (!mine.aborted) results.classList.remove("stale");
    }
  };

  const field = h("input", {
    type: "search",
    name: "q",
    value: asked.q ?? "",
    placeholder: "What are you looking for?",
    "aria-label": "Search",
    autocomplete: "off",
    on: { input: debounced((event) => change({ q: event.target.value.trim() || null }), 300) },
  });
  const form = h(
    "form",
    {
      class: "ask",
      role: "search",
      on: {
        submit: (event) => {
          event.preventDefault();
          change({ q: field.value.trim() || null });
        },
      },
    },
    field,
    h("kbd", { title: "Press / to search from anywhere" }, "/"),
  );
  const drop = imageDrop(signal, (content) => {
    image = content;
    void search();
  });
  if (!asked.q)
    setTimeout(() => {
      if (!signal.aborted && !document.querySelector("dialog[open]")) field.focus({ preventScroll: true });
    });
  void search();
  return h(
    "div",
    { class: "search" },
    h("h1", { class: "visually-hidden" }, "Search"),
    form,
    slider(record, asked, following, signal, change),
    h("div", { class: "ways" }, filters(stream, asked, signal, change), drop, question(stream, asked)),
    results,
  );
}

/** The way on to an answer in words. */
function question(stream, asked) {
  const lead = ({ currentTarget }) => {
    currentTarget.href = of(stream, "ask", { q: asked.q, as_of: asked.as_of });
  };
  return h("a", { class: "soft", href: of(stream, "ask"), on: { click: lead } }, "Have it answered in words");
}

function body(asked, image, record) {
  const whole = { from: record.start, to: record.snapshot.watermark };
  const timed = asked.from || asked.to;
  return {
    text: asked.q ?? "",
    limit: LIMIT,
    ...(asked.as_of ? { as_of: asked.as_of } : {}),
    ...(timed ? { between: { from: asked.from ?? whole.from, to: asked.to ?? whole.to } } : {}),
    // An entity alone is no question: all of its life is.
    ...(!timed && !asked.q && !image && asked.entity ? { between: whole } : {}),
    ...(asked.label ? { label: asked.label } : {}),
    ...(asked.entity ? { entity: asked.entity } : {}),
    ...(asked.speaker ? { speaker: asked.speaker } : {}),
    ...(image ? { image } : {}),
  };
}

/** What stands there before anything is asked: things that one could ask for. */
function hint(stream, signal, ask) {
  const words = h("div", { class: "chips" });
  void get(`${place(stream)}/entities`, { limit: 1 }, signal)
    .then((page) => {
      words.append(
        ...page.labels
          .slice(0, 8)
          .map((one) => h("button", { type: "button", class: "chip", on: { click: () => ask(one.label) } }, one.label)),
      );
    })
    .catch(() => {});
  return note(
    "Ask the memory",
    "Words for a thing, what somebody said, or what happened. Evidence comes back with the frames that show it.",
    words,
  );
}
