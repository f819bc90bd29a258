// Summaries of longer stretches in the recording: what a model wrote of ten minutes or an hour, above their clips.

import { get, place } from "./api.js";
import { h } from "./dom.js";
import { writtenBy } from "./entry.js";
import { minute } from "./times.js";

/** The longest first: an hour is told above the ten minutes that end it. */
const SCALES = ["1h", "10min"];
const LIMIT = 100;

/** The summaries of a stream: `known` are those that were read; `read` returns whether there is another one now. */
export function chapters(stream, signal) {
  const found = new Map();
  const read = async (from, to) => {
    const before = JSON.stringify([...found.values()]);
    const asked = { from, to, limit: LIMIT };
    const pages = await Promise.all(
      SCALES.map((scale) => get(`${place(stream)}/episodes`, { ...asked, scale }, signal)),
    );
    for (const one of pages.flatMap((page) => page.episodes))
      // Without a model the text of a stretch is an extract of the lines that stand there anyway.
      if (one.author) found.set(`${one.scale} ${one.start}`, one);
    return before !== JSON.stringify([...found.values()]);
  };
  return {
    read,
    get known() {
      return [...found.values()].toSorted((a, b) => SCALES.indexOf(a.scale) - SCALES.indexOf(b.scale));
    },
  };
}

/** Whether a summary stands above a clip: the latest of its stretch; `later` is the clip above, or undefined. */
export function heading(one, clip, later) {
  const inside = (time) => one.start <= time && time < one.end;
  return inside(clip.start) && !(later && inside(later.start));
}

export function chapter(one) {
  return h(
    "div",
    { class: "chapter", data: { scale: one.scale } },
    h("h3", {}, `${minute(one.start)} to ${minute(one.end)}`),
    h("p", {}, one.text),
    writtenBy(one.author),
  );
}
