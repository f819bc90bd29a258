// Boxes over a picture: where each entity of a clip was at the time that is on show.

import { get, place } from "./api.js";
import { h } from "./dom.js";
import { of } from "./routes.js";

/** Milliseconds by which a box may be off the picture's time and still be drawn. */
const NEAR_MS = 350;

/** Fill the layer; returns a function that draws it for a time (ms). Ways through the clip are read as they come. */
export function boxes(layer, observations, asked, signal) {
  const drawn = observations.map((one) => ({ one, trail: one.crops.map(point), element: box(one, asked) }));
  layer.replaceChildren(...drawn.map(({ element }) => element));
  let now = 0;
  const draw = (time) => {
    now = time;
    for (const { trail, element } of drawn) lay(element, where(trail, time));
  };
  const first = drawn.toSorted(
    (a, b) => Number(b.one.observation === asked.subject) - Number(a.one.observation === asked.subject),
  );
  void (async () => {
    for (const each of first) {
      const page = await get(
        `${place(asked.stream)}/observations/${each.one.observation}`,
        { as_of: asked.asOf },
        signal,
      );
      if (page.trail.length) each.trail = page.trail.map(point);
      lay(each.element, where(each.trail, now));
    }
  })().catch(() => {});
  return draw;
}

const point = ({ at, box }) => ({ ms: Date.parse(at), box });

function box(one, asked) {
  const chosen = one.observation === asked.subject;
  const name = h("span", {}, one.label);
  const attributes = { class: "box", hidden: true, data: { chosen: String(chosen), observation: one.observation } };
  if (!one.entity) return h("span", attributes, name);
  return h(
    "a",
    {
      ...attributes,
      href: of(one.stream, `entity/${one.entity}`, { as_of: asked.asOf }),
      "aria-label": `${one.label}, ${one.entity}: open its biography`,
    },
    name,
  );
}

/** The box of a time, between the two that were measured around it; null where it was not seen then. */
export function where(trail, time) {
  if (!trail.length) return null;
  let [low, high] = [0, trail.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (trail[middle].ms <= time) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [trail[low - 1], trail[low]];
  if (before && after && after.ms - before.ms <= 2 * NEAR_MS) {
    const part = (time - before.ms) / (after.ms - before.ms);
    return before.box.map((value, index) => value + part * (after.box[index] - value));
  }
  const [near] = [before, after].filter(Boolean).toSorted((a, b) => Math.abs(a.ms - time) - Math.abs(b.ms - time));
  return Math.abs(near.ms - time) <= NEAR_MS ? near.box : null;
}

function lay(element, place) {
  element.hidden = !place;
  if (!place) return;
  const [x0, y0, x1, y1] = place.map((value) => Math.min(1, Math.max(0, value)));
  Object.assign(element.style, {
    left: `${100 * x0}%`,
    top: `${100 * y0}%`,
    width: `${100 * (x1 - x0)}%`,
    height: `${100 * (y1 - y0)}%`,
  });
}
