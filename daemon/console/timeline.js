// The recording, newest first: clips with their lines and what was seen, gaps as gaps; it grows as clips commit.

import { get, place } from "./api.js";
import { chapter, chapters, heading } from "./chapters.js";
import { count, failure, h, loading, note, tell, whenNear } from "./dom.js";
import { entry } from "./entry.js";
import { between, day, duration } from "./times.js";

const PAGE = 30;

/** Seconds between two clips from which something is missing. */
const GAP_S = 2;

/** Entries kept on the page; what is older than they are is read again when one goes there. */
const SHOWN_MAX = 600;

export function timeline({ stream, following, signal }) {
  const list = h("ol", { class: "timeline" });
  const foot = h("div", { class: "timeline-foot" }, loading("the recording"));
  const fresh = h("button", {
    type: "button",
    class: "fresh button",
    hidden: true,
    on: { click: () => scrollTo({ top: 0, behavior: "smooth" }) },
  });
  const clips = [];
  const entries = new Map();
  const summaries = chapters(stream, signal);
  let [next, reading, unseen] = [null, false, 0];

  const add = (found, { grown = false } = {}) => {
    for (const clip of found) {
      if (clips.some((one) => one.clip === clip.clip)) continue;
      const index = clips.findIndex((one) => before(one, clip));
      const at = index < 0 ? clips.length : index;
      clips.splice(at, 0, clip);
      const { item, renew } = entry(clip, stream, signal);
      entries.set(clip.clip, renew);
      if (grown) item.classList.add("new");
      list.insertBefore(item, list.children[at] ?? null);
    }
    while (grown && clips.length > SHOWN_MAX) {
      entries.delete(clips.pop().clip);
      list.lastElementChild.remove();
      next = "again";
    }
    separate(list, clips, summaries.known);
  };
  const renew = async () => {
    for (const again of entries.values()) again();
    await summarise();
  };
  const summarise = async () => {
    if (clips.length && (await summaries.read(clips.at(-1).start, clips[0].end))) separate(list, clips, summaries.known);
  };

  const older = async () => {
    if (reading) return;
    reading = true;
    try {
      const last = clips.at(-1);
      const page = await get(
        `${place(stream)}/clips`,
        { sort: "last", limit: PAGE, ...(next === "again" ? { to: last.end } : { cursor: next }) },
        signal,
      );
      add(page.clips);
      void summarise().catch(() => {});
      next = page.next;
      foot.replaceChildren(
        ...(next ? [more()] : [clips.length ? h("p", { class: "soft" }, "Here the recording begins.") : empty(stream)]),
      );
      if (next) whenNear(foot, signal, older);
    } catch (error) {
      if (error.name !== "AbortError") foot.replaceChildren(failure(error, older));
    } finally {
      reading = false;
    }
  };
  const more = () => h("button", { type: "button", class: "button", on: { click: older } }, "Earlier");

  const waiting = [];
  const grow = () => {
    if (!waiting.length) return;
    const found = waiting.splice(0).filter((clip) => !next || !clips.length || !before(clip, clips.at(-1)));
    if (!clips.length) foot.replaceChildren();
    add(found, { grown: true });
    tell(`${count(found.length, "clip")} remembered`);
    unseen = scrollY > 400 ? unseen + found.length : 0;
    fresh.hidden = !unseen;
    fresh.textContent = `↑ ${count(unseen, "new clip")}`;
  };
  following.addEventListener(
    "change",
    (event) => {
      if (!waiting.length) requestAnimationFrame(grow);
      waiting.push(event.detail.clip);
    },
    { signal },
  );
  following.addEventListener("words", () => void renew().catch(() => {}), { signal });
  addEventListener(
    "scroll",
    () => {
      if (scrollY <= 400 && unseen) [unseen, fresh.hidden] = [0, true];
    },
    { signal, passive: true },
  );
  void older();
  return h("section", { class: "recording", "aria-label": "Recording" }, fresh, list, foot);
}

/** Whether a clip lies before another in event time. */
const before = (one, other) => one.start < other.start || (one.start === other.start && one.end < other.end);

/** Say of each entry how it joins the one above it, which is later: a new day, a gap, a summary of what begins there. */
function separate(list, clips, summaries) {
  [...list.children].forEach((item, index) => {
    const [clip, later] = [clips[index], clips[index - 1]];
    const dated = !later || day(later.start) !== day(clip.start);
    const gap = later ? between(clip.end, later.start) : 0;
    const heads = summaries.filter((one) => heading(one, clip, later));
    const key = JSON.stringify([dated, gap > GAP_S ? gap : 0, heads.map(({ start, text }) => [start, text])]);
    if (item.dataset.joined === key) return;
    item.dataset.joined = key;
    item
      .querySelector(".joint")
      .replaceChildren(
        ...(gap > GAP_S ? [h("p", { class: "gap" }, `${duration(gap)} not recorded`)] : []),
        ...(dated ? [h("h2", { class: "day" }, day(clip.start))] : []),
        ...heads.map(chapter),
      );
  });
}

function empty(stream) {
  return note(
    "Nothing has been recorded here yet",
    "The first clip appears here by itself.",
    h("pre", {}, h("code", {}, `biographer feed VIDEO --stream ${stream} --start 2026-05-01T09:30:00+02:00`)),
  );
}
