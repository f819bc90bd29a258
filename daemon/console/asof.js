// What says that one looks at the memory as it was at an earlier time.

import { h } from "./dom.js";
import { here, href } from "./routes.js";
import { full } from "./times.js";

/** A notice with the way back to now; nothing where no time is chosen. */
export function asOfNotice(time) {
  if (!time) return null;
  const { parts, params } = here();
  return h(
    "p",
    { class: "as-of" },
    "As it was known at ",
    h("time", { datetime: time }, full(time)),
    ". ",
    h("a", { href: href(parts, { ...params, as_of: null }) }, "Show what is known now"),
  );
}
