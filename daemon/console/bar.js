// The bar: whose memory this is, how far behind it is, and the tabs.

import { count, h } from "./dom.js";
import { href, of } from "./routes.js";
import { statusLine } from "./status.js";
import { OF_DAEMON, OF_STREAM } from "./views.js";

let ending = new AbortController();

/** Show it for a view: `record` is its stream's, null for views of the daemon; `stream` is where the tabs lead. */
export function showBar({ record, name, streams, following, stream }) {
  ending.abort();
  ending = new AbortController();
  document.body.dataset.view = name;
  const whose = record ? [picker(record, streams), statusLine(record, following, ending.signal)] : [];
  document.getElementById("whose").replaceChildren(...whose);
  const current = OF_STREAM[name]?.within ?? name;
  const links = name === null ? [] : tabs(stream);
  document
    .getElementById("tabs")
    .replaceChildren(
      ...links.map(([key, label, to]) => h("a", { href: to, "aria-current": key === current ? "page" : null }, label)),
    );
}

function tabs(stream) {
  const ofStream = stream ? Object.entries(OF_STREAM).filter(([, one]) => one.tab) : [];
  return [
    ...ofStream.map(([key, one]) => [key, one.tab, of(stream, key)]),
    ...Object.entries(OF_DAEMON).map(([key, one]) => [key, one.tab, href([key])]),
  ];
}

function picker(record, streams) {
  if (streams.length < 2) return h("span", { class: "stream-name" }, record.stream);
  const options = streams.map((one) =>
    h("option", { value: one.stream, selected: one.stream === record.stream }, one.stream),
  );
  const choose = (event) => {
    location.hash = of(event.target.value, "live");
  };
  return h(
    "select",
    { class: "stream-name", "aria-label": `Stream, one of ${count(streams.length, "stream")}`, on: { change: choose } },
    options,
  );
}
