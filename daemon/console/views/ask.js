// A question in words: what is planned, searched and found as it happens, then the answer with what shows it.

import { get, place } from "../api.js";
import { shown, words } from "../answer.js";
import { Course } from "../course.js";
import { h, note } from "../dom.js";
import { amend } from "../routes.js";
import { slider } from "../slider.js";
import { tellings } from "../telling.js";

const LONGEST = 10_000;
const MOST_OPTIONS = 26;

export function show({ stream, record, params, following, signal }) {
  const asked = { as_of: params.as_of ?? null };
  const page = h("div", { class: "asked" });
  let asking = null;

  const ask = async () => {
    const text = field.value.trim();
    if (!text) return field.focus();
    asking?.abort();
    asking = new AbortController();
    const mine = asking;
    amend({ q: text });
    await follow(mine, { text, options: optionsOf(options.value), as_of: asked.as_of });
    if (mine === asking) running(false);
    return undefined;
  };

  const follow = async (mine, question) => {
    const course = new Course(question.as_of);
    const now = h("p", { class: "now", role: "status" }, "Asking …");
    const said = h("div", { class: "said", "aria-live": "polite" });
    const answer = h("section", { class: "answer", "aria-label": "Answer" }, said);
    page.replaceChildren(now, answer, course.element);
    running(true);
    let over = false;
    const ended = (words, shown = []) => {
      over = true;
      now.remove();
      said.replaceChildren(words);
      answer.append(...shown);
    };
    try {
      for await (const [name, told] of tellings(`${place(stream)}/ask`, body(question), together(signal, mine))) {
        if (name === "answer") {
          ended(words(told, question.options, question.as_of), shown(told, question.as_of));
          course.end(told);
        } else if (name === "problem") ended(unanswered(told.detail));
        else now.textContent = course.tell(name, told) ?? now.textContent;
      }
      if (!over) ended(unanswered("the daemon ended before the answer came"));
    } catch (error) {
      ended(error.name === "AbortError" ? stopped() : unanswered(error.message));
    }
  };

  const unanswered = (detail) =>
    note(
      "There is no answer",
      `${detail[0].toUpperCase()}${detail.slice(1)}.`,
      h("button", { type: "button", class: "button", on: { click: () => void ask() } }, "Ask again"),
    );

  const stop = () => asking?.abort();
  const running = (is) => {
    form.dataset.running = String(is);
    halt.hidden = !is;
    begin.hidden = is;
    if (is && document.activeElement === document.body) halt.focus();
  };

  const field = h("textarea", {
    id: "question",
    name: "q",
    rows: 1,
    maxlength: LONGEST,
    placeholder: "Ask the memory a question …",
    autocomplete: "off",
    on: {
      keydown: (event) => {
        if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
          event.preventDefault();
          void ask();
        }
      },
    },
  });
  field.value = params.q ?? "";
  const options = h("textarea", { id: "options", name: "options", rows: 3, placeholder: "One option a line" });
  const begin = h("button", { class: "button primary" }, "Ask");
  const halt = h("button", { type: "button", class: "button", hidden: true, on: { click: stop } }, "Stop");
  const form = h(
    "form",
    {
      class: "question",
      on: {
        submit: (event) => {
          event.preventDefault();
          void ask();
        },
        keydown: (event) => {
          if (event.key === "Escape") stop();
        },
      },
    },
    h("label", { for: "question", class: "visually-hidden" }, "Question"),
    field,
    begin,
    halt,
  );
  page.replaceChildren(
    hint(stream, signal, (text) => {
      field.value = text;
      field.focus();
    }),
  );
  setTimeout(() => {
    if (!signal.aborted && !document.querySelector("dialog[open]")) field.focus({ preventScroll: true });
  });
  return h(
    "div",
    { class: "asking" },
    h("h1", { class: "visually-hidden" }, "Ask"),
    form,
    slider(record, asked, following, signal, (changes) => {
      Object.assign(asked, changes);
      amend(changes);
    }),
    h(
      "details",
      { class: "options" },
      h("summary", {}, "Choose among options"),
      h("label", { for: "options", class: "soft" }, "Two to 26, one a line; the answer names one of them."),
      options,
    ),
    page,
  );
}

const together = (signal, mine) => AbortSignal.any([signal, mine.signal]);

const optionsOf = (text) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .slice(0, MOST_OPTIONS);

function body({ text, options, as_of: asOf }) {
  return { text, ...(options.length ? { options } : {}), ...(asOf ? { as_of: asOf } : {}) };
}

const stopped = () =>
  h(
    "div",
    {},
    h("p", { class: "verdict" }, "Stopped."),
    h("p", {}, "Nothing more is searched or written for it. What was found until then is below."),
  );

/** What stands there before anything is asked: questions that this memory could be asked. */
function hint(stream, signal, fill) {
  const words = h("div", { class: "chips" });
  const chip = (text) => h("button", { type: "button", class: "chip", on: { click: () => fill(text) } }, text);
  void get(`${place(stream)}/entities`, { limit: 1 }, signal)
    .then(({ labels }) => {
      words.append(...labels.slice(0, 3).map(({ label }) => chip(`When was the ${label} last seen?`)));
      words.append(chip("What happened most recently?"));
    })
    .catch(() => {});
  return note(
    "Ask in your own words",
    "The memory is searched in rounds, and the answer names the frames that show it. Where nothing shows it, it says so.",
    words,
    h("p", { class: "keys" }, h("kbd", {}, "?"), " leads here from anywhere, ", h("kbd", {}, "/"), " to the search."),
  );
}
