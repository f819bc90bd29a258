// The dialog over any view: a clip as video or frame, the boxes of what was seen drawn over it, and its lines.

import { get, place } from "./api.js";
import { boxes } from "./boxes.js";
import { failure, h, loading } from "./dom.js";
import { captioned, link, named, spoken } from "./entry.js";
import { relationList, relationsOf } from "./relation.js";
import { of, underneath } from "./routes.js";
import { screen } from "./screen.js";
import { between, clock, day } from "./times.js";

let ending = new AbortController();
let open = null;
let opener = null;
let pushed = false;

/** Open what the address names over the view, or close what it names no more. `fresh`: the view is new as well. */
export function showViewer(dialog, { parts, params }, fresh) {
  const key = params.clip ? JSON.stringify([parts[1], params.clip, params.at, params.of, params.as_of]) : null;
  if (key === open) return;
  open = key;
  ending.abort();
  ending = new AbortController();
  if (!key) {
    if (dialog.open) dialog.close();
    dialog.replaceChildren();
    opener?.focus?.({ preventScroll: true });
    opener = null;
    return;
  }
  if (!dialog.open) {
    opener = document.activeElement;
    pushed = !fresh;
    dialog.showModal();
    document.body.classList.add("over");
  }
  dialog.onclose = () => {
    document.body.classList.remove("over");
    if (!open) return;
    // Closing is going back, unless the address led here directly.
    if (pushed) history.back();
    else location.replace(underneath());
  };
  dialog.onclick = (event) => {
    if (event.target === dialog) dialog.close();
  };
  void fill(
    dialog,
    { stream: parts[1], clip: params.clip, at: params.at, subject: params.of, asOf: params.as_of },
    ending.signal,
  );
}

async function fill(dialog, asked, signal) {
  const body = h("div", { class: "viewer-body" }, loading("the clip"));
  const title = h("h2", {}, "Clip");
  const around = h("span", { class: "around-clip" });
  dialog.replaceChildren(
    h(
      "header",
      {},
      title,
      around,
      h(
        "button",
        {
          type: "button",
          class: "quiet close",
          "aria-label": "Close",
          autofocus: true,
          on: { click: () => dialog.close() },
        },
        "✕",
      ),
    ),
    body,
  );
  try {
    const found = await get(
      `${place(asked.stream)}/clips/${encodeURIComponent(asked.clip)}`,
      { as_of: asked.asOf },
      signal,
    );
    title.replaceChildren(
      h("time", { datetime: found.clip.start }, clock(found.clip.start)),
      " ",
      h("small", {}, day(found.clip.start)),
    );
    body.replaceChildren(...content(found, asked, signal));
    await neighbours(around, found.clip, asked, signal);
  } catch (error) {
    if (error.name !== "AbortError") body.replaceChildren(failure(error, () => fill(dialog, asked, signal)));
  }
}

function content({ clip, lines, observations, caption, names }, asked, signal) {
  const offset = Math.max(0, between(clip.start, asked.at ?? clip.start));
  const layer = h("div", { class: "boxes" });
  const spokenLines = lines.map((line) => [line, spoken(line)]);
  const draw = boxes(layer, observations, asked, signal);
  const shown = (seconds) => {
    const now = Date.parse(clip.start) + seconds * 1000;
    draw(now);
    for (const [line, element] of spokenLines)
      element.classList.toggle("now", Date.parse(line.start) <= now && now < Date.parse(line.end));
  };
  const stage = clip.video ? screen(clip, asked.at, offset, layer, shown, signal) : kept(observations);
  shown(offset);
  return [
    stage,
    h(
      "div",
      { class: "beside" },
      h(
        "div",
        { class: "viewer-lines" },
        captioned(caption),
        named(names, asked.stream),
        dealings(clip, asked, signal),
        spokenLines.length
          ? spokenLines.map(([, element]) => element)
          : h("p", { class: "soft" }, "Nothing was said in this clip."),
      ),
      h(
        "ul",
        { class: "viewer-seen", "aria-label": "Seen in this clip" },
        observations.map((one) => seen(one, asked, layer)),
      ),
    ),
    h("p", { class: "soft provenance" }, clip.clip, " · ", clip.name, clip.late ? " · came late" : ""),
  ];
}

/** Who did what with whom in this clip, filled as it is read. */
function dealings(clip, asked, signal) {
  const part = h("div", { class: "dealings" });
  void relationsOf(asked.stream, { from: clip.start, to: clip.end, as_of: asked.asOf }, 50, signal)
    .then(({ found }) => {
      const own = found.filter((one) => one.clip === clip.clip);
      if (own.length) part.append(relationList(own, asked.stream, asked.asOf, false));
    })
    .catch(() => {});
  return part;
}

function seen(one, asked, layer) {
  const chosen = one.observation === asked.subject;
  const point = (event) =>
    layer
      .querySelector(`[data-observation="${one.observation}"]`)
      ?.classList.toggle("pointed", event.type === "pointerenter");
  return h(
    "li",
    { "aria-current": chosen ? "true" : null, on: { pointerenter: point, pointerleave: point } },
    link(one.clip, one.crops[0]?.at ?? one.start, one.observation, { title: one.text }, one.label),
    one.entity
      ? h(
          "a",
          {
            class: "soft",
            href: of(one.stream, `entity/${one.entity}`, { as_of: asked.asOf }),
            "aria-label": `Biography of ${one.label} ${one.entity}`,
          },
          one.entity,
        )
      : h("span", { class: "soft", title: one.flaw ?? "" }, "no identity"),
  );
}

/** What is left where no video is kept: the pictures of what was seen. */
function kept(observations) {
  const pictures = observations.flatMap((one) =>
    one.crops
      .slice(0, 1)
      .map((crop) =>
        h(
          "figure",
          {},
          h("img", { src: crop.path, alt: one.label, width: 160, height: 160, class: "crop" }),
          h("figcaption", {}, one.label),
        ),
      ),
  );
  return h(
    "div",
    { class: "stage no-video" },
    h("p", {}, "The video of this clip is not kept; `state.keep` and `state.media_limit_bytes` decide that."),
    pictures,
  );
}

async function neighbours(around, clip, asked, signal) {
  const path = `${place(asked.stream)}/clips`;
  const [earlier, later] = await Promise.all([
    get(path, { to: clip.start, sort: "last", limit: 1, as_of: asked.asOf }, signal),
    get(path, { from: clip.end, limit: 1, as_of: asked.asOf }, signal),
  ]);
  const step = (page, words, sign) =>
    page.clips
      .slice(0, 1)
      .map((one) => link(one.clip, null, null, { class: "quiet", "aria-label": words, title: words }, sign));
  around.replaceChildren(...step(earlier, "The clip before", "←"), ...step(later, "The clip after", "→"));
}
