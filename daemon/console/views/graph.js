// What lies around a node of the graph: drawn, walked by arrow keys, and told as a list.

import { get, place } from "../api.js";
import { asOfNotice } from "../asof.js";
import { draw, isThing, kindOf } from "../drawing.js";
import { failure, h, loading, note } from "../dom.js";
import { link } from "../entry.js";
import { crop } from "../pictures.js";
import { amend, of } from "../routes.js";
import { full } from "../times.js";

const LIMIT = 70;

export function show({ stream, rest, params, signal }) {
  const [centre] = rest;
  const title = h("h1", {}, "Around ", h("small", {}, centre));
  const drawing = h("div", { class: "drawing" }, loading("the graph"));
  const beside = h("aside", { class: "node-told", "aria-live": "polite" });
  let hops = Number(params.hops ?? 2);

  const read = async () => {
    try {
      const graph = await get(
        `${place(stream)}/graph/${encodeURIComponent(centre)}`,
        { hops, limit: LIMIT, as_of: params.as_of },
        signal,
      );
      const pick = (node) => beside.replaceChildren(...told(node, graph, stream, params.as_of));
      drawing.replaceChildren(
        draw(graph, stream, params.as_of, pick),
        graph.complete
          ? ""
          : h("p", { class: "soft" }, `The nearest ${graph.nodes.length} nodes are shown; there are more.`),
      );
      const [middle] = graph.nodes;
      title.replaceChildren(
        "Around ",
        isThing(middle) ? `the ${middle.label ?? kindOf(middle)} ` : `“${middle.label ?? middle.node}” `,
        h("small", {}, centre),
      );
      pick(middle);
    } catch (error) {
      if (error.name !== "AbortError")
        drawing.replaceChildren(
          error.status === 404 || error.status === 400
            ? note(
                "There is no such node",
                error.message,
                h("a", { class: "button", href: of(stream, "entities") }, "To the entities"),
              )
            : failure(error, read),
        );
    }
  };
  const reach = h(
    "fieldset",
    { class: "reach" },
    h("legend", {}, "Steps"),
    [1, 2, 3].map((number) =>
      h(
        "label",
        {},
        h("input", {
          type: "radio",
          name: "hops",
          value: number,
          checked: number === hops,
          on: {
            change: () => {
              hops = number;
              amend({ hops });
              void read();
            },
          },
        }),
        number,
      ),
    ),
  );
  void read();
  return h(
    "div",
    { class: "graph" },
    h("div", { class: "page-head" }, title, reach),
    asOfNotice(params.as_of),
    h("p", { class: "soft keys" }, "Arrow keys walk from node to node; Enter goes there."),
    h("div", { class: "graph-columns" }, drawing, beside),
  );
}

/** A node in words, with the ways that lead on from it. */
function told(node, graph, stream, asOf) {
  const joined = graph.edges.filter((edge) => edge.left === node.node || edge.right === node.node);
  const kinds = Object.entries(Object.groupBy(joined, (edge) => edge.kind))
    .map(([kind, edges]) => `${edges.length} ${kind.replaceAll("_", " ")}`)
    .join(", ");
  const clip = node.kind === "clip" ? node.node : node.kind === "episode" ? node.node.replace(/^l/, "c") : null;
  const seenIn =
    node.kind === "observation"
      ? joined.map((edge) => (edge.left === node.node ? edge.right : edge.left)).find((name) => name.startsWith("c"))
      : null;
  return [
    node.crop ? crop(node.crop, node.label, 200) : "",
    h("h2", {}, node.label ?? kindOf(node), " ", h("small", {}, node.node)),
    h(
      "p",
      { class: "soft" },
      kindOf(node),
      node.start ? `, ${node.kind === "entity" ? "first seen " : ""}${full(node.start)}` : "",
    ),
    kinds ? h("p", { class: "soft" }, `Edges: ${kinds}.`) : "",
    h(
      "p",
      { class: "actions" },
      node.kind === "entity"
        ? h("a", { class: "button", href: of(stream, `entity/${node.node}`, { as_of: asOf }) }, "Biography")
        : "",
      node.kind === "name" && node.label
        ? h("a", { class: "button", href: of(stream, "chains", { name: node.label, as_of: asOf }) }, "What is told of it")
        : "",
      (clip ?? seenIn)
        ? link(clip ?? seenIn, node.start, seenIn ? node.node : null, { class: "button" }, "Open the clip")
        : "",
      node.hops ? h("a", { class: "button", href: of(stream, `graph/${node.node}`, { as_of: asOf }) }, "Go there") : "",
    ),
  ];
}
