// How an answer comes about: the plan, the rounds with their searches, and the evidence as it is found.

import { count, h } from "./dom.js";
import { piece } from "./piece.js";
import { clock, duration } from "./times.js";

const TOOLS = {
  memory: "Searched the memory",
  transcript: "Searched what was said",
  visual: "Searched what was seen",
  time: "Read what was recorded",
  biography: "Read the biography",
  relations: "Searched who did what with whom",
};

const NOTHING = { no_seeds: "nothing in the memory is like it", empty: "nothing new" };

const ENDED = {
  rounds: "The last round is over.",
  nothing_new: "Two rounds brought nothing new.",
  tokens: "The tokens for a question are spent.",
  time: "The time for a question is over.",
};

/** The course of one question; `tell` takes its events, and returns a sentence on what happens now, or null. */
export class Course {
  #asOf;
  #rounds = new Map();
  #steps = h("ol", { class: "steps" });
  #list = h("ol", { class: "rounds" });
  #summary = h("summary", {}, "How it is found");

  constructor(asOf) {
    this.#asOf = asOf;
    this.element = h("details", { class: "course", open: true }, this.#summary, this.#steps, this.#list);
  }

  tell(name, told) {
    return Object.hasOwn(this.#told, name) ? this.#told[name](told) : null;
  }

  /** Fold it away under a line that says how much it was. */
  end({ rounds, tokens, took_ms: took }) {
    const searches = rounds.reduce((sum, one) => sum + one.searches.length, 0);
    const spent = tokens ? `, ${count(tokens, "token")}` : "";
    this.#summary.textContent =
      `How it was found: ${count(searches, "search", "searches")} in ${count(rounds.length, "round")}${spent}, ` +
      (took < 950 ? `${Math.max(1, Math.round(took))} ms` : duration(took / 1000));
    this.element.open = false;
  }

  #told = {
    snapshot: () => "Thinking about where to look …",
    plan: ({ steps }) => {
      this.#steps.replaceChildren(...steps.map((step) => h("li", {}, step)));
      return `${count(steps.length, "step")} planned.`;
    },
    round: ({ round, searches, missing }) => {
      this.#begin(round, missing);
      return `Round ${round}: ${searches.map(words).join("; ")} …`;
    },
    search: ({ round, search, items }) => {
      this.#round(round).append(searched(search, items, this.#asOf));
      return `Round ${round}: ${count(search.found, "piece")} of evidence found. Looking whether they bear on it …`;
    },
    judged: ({ round, kept }) => {
      const pieces = [...this.#round(round).querySelectorAll(".piece")];
      for (const one of pieces) one.classList.toggle("left", !kept.includes(one.dataset.unit));
      this.#round(round).append(h("p", { class: "soft" }, `${kept.length} of ${pieces.length} kept as relevant.`));
      return `Round ${round}: ${kept.length} of ${pieces.length} kept. Weighing whether that is enough …`;
    },
    answering: ({ reason }) => `${ENDED[reason] ?? ""} Writing the answer …`.trim(),
    repair: ({ faults }) => {
      this.#list.append(h("li", { class: "soft" }, `A draft was refused: ${faults.join("; ")}.`));
      return "The draft was refused; writing it again …";
    },
  };

  #begin(number, missing) {
    const inside = h(
      "li",
      { class: "round", "aria-label": `Round ${number}` },
      h("h3", {}, `Round ${number}`),
      missing ? h("p", { class: "soft" }, `Missing: ${missing}`) : null,
    );
    this.#rounds.set(number, inside);
    this.#list.append(inside);
  }

  #round(number) {
    if (!this.#rounds.has(number)) this.#begin(number, "");
    return this.#rounds.get(number);
  }
}

function searched({ call, found, further, reason }, items, asOf) {
  const many = found
    ? `${count(found, "piece")}${further ? `, ${further} more in that time` : ""}`
    : (NOTHING[reason] ?? reason ?? "nothing");
  return h(
    "div",
    { class: "searched" },
    h("p", { class: "searched-head" }, words(call), " ", h("span", { class: "tag" }, many)),
    items.length
      ? h(
          "ul",
          { class: "pieces" },
          items.map((item) => piece(item, asOf)),
        )
      : null,
  );
}

/** A search in words: the tool, what it was asked for, and within which bounds. */
function words({ tool, arguments: given }) {
  const { text, begin, until, ...rest } = given;
  const parts = [TOOLS[tool] ?? `Used ${tool}`];
  if (text) parts.push(`for “${text}”`);
  parts.push(...Object.entries(rest).map(([name, value]) => `${name.replaceAll("_", " ")} ${value}`));
  if (begin || until) parts.push([begin && `from ${when(begin)}`, until && `to ${when(until)}`].filter(Boolean).join(" "));
  return parts.join(", ").replace(", for", " for").replace("biography, entity", "biography of");
}

/** A time as the model wrote it: a moment, or words such as DAY1 09:00. */
const when = (text) => (Number.isNaN(Date.parse(text)) || !/^\d{4}-/.test(text) ? text : clock(text));
