// A small graph drawn as SVG: nodes with pictures, edges by kind, walked by arrow keys.

import { s } from "./dom.js";
import { laid, nearestIn } from "./layout.js";
import { of } from "./routes.js";
import { clock } from "./times.js";

/** Kinds whose label says what they are; that of others, a name or a fact, is their own words. */
const KINDS = {
  entity: "entity",
  observation: "observation",
  clip: "clip",
  episode: "episode",
  window: "stretch",
};

/** The kind of a node in words; kinds that are new here go by their own name. */
export const kindOf = ({ kind }) => KINDS[kind] ?? kind.replaceAll("_", " ");

/** Whether a node is a thing that has a kind's word, and not words itself. */
export const isThing = ({ kind }) => Object.hasOwn(KINDS, kind);

const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The drawing; `pick` is called with the node that is pointed at or walked to. */
export function draw(graph, stream, asOf, pick) {
  const placed = laid(graph);
  const at = new Map(placed.map((one) => [one.node, one]));
  const reach = (one) => Math.max(Math.abs(one.x) + (worded(one) ? half(short(one)) : 0), Math.abs(one.y));
  const extent = Math.max(...placed.map(reach)) + 60;
  const svg = s("svg", {
    viewBox: `${-extent} ${-extent} ${2 * extent} ${2 * extent}`,
    role: "group",
    "aria-label": `Graph of ${graph.nodes.length} nodes`,
  });
  svg.append(
    ...graph.edges
      .filter((edge) => at.has(edge.left) && at.has(edge.right))
      .map((edge) => {
        const [a, b] = [at.get(edge.left), at.get(edge.right)];
        return s(
          "line",
          { x1: a.x, y1: a.y, x2: b.x, y2: b.y, class: `edge ${edge.kind}` },
          s("title", {}, `${edge.left} – ${edge.right}: ${edge.kind}`),
        );
      }),
  );
  const drawn = placed.map((one) => {
    const element = s(
      "a",
      {
        href: of(stream, `graph/${one.node}`, { as_of: asOf }),
        class: `node ${one.kind}`,
        tabindex: one.hops ? -1 : 0,
        transform: `translate(${one.x} ${one.y})`,
        "aria-label": `${named(one)}, ${kindOf(one)}, ${one.hops} steps away`,
        data: { node: one.node },
      },
      ...shape(one),
      s("title", {}, named(one)),
    );
    element.addEventListener("focus", () => pick(one));
    element.addEventListener("pointerenter", () => pick(one));
    return { ...one, element };
  });
  svg.append(...drawn.map(({ element }) => element));
  svg.addEventListener("keydown", (event) => {
    const current = drawn.find(({ element }) => element === document.activeElement);
    if (!KEYS[event.key] || !current) return;
    event.preventDefault();
    const to = nearestIn(drawn, current, KEYS[event.key]);
    if (!to) return;
    current.element.setAttribute("tabindex", -1);
    to.element.setAttribute("tabindex", 0);
    to.element.focus();
  });
  return svg;
}

function shape(one) {
  const radius = one.hops === 0 ? 38 : one.kind === "entity" ? 28 : one.kind === "observation" ? 20 : 11;
  const word = (text) => s("text", { y: radius + 14, "text-anchor": "middle" }, text);
  if (one.crop) {
    return [
      s("circle", { r: radius + 2, class: "ring" }),
      s("image", {
        href: one.crop,
        x: -radius,
        y: -radius,
        width: 2 * radius,
        height: 2 * radius,
        preserveAspectRatio: "xMidYMid slice",
        class: "round",
      }),
      ...(one.hops === 0 || one.kind === "entity" ? [word(short(one))] : []),
    ];
  }
  if (one.kind === "clip" || one.kind === "window")
    return [
      s("rect", { x: -radius, y: -radius * 0.7, width: 2 * radius, height: 1.4 * radius, rx: 3 }),
      ...(one.hops < 3 ? [word(short(one))] : []),
    ];
  if (worded(one)) {
    const side = half(short(one));
    return [
      s("rect", { x: -side, y: -16, width: 2 * side, height: 32, rx: 16, class: "pill" }),
      s("text", { y: 5, "text-anchor": "middle" }, short(one)),
    ];
  }
  return [s("circle", { r: radius }), ...(one.hops < 2 || one.kind === "entity" ? [word(short(one))] : [])];
}

/** Whether a node is its words: a name, a fact, and whatever kind there will be that has a label and no picture. */
const worded = (one) => Boolean(one.label && !one.crop && !isThing(one));

/** Half the width of a text with some room around it. */
const half = (text) => 5 * text.length + 14;

const short = (one) => (one.label ? clipped(one.label) : one.start ? clock(one.start) : one.node);

/** A label that fits below a node. */
const clipped = (label) => (label.length > 18 ? `${label.slice(0, 17)}…` : label);

const named = (one) => `${one.label ?? kindOf(one)} ${one.node}`;
