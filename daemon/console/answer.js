// An answer for reading: its words with what they cite, what is not known said plainly, and the evidence below.

import { h } from "./dom.js";
import { leading, piece, title } from "./piece.js";
import { clock, duration, full } from "./times.js";

const BRACKETS = /\s*\[([^[\]]*)\]/g;
const NAME = /(?<!\w)[olwc][0-9]{1,15}(?!\w)/g;

const VERDICTS = { unknown: "The memory does not tell.", not_recorded: "Nothing was recorded at that time." };

const UNSUPPORTED = "Nothing that was recorded is cited for this; do not rely on it.";

/** What is answered, in words; `options` are those that were to be chosen from, in order. */
export function words(result, options, asOf) {
  if (result.answer === null) return silent(result);
  return h(
    "div",
    {},
    result.status === "answered" ? null : h("p", { class: "verdict" }, VERDICTS[result.status]),
    result.choice ? chosen(result.choice, options) : null,
    h("p", { class: "words" }, ...worded(result.answer, sourcesOf(result), asOf)),
    result.status === "answered" && !result.citations.length ? h("p", { class: "verdict" }, UNSUPPORTED) : null,
  );
}

/** What it rests on: the state of the memory, the sources, and where nobody answered all that was found. */
export function shown(result, asOf) {
  const cited = [...new Set(sourcesOf(result).values())];
  const found = result.answer === null ? result.evidence.map((item) => ({ item })) : [];
  return [
    result.invented.length
      ? h("p", { class: "soft" }, `Left out, for it is not among the evidence: ${result.invented.join(", ")}.`)
      : null,
    drawn(result.snapshot),
    cited.length ? pieces("Sources", cited, asOf) : null,
    found.length ? pieces("What was found", found, asOf) : null,
  ].filter(Boolean);
}

/** What is cited, by name, numbered as the text names it; a clip and its episode are one source. */
function sourcesOf({ answer, citations }) {
  const items = new Map(citations.map(({ name, item }) => [name, item]));
  const named = [...(answer ?? "").matchAll(BRACKETS)].flatMap((found) => found[1].match(NAME) ?? []);
  const [sources, units] = [new Map(), new Map()];
  for (const name of [...named, ...items.keys()]) {
    const item = items.get(name);
    if (!item) continue;
    if (!units.has(item.unit)) units.set(item.unit, { item, mark: units.size + 1 });
    sources.set(name, units.get(item.unit));
  }
  return sources;
}

/** Why there are no words, and what there is instead. */
function silent({ reason, evidence }) {
  const why = reason ? `${reason[0].toUpperCase()}${reason.slice(1)}. ` : "";
  const found = evidence.length ? "What was found is below." : "Nothing was found either.";
  return h("div", {}, h("p", { class: "verdict" }, "There is no answer in words."), h("p", {}, `${why}${found}`));
}

function chosen(letter, options) {
  const option = options[letter.charCodeAt(0) - 65];
  return h("p", { class: "chosen" }, h("b", {}, letter), " ", option ?? "");
}

/** The text with each bracket of names as links to what they stand for; other brackets stay as they are. */
function worded(text, sources, asOf) {
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(BRACKETS)) {
    const named = new Set((found[1].match(NAME) ?? []).map((name) => sources.get(name)).filter(Boolean));
    if (!named.size) continue;
    parts.push(text.slice(from, found.index), ...[...named].map((source) => citation(source, asOf)));
    from = found.index + found[0].length;
  }
  return [...parts, text.slice(from)];
}

function citation({ item, mark }, asOf) {
  const told = `${title(item)}, ${clock(item.start)}`;
  return leading(item, asOf, { class: "cited", title: told, "aria-label": `Source ${mark}: ${told}` }, mark);
}

function pieces(name, found, asOf) {
  return h(
    "section",
    { "aria-label": name },
    h("h2", {}, name),
    h(
      "ul",
      { class: "pieces" },
      found.map(({ item, mark }) => piece(item, asOf, mark)),
    ),
  );
}

/** Which state of the memory it was drawn from. */
function drawn({ watermark, lag_s: lag, as_of: asOf }) {
  if (!watermark) return null;
  const behind = lag === null || asOf ? "" : `, ${duration(lag)} behind`;
  return h("p", { class: "soft drawn" }, `Drawn from what was remembered up to ${full(watermark)}${behind}.`);
}
