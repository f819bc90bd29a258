// What lies around a node of the graph: drawn, walked by arrow keys, and told as a list.

import { get, place } from "../api.js";
import { asOfNotice } from "../asof.js";
import { failure, h, loading, note, s } from "../dom.js";
import { link } from "../entry.js";
import { laid, nearestIn } from "../layout.js";
import { crop } from "../pictures.js";
import { amend, of } from "../routes.js";
import { clock, full } from "../times.js";

const LIMIT = 70;
const KINDS = { entity: "entity", observation: "observation", clip: "clip", episode: "episode", window: "stretch" };
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function show({ stream, rest, params, signal }) {
  const [centre] = rest;
  const title = h("h1", {}, "Around ", h("small", {}, centre));
  const drawing = h("div", { class: "drawing" }, loading("the graph"));
  const beside = h("aside", { class: "node-told", "aria-live": "polite" });
  let hops = Number(params.hops ?? 2);

  const read = async () => {
    try {
      const graph = await get(`${place(stream)}/graph/${encodeURIComponent(centre)}`, { hops, limit: LIMIT, as_of: params.as_of }, signal);
      const pick = (node) => beside.replaceChildren(...told(node, graph, stream, params.as_of));
      drawing.replaceChildren(draw(graph, stream, params.as_of, pick),
        graph.complete ? "" : h("p", { class: "soft" }, `The nearest ${graph.nodes.length} nodes are shown; there are more.`));
      const [middle] = graph.nodes;
      title.replaceChildren("Around ", `the ${middle.label ?? KINDS[middle.kind] ?? middle.kind} `, h("small", {}, centre));
      pick(middle);
    } catch (error) {
      if (error.name !== "AbortError") drawing.replaceChildren(error.status === 404 || error.status === 400
        ? note("There is no such node", error.message, h("a", { class: "button", href: of(stream, "entities") }, "To the entities")) : failure(error, read));
    }
  };
  const reach = h("fieldset", { class: "reach" }, h("legend", {}, "Steps"), [1, 2, 3].map((number) => h("label", {},
    h("input", { type: "radio", name: "hops", value: number, checked: number === hops, on: { change: () => { hops = number; amend({ hops }); void read(); } } }), number)));
  void read();
  return h("div", { class: "graph" },
    h("div", { class: "page-head" }, title, reach), asOfNotice(params.as_of),
    h("p", { class: "soft keys" }, "Arrow keys walk from node to node; Enter goes there."),
    h("div", { class: "graph-columns" }, drawing, beside));
}

function draw(graph, stream, asOf, pick) {
  const placed = laid(graph);
  const at = new Map(placed.map((one) => [one.node, one]));
  const extent = Math.max(...placed.map((one) => Math.max(Math.abs(one.x), Math.abs(one.y)))) + 60;
  const svg = s("svg", { viewBox: `${-extent} ${-extent} ${2 * extent} ${2 * extent}`, role: "group", "aria-label": `Graph of ${graph.nodes.length} nodes` });
  svg.append(...graph.edges.filter((edge) => at.has(edge.left) && at.has(edge.right)).map((edge) => {
    const [a, b] = [at.get(edge.left), at.get(edge.right)];
    return s("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y, class: `edge ${edge.kind}` }, s("title", {}, `${edge.left} – ${edge.right}: ${edge.kind}`));
  }));
  const drawn = placed.map((one) => {
    const element = s("a", { href: of(stream, `graph/${one.node}`, { as_of: asOf }), class: `node ${one.kind}`, tabindex: one.hops ? -1 : 0,
      transform: `translate(${one.x} ${one.y})`, "aria-label": `${named(one)}, ${KINDS[one.kind] ?? one.kind}, ${one.hops} steps away`, data: { node: one.node } },
    ...shape(one), s("title", {}, named(one)));
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
    return [s("circle", { r: radius + 2, class: "ring" }),
      s("image", { href: one.crop, x: -radius, y: -radius, width: 2 * radius, height: 2 * radius, preserveAspectRatio: "xMidYMid slice", class: "round" }),
      ...(one.hops === 0 || one.kind === "entity" ? [word(short(one))] : [])];
  }
  if (one.kind === "clip" || one.kind === "window") return [s("rect", { x: -radius, y: -radius * 0.7, width: 2 * radius, height: 1.4 * radius, rx: 3 }), ...(one.hops < 3 ? [word(short(one))] : [])];
  return [s("circle", { r: radius }), ...(one.hops < 2 || one.kind === "entity" ? [word(short(one))] : [])];
}

const short = (one) => (one.label ? clipped(one.label) : one.start ? clock(one.start) : one.node);

/** A label that fits below a node. */
const clipped = (label) => (label.length > 18 ? `${label.slice(0, 17)}…` : label);

const named = (one) => `${one.label ?? KINDS[one.kind] ?? one.kind} ${one.node}`;

/** A node in words, with the ways that lead on from it. */
function told(node, graph, stream, asOf) {
  const joined = graph.edges.filter((edge) => edge.left === node.node || edge.right === node.node);
  const kinds = Object.entries(Object.groupBy(joined, (edge) => edge.kind)).map(([kind, edges]) => `${edges.length} ${kind}`).join(", ");
  const clip = node.kind === "clip" ? node.node : node.kind === "episode" ? node.node.replace(/^l/, "c") : null;
  const seenIn = node.kind === "observation" ? joined.map((edge) => (edge.left === node.node ? edge.right : edge.left)).find((name) => name.startsWith("c")) : null;
  return [
    node.crop ? crop(node.crop, node.label, 200) : "",
    h("h2", {}, node.label ?? KINDS[node.kind] ?? node.kind, " ", h("small", {}, node.node)),
    h("p", { class: "soft" }, KINDS[node.kind] ?? node.kind, node.start ? `, ${node.kind === "entity" ? "first seen " : ""}${full(node.start)}` : ""),
    kinds ? h("p", { class: "soft" }, `Edges: ${kinds}.`) : "",
    h("p", { class: "actions" },
      node.kind === "entity" ? h("a", { class: "button", href: of(stream, `entity/${node.node}`, { as_of: asOf }) }, "Biography") : "",
      clip ?? seenIn ? link(clip ?? seenIn, node.start, seenIn ? node.node : null, { class: "button" }, "Open the clip") : "",
      node.hops ? h("a", { class: "button", href: of(stream, `graph/${node.node}`, { as_of: asOf }) }, "Go there") : ""),
  ];
}
