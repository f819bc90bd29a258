// Views that were left a moment ago, kept as they were, so that going back is going back: same place, nothing read anew.

const KEPT_MAX = 5;

const views = new Map();

/** Keep a view: `element`, `ending` (what it began lives on), `scroll` and `title`. The oldest go. */
export function keep(key, view) {
  views.set(key, view);
  for (const [old, { ending }] of views) {
    if (views.size <= KEPT_MAX) break;
    ending.abort();
    views.delete(old);
  }
}

/** Take a view out again; undefined where it is gone. */
export function recall(key) {
  const view = views.get(key);
  views.delete(key);
  return view;
}

/** Let all of them go. */
export function forget() {
  for (const { ending } of views.values()) ending.abort();
  views.clear();
}
