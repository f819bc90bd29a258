// The slider over a stream's span: the time as of which its memory is asked.

import { debounced, h } from "./dom.js";
import { full } from "./times.js";

/** The time as of which the memory is asked: the right end is now, and stays so as the stream grows. */
export function slider(record, asked, following, signal, change) {
  const first = Math.floor(Date.parse(record.start) / 1000);
  let last = Math.ceil(Date.parse(record.snapshot.watermark) / 1000);
  if (!(last > first)) return h("div", {});
  const shown = h("output", { for: "as-of" });
  const range = h("input", { type: "range", id: "as-of", min: first, max: last, step: 1 });
  range.value = asked.as_of ? Math.floor(Date.parse(asked.as_of) / 1000) : last;
  const time = () => (Number(range.value) >= last ? null : new Date(Number(range.value) * 1000).toISOString());
  const write = () => {
    const words = time() ? full(time()) : "now";
    shown.textContent = words;
    range.setAttribute("aria-valuetext", words);
    now.disabled = !time();
  };
  const changed = debounced(() => change({ as_of: time() }), 180);
  range.addEventListener("input", (event) => {
    write();
    changed(event);
  });
  const now = h(
    "button",
    {
      type: "button",
      class: "quiet",
      on: {
        click: () => {
          range.value = last;
          write();
          change({ as_of: null });
        },
      },
    },
    "Now",
  );
  following.addEventListener(
    "change",
    ({ detail }) => {
      const atEnd = !time();
      last = Math.max(last, Math.ceil(Date.parse(detail.watermark) / 1000));
      range.max = last;
      if (atEnd) range.value = last;
      write();
    },
    { signal },
  );
  write();
  return h("div", { class: "slider" }, h("label", { for: "as-of" }, "As known at ", shown), range, now);
}
