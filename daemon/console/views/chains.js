// Topics and events over time, as a model wrote them while windows closed: all of a stream, or those of one name.

import { GONE, get, place } from "../api.js";
import { asOfNotice } from "../asof.js";
import { chain } from "../chain.js";
import { count, failure, h, loading, note } from "../dom.js";
import { of } from "../routes.js";

const LIMIT = 30;

export function show({ stream, params, following, signal }) {
  const { name, as_of: asOf } = params;
  const list = h("div", { class: "chains" }, loading("topics and events"));
  const foot = h("div", { class: "wall-foot" });
  let [next, turn, first] = [null, 0, null];

  const page = (cursor) =>
    get(`${place(stream)}/chains`, { name, links: params.links, limit: LIMIT, as_of: asOf, cursor }, signal);
  const older = () => read(turn, next);
  const again = () => read((turn += 1), null);
  const read = async (mine, cursor) => {
    try {
      const { chains, total, next: behind } = await page(cursor);
      if (mine !== turn) return;
      if (!cursor) {
        if (first === (first = JSON.stringify([chains, total]))) return;
        list.replaceChildren(...(chains.length ? [] : [empty(name, stream)]));
      }
      list.append(...chains.map((one) => chain(one, stream, asOf)));
      next = behind;
      foot.replaceChildren(...(next ? [more(total - list.childElementCount)] : []));
    } catch (error) {
      if (error.name === "AbortError" || mine !== turn) return;
      first = null;
      const retry = cursor && error.status !== GONE ? older : again;
      (cursor ? foot : list).replaceChildren(failure(error, retry));
    }
  };
  const more = (left) =>
    h("button", { type: "button", class: "button", on: { click: () => void older() } }, count(left, "more chain"));
  following.addEventListener("words", () => void again(), { signal });
  void again();
  return h(
    "div",
    { class: "told-over-time" },
    h(
      "div",
      { class: "page-head" },
      h("h1", {}, name ?? "Topics and events"),
      name ? h("a", { class: "soft", href: of(stream, "chains", { as_of: asOf }) }, "All topics and events") : null,
    ),
    asOfNotice(asOf),
    name
      ? h(
          "p",
          { class: "actions" },
          h("a", { class: "button", href: of(stream, "search", { q: name, as_of: asOf }) }, "Search for it"),
        )
      : null,
    list,
    foot,
  );
}

function empty(name, stream) {
  return name
    ? note(`Nothing is told of “${name}” over time`, "It may be told in single clips.")
    : note(
        "Nothing has been written over time yet",
        "Where a language model is set, it adds what is new of topics and events as each three minutes close.",
        h("a", { class: "button", href: of(stream, "live") }, "To the recording"),
      );
}
