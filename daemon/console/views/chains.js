// Topics and events over time, as a model wrote them while windows closed: all of a stream, or those of one name.

import { get, place } from "../api.js";
import { asOfNotice } from "../asof.js";
import { chain } from "../chain.js";
import { count, failure, h, loading, note } from "../dom.js";
import { of } from "../routes.js";

const LIMIT = 30;
const MOST = 100;

export function show({ stream, params, following, signal }) {
  const { name, as_of: asOf } = params;
  const list = h("div", { class: "chains" }, loading("topics and events"));
  const foot = h("div", { class: "wall-foot" });
  let [limit, shown] = [LIMIT, null];

  const read = async () => {
    try {
      const asked = { name, links: params.links, limit, as_of: asOf };
      const { chains, total } = await get(`${place(stream)}/chains`, asked, signal);
      if (shown === (shown = JSON.stringify([chains, total]))) return;
      list.replaceChildren(...(chains.length ? chains.map((one) => chain(one, stream, asOf)) : [empty(name, stream)]));
      foot.replaceChildren(...(total > chains.length && limit < MOST ? [more(total - chains.length)] : []));
    } catch (error) {
      if (error.name !== "AbortError") list.replaceChildren(failure(error, read));
    }
  };
  const more = (left) =>
    h(
      "button",
      {
        type: "button",
        class: "button",
        on: {
          click: () => {
            limit = MOST;
            void read();
          },
        },
      },
      count(left, "more chain"),
    );
  following.addEventListener("words", () => void read(), { signal });
  void read();
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
