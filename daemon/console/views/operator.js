// How the daemon fares: whether it is ready and why not, what it counted, and what was set aside.

import { asked, get, raw } from "../api.js";
import { count, every, h, loading, note } from "../dom.js";
import { samples, sum } from "../metrics.js";
import { duration } from "../times.js";

const AGAIN_MS = 5_000;

export function show({ signal }) {
  const page = h("div", { class: "operator" }, h("h1", {}, "Daemon"), loading("how it fares"));
  const read = async () => {
    if (document.hidden) return;
    const [readiness, metrics, who] = await Promise.all([
      ready(signal),
      counted(signal),
      get("/v1/session", {}, signal).catch(() => null),
    ]);
    if (!signal.aborted) page.replaceChildren(h("h1", {}, "Daemon"), readiness, metrics, session(who));
  };
  every(AGAIN_MS, signal, () => void read().catch(() => {}));
  void read().catch(() => {});
  return page;
}

async function ready(signal) {
  try {
    const told = await (await raw("/readyz", { signal })).json();
    if (told.ready)
      return h(
        "p",
        { class: "ready", data: { state: "live" } },
        h("span", { class: "status", data: { state: "live" } }, "Ready"),
      );
    const reasons = told.reasons ?? ["why is told to admins and on its own machine"];
    return h(
      "div",
      { class: "ready", data: { state: "lost" } },
      h("span", { class: "status", data: { state: "slow" } }, "Not ready"),
      h(
        "ul",
        {},
        reasons.map((reason) => h("li", {}, reason)),
      ),
      told.last_failures?.length
        ? h(
            "details",
            {},
            h("summary", {}, "Last failures"),
            h(
              "ul",
              {},
              told.last_failures.map((one) => h("li", {}, one)),
            ),
          )
        : null,
    );
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return note(
      "The daemon does not answer",
      "Its log says why. `systemctl status biographer`, or the shell where `biographer serve` runs.",
    );
  }
}

async function counted(signal) {
  let text;
  try {
    text = await (await asked("/metrics", { signal })).text();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return note(
      "Its numbers are not shown",
      error.status === 403 ? "They are for admins: sign in with such a token." : error.message,
    );
  }
  const found = samples(text);
  const dead = sum(found, "biographer_dead_letters_total");
  return h(
    "div",
    {},
    h(
      "dl",
      { class: "numbers" },
      [
        [
          sum(found, "biographer_clips_total", { outcome: "applied" }) +
            sum(found, "biographer_clips_total", { outcome: "late" }),
          "clips since the start",
        ],
        [sum(found, "biographer_lag_records"), "not delivered"],
        [sum(found, "biographer_queued_records"), "in hand"],
        [sum(found, "biographer_held_clips"), "wait for their turn"],
        [dead, "set aside", dead > 0],
        [`${Math.round(1000 * sum(found, "biographer_loop_lag_seconds"))} ms`, "worst lateness of the loop"],
      ].map(([value, name, bad]) =>
        h(
          "div",
          { class: bad ? "bad" : null },
          h("dd", {}, typeof value === "number" ? value.toLocaleString("en") : value),
          h("dt", {}, name),
        ),
      ),
    ),
    dead
      ? h(
          "p",
          { class: "soft" },
          "What was set aside: ",
          h("code", {}, "biographer deadletter list"),
          " tells why, ",
          h("code", {}, "biographer deadletter replay"),
          " tries again.",
        )
      : null,
    written(found),
    stages(found),
  );
}

/** How the writing by language models fares, or that there are none. */
function written(found) {
  const bears = (name) => found.filter((one) => one.name === name && one.value > 0).map((one) => one.labels.role);
  const [played, broken] = [bears("biographer_language_role"), bears("biographer_language_breaker")];
  const waiting = sum(found, "biographer_writing_waiting");
  const told = sum(found, "biographer_written_total", { outcome: "written" });
  return h(
    "section",
    { class: "words-of", "aria-label": "Language models" },
    h("h2", {}, "Language models"),
    played.length
      ? h(
          "p",
          {},
          `${count(told, "piece")} written since the start, ${count(waiting, "piece")} still to write. Roles: ${played.join(", ")}.`,
        )
      : h(
          "p",
          {},
          "None is set: descriptions are plain words, and a question is answered by the evidence alone. See ",
          h("code", {}, "language.url"),
          " and ",
          h("code", {}, "language.model"),
          ".",
        ),
    broken.length
      ? h("p", { class: "refused" }, `Not answering, and tried again by itself: ${broken.join(", ")}.`)
      : null,
  );
}

/** Where a clip's time goes. */
function stages(found) {
  const spent = found
    .filter((one) => one.name === "biographer_stage_seconds_sum")
    .map((one) => {
      const many = sum(found, "biographer_stage_seconds_count", { stage: one.labels.stage });
      return { stage: one.labels.stage, mean: many ? one.value / many : 0 };
    })
    .filter((one) => one.mean > 0)
    .toSorted((a, b) => b.mean - a.mean);
  if (!spent.length) return null;
  return h(
    "section",
    { class: "stages" },
    h("h2", {}, "Where a clip’s time goes"),
    h(
      "table",
      {},
      h(
        "tbody",
        {},
        spent.map((one) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, one.stage),
            h(
              "td",
              {},
              h("meter", { min: 0, max: spent[0].mean, value: one.mean, "aria-label": `${one.stage}, on average` }),
            ),
            h("td", { class: "soft" }, one.mean < 1 ? `${Number((1000 * one.mean).toPrecision(2))} ms` : duration(one.mean)),
          ),
        ),
      ),
    ),
  );
}

function session(who) {
  if (!who) return null;
  const leave = async () => {
    await asked("/v1/session", { method: "DELETE" });
    location.reload();
  };
  const open = who.name === "this machine";
  return h(
    "p",
    { class: "soft session" },
    open
      ? "No token guards this memory: only this machine is served."
      : `Signed in as ${who.name} (${who.roles.join(", ")}). `,
    open ? null : h("button", { type: "button", class: "button", on: { click: leave } }, "Sign out"),
  );
}
