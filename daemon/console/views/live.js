// The live view: how far the memory is, and the recording as it comes in.

import { count, h } from "../dom.js";
import { of } from "../routes.js";
import { statusLine, told, lagOf } from "../status.js";
import { clock, day, moment, zoneName } from "../times.js";
import { timeline } from "../timeline.js";

export function show(place) {
  const { stream, record, streams, following, signal } = place;
  const head = h("div", { class: "live-head" });
  const numbers = h("dl", { class: "numbers" });
  const status = statusLine(record, following, signal, (newer) => fill(newer));
  const upTo = h("p", { class: "soft up-to" });
  const overTime = h("a", { class: "soft", href: of(stream, "chains") }, "Topics and events");
  head.append(h("h1", {}, stream), h("p", { class: "lag" }, status), upTo, numbers, h("p", { class: "up-to" }, overTime));
  const fill = (current) => {
    const { watermark } = current.snapshot;
    upTo.replaceChildren(
      ...(watermark
        ? [
            "Remembered up to ",
            h("time", { datetime: watermark }, `${clock(watermark)}, ${day(watermark)}`),
            ` · times in ${zoneName()}`,
          ]
        : ["Nothing has come in yet."]),
    );
    numbers.replaceChildren(
      ...figures(current).map(([value, name, to]) =>
        h(
          "div",
          {},
          h("dd", {}, to ? h("a", { href: to }, value.toLocaleString("en")) : value.toLocaleString("en")),
          h("dt", {}, name),
        ),
      ),
    );
  };
  fill(record);
  return h("div", { class: "live" }, head, others(streams, stream), timeline(place));
}

/** What is counted of a stream: the number, its name, and where it leads. */
export function figures(record) {
  const late = record.late_clips ? [[record.late_clips, "came late"]] : [];
  const flawed = record.without_identity ? [[record.without_identity, "without identity"]] : [];
  return [
    [record.clips, record.clips === 1 ? "clip" : "clips"],
    [record.entities, record.entities === 1 ? "entity" : "entities", of(record.stream, "entities")],
    [record.observations, record.observations === 1 ? "observation" : "observations"],
    ...late,
    ...flawed,
  ];
}

/** The other streams there are, each with its lag. */
function others(streams, stream) {
  const rest = streams.filter((one) => one.stream !== stream);
  if (!rest.length) return null;
  const since = performance.now();
  const card = (one) => {
    const [state, words] = told(lagOf(one, since), null);
    return h(
      "li",
      {},
      h(
        "a",
        { href: of(one.stream, "live"), class: "other" },
        h("span", { class: "other-name" }, one.stream),
        h(
          "span",
          {
            class: "status",
            data: { state },
            title: one.snapshot.watermark ? `up to ${moment(one.snapshot.watermark)}` : "",
          },
          words,
        ),
        h("span", { class: "soft" }, `${count(one.clips, "clip")}, ${count(one.entities, "entity", "entities")}`),
      ),
    );
  };
  return h("section", { class: "others", "aria-label": "Other streams" }, h("ul", {}, rest.map(card)));
}
