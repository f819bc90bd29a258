// How far behind a stream is, in words that stay true while one looks.

import { get, place } from "./api.js";
import { every, h } from "./dom.js";
import { duration, full, zoneName } from "./times.js";

/** Seconds behind now up to which a stream counts as live, and from which it counts as at rest. */
const LIVE_S = 180;
const REST_S = 3600;

/** How far behind a record of a stream is, in seconds as of now; it was read `since` (ms of performance.now). */
export const lagOf = (record, since) =>
  record.snapshot.lag_s === null ? null : record.snapshot.lag_s + (performance.now() - since) / 1000;

/** A state and words for a lag; `following` says whether changes still come in. */
export function told(lag, following) {
  if (following && following.state === "lost") return ["lost", "Reconnecting …"];
  if (lag === null) return ["rest", "Nothing recorded yet"];
  if (lag < LIVE_S) return ["live", `${duration(lag)} behind`];
  if (lag < REST_S) return ["slow", `${duration(lag)} behind`];
  return ["rest", `At rest for ${duration(lag)}`];
}

/** A line with the state, kept current until `signal`; it calls `changed(record)` with each newer record. */
export function statusLine(record, following, signal, changed = () => {}) {
  let [since, current] = [performance.now(), record];
  const line = h("span", { class: "status", data: { state: "rest" } });
  const write = () => {
    const [state, words] = told(lagOf(current, since), following);
    if (line.textContent !== words) line.textContent = words;
    line.dataset.state = state;
    line.title = current.snapshot.watermark ? `Complete up to ${full(current.snapshot.watermark)} (${zoneName()})` : "";
  };
  const again = later(async () => {
    [current, since] = [await get(place(record.stream), {}, signal), performance.now()];
    changed(current);
    write();
  });
  every(1000, signal, write);
  following.addEventListener("change", again, { signal });
  following.addEventListener("state", write, { signal });
  write();
  return line;
}

/** Call soon, and once for what comes together. */
function later(call, pause = 250) {
  let timer = null;
  return () => {
    timer ??= setTimeout(async () => {
      timer = null;
      await call().catch(() => {});
    }, pause);
  };
}
