// One clip in the recording: when, a frame, what was said and told, and what was seen.

import { get, place } from "./api.js";
import { h, whenNear } from "./dom.js";
import { crop, frame } from "./pictures.js";
import { of, overlay } from "./routes.js";
import { between, clock, duration } from "./times.js";

const SEEN_MAX = 14;
const LINES_MAX = 10;

/** The entry, and `renew`, which reads again what is told of it: at once where it is looked at, else once it is. */
export function entry(clip, stream, signal) {
  let [waiting, shown] = [false, null];
  const told = h("div", { class: "told" });
  const seen = h("ul", { class: "seen", "aria-label": "Seen" });
  const item = h(
    "li",
    { class: "entry", data: { clip: clip.clip } },
    h("div", { class: "joint" }),
    h(
      "div",
      { class: "entry-row" },
      h(
        "div",
        { class: "when" },
        h("time", { datetime: clip.start }, clock(clip.start)),
        h("span", { class: "soft" }, duration(between(clip.start, clip.end)).replace(/\sseconds?$/, " s")),
        clip.late ? h("span", { class: "tag" }, "late") : null,
      ),
      shot(clip),
      h("div", { class: "what" }, told, seen),
    ),
  );
  const read = async () => {
    waiting = false;
    try {
      const { snapshot, ...detail } = await get(`${place(stream)}/clips/${clip.clip}`, {}, signal);
      if (shown === (shown = JSON.stringify(detail))) return;
      fill(detail, told, seen);
    } catch (error) {
      if (error.name !== "AbortError") told.replaceChildren(h("p", { class: "soft" }, `Not read: ${error.message}.`));
    }
  };
  const renew = () => {
    if (waiting) return;
    waiting = true;
    whenNear(item, signal, read);
  };
  renew();
  return { item, renew };
}

/** A clip's picture, which opens the clip. */
function shot(clip) {
  const inside = clip.frame ? frame(clip.frame, null, 320) : h("span", { class: "frame blank" }, "no video");
  return link(clip.clip, null, null, { class: "shot", "aria-label": `Open the clip of ${clock(clip.start)}` }, inside);
}

/** A link that opens the dialog over whatever view it is in. */
export function link(clip, at, subject, attributes, ...children) {
  const open = (event) => {
    if (event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    // From clip to clip within the dialog there is one step back.
    if (document.querySelector("dialog[open]")) location.replace(overlay(clip, at, subject));
    else location.hash = overlay(clip, at, subject);
  };
  return h("a", { href: overlay(clip, at, subject), on: { click: open }, ...attributes }, ...children);
}

function fill({ clip, lines, observations, caption, names }, told, seen) {
  told.replaceChildren(
    ...captioned(caption),
    ...named(names, clip.stream),
    ...lines.slice(0, LINES_MAX).map(spoken),
    ...(lines.length > LINES_MAX
      ? [
          h(
            "p",
            {},
            link(clip.clip, lines[LINES_MAX].start, null, { class: "soft" }, `${lines.length - LINES_MAX} more lines`),
          ),
        ]
      : []),
  );
  if (!lines.length && !observations.length && !caption)
    told.replaceChildren(h("p", { class: "soft" }, "Nothing was said, and nothing seen for long."));
  const found = distinct(observations);
  seen.replaceChildren(
    ...found.slice(0, SEEN_MAX).map((one) => appearance(one, clip.stream)),
    ...(found.length > SEEN_MAX
      ? [h("li", {}, link(clip.clip, null, null, { class: "soft more" }, `${found.length - SEEN_MAX} more`))]
      : []),
  );
}

/** A line as it is read: speech with who spoke, where that is known; narration set apart. */
export function spoken(line) {
  return h(
    "p",
    { class: `line ${line.kind}`, title: clock(line.start) },
    line.kind === "speech" && line.speaker ? [h("b", {}, line.speaker), " "] : null,
    line.text,
  );
}

/** What was written of a clip, with who wrote it. */
export function captioned(caption) {
  return caption ? [h("p", { class: "written" }, caption.text), writtenBy(caption.author)] : [];
}

/** The names that occur in a clip, each with what is told of it elsewhere. */
export function named(names, stream) {
  if (!names.length) return [];
  const one = ({ name, kind }) => h("a", { class: "name", title: kind, href: of(stream, "chains", { name }) }, name);
  return [h("p", { class: "names", role: "group", "aria-label": "Names" }, names.map(one))];
}

/** Who wrote a text: the model, and the prompt with its mark; nothing where no model did. */
export function writtenBy(author) {
  return author ? h("p", { class: "by" }, `Written by ${author.model} · `, h("code", {}, author.prompt)) : null;
}

/** The observations of a clip, one an entity, those with pictures first. */
function distinct(observations) {
  const first = new Map();
  for (const one of observations)
    if (!first.has(one.entity ?? one.observation)) first.set(one.entity ?? one.observation, one);
  return [...first.values()].toSorted((a, b) => Number(!a.crops.length) - Number(!b.crops.length) || b.score - a.score);
}

function appearance(one, stream) {
  const inside = [crop(one.crops[0]?.path, one.label, 72), h("span", {}, one.label)];
  return h(
    "li",
    {},
    one.entity
      ? h("a", { href: of(stream, `entity/${one.entity}`), title: `${one.label}, ${one.entity}` }, inside)
      : link(one.clip, one.start, one.observation, { title: one.flaw ?? one.label }, inside),
  );
}
