// What a search found: biographies beside episodes, each with why it is there.

import { chain } from "./chain.js";
import { count, h, note } from "./dom.js";
import { link, writtenBy } from "./entry.js";
import { crop, frame } from "./pictures.js";
import { of } from "./routes.js";
import { clock, day, duration, moment } from "./times.js";

const WHY = { text: "meaning", lexical: "words", visual: "looks", graph: "nearby", time: "time" };
const SCALES = { local: "", "3min": "3 minutes", "10min": "10 minutes", "1h": "an hour" };

export function found(answer, place) {
  const { stream, asOf } = place;
  if (!answer.items.length && !answer.chains.length) {
    return note(
      "Nothing was found",
      asOf
        ? "Nothing of it was known at that time. Move the slider on, or ask in other words."
        : "Ask in other words, or with fewer filters.",
    );
  }
  const items = new Map(answer.items.map((one) => [one.unit, one]));
  const episodes = answer.items.filter((one) => one.scale);
  // All of one day: the day is said once, and the seconds matter.
  const days = new Set(answer.items.map((one) => day(one.start)));
  const when = days.size === 1 ? clock : moment;
  const behind = answer.snapshot.lag_s === null || asOf ? "" : `, ${duration(answer.snapshot.lag_s)} behind`;
  return h(
    "div",
    { class: "found" },
    h(
      "p",
      { class: "soft took" },
      `${count(answer.items.length, "piece")} of evidence in ${Math.max(1, Math.round(answer.took_ms))} ms${behind}`,
      answer.further ? `; ${answer.further} more in that time` : "",
      days.size === 1 ? ` · all of ${[...days][0]}` : "",
    ),
    answer.notes.length ? notes(answer.notes, stream, asOf) : null,
    answer.chains.length
      ? h(
          "section",
          { class: "chains", "aria-label": "Told over time" },
          answer.chains.map((one) => chain(one, stream, asOf)),
        )
      : null,
    h(
      "div",
      { class: "columns" },
      answer.excerpts.length
        ? h(
            "section",
            { "aria-label": "Biographies" },
            h("h2", {}, "Biographies"),
            answer.excerpts.map((one) => excerpt(one, items, { stream, asOf, when })),
          )
        : null,
      episodes.length
        ? h(
            "section",
            { "aria-label": "Episodes" },
            h("h2", {}, "Episodes"),
            episodes.map((one) => episode(one, when)),
          )
        : null,
    ),
  );
}

function excerpt(one, items, { stream, asOf, when }) {
  const selected = one.selected.map((unit) => items.get(unit)).filter(Boolean);
  const best = selected.toSorted((a, b) => b.score - a.score)[0];
  const title = [one.name ?? one.label, " ", one.entity ? h("small", {}, one.entity) : null];
  return h(
    "article",
    { class: "excerpt" },
    h(
      "h3",
      {},
      one.entity ? h("a", { href: of(stream, `entity/${one.entity}`, { as_of: asOf }) }, title) : title,
      best ? why(best) : null,
    ),
    h(
      "ul",
      { class: "picks" },
      selected.map((item) =>
        h(
          "li",
          {},
          shot(
            item,
            h(
              "span",
              { class: "pick" },
              crop(item.crop, item.label, 112),
              h("time", { datetime: item.start }, when(item.start)),
            ),
            item.text,
          ),
        ),
      ),
    ),
    h("p", { class: "described" }, best?.text ?? ""),
    writtenBy(best?.author),
    one.unseen
      ? h(
          "p",
          { class: "soft" },
          `Seen ${count(one.unseen, "more time")}: `,
          one.spells
            .slice(0, 4)
            .map((spell) => spelled(spell, when))
            .join(", "),
          one.spells.length > 4 ? " …" : "",
        )
      : null,
  );
}

/** Sightings that are not shown one by one: several may lie apart, and between the first and the last others be shown. */
export function spelled({ start, end, count: sightings }, when) {
  return sightings === 1 ? when(start) : `${sightings} between ${when(start)} and ${when(end)}`;
}

function episode(one, when) {
  return h(
    "article",
    { class: "episode" },
    one.frame ? shot(one, frame(one.frame, null, 240)) : null,
    h(
      "div",
      {},
      h(
        "h3",
        {},
        h("time", { datetime: one.start }, when(one.start)),
        SCALES[one.scale] ? h("small", {}, SCALES[one.scale]) : null,
        why(one),
      ),
      h("p", { class: "episode-text" }, one.text),
      writtenBy(one.author),
      h(
        "p",
        { class: "more" },
        one.clip
          ? shot(one, "Open the clip")
          : h("a", { href: of(one.stream, "search", { from: one.start, to: one.end }) }, "Read that time"),
      ),
    ),
  );
}

const shot = (item, inside, title = null) =>
  item.clip
    ? link(
        item.clip,
        item.start,
        item.unit.startsWith("o") ? item.unit : null,
        { title, "aria-label": typeof inside === "string" ? null : `Open the frame of ${moment(item.start)}` },
        inside,
      )
    : inside;

/** Which channels brought it in, and how high it stands. */
function why(item) {
  return h(
    "span",
    { class: "why" },
    item.channels.map((name) => h("span", { class: "tag" }, WHY[name] ?? name)),
    h("span", { class: "score", title: "Score" }, item.score.toPrecision(2)),
  );
}

function notes(found, stream, asOf) {
  const named = (name) => h("a", { href: of(stream, `entity/${name}`, { as_of: asOf }) }, name);
  const list = h(
    "ul",
    {},
    found.map((one) =>
      h(
        "li",
        {},
        one.label,
        " ",
        named(one.left),
        " and ",
        named(one.right),
        one.verdict === "apart" ? " were seen apart: they are two." : ": unresolved whether they are one.",
      ),
    ),
  );
  if (found.length < 3) return h("div", { class: "notes" }, list);
  return h(
    "details",
    { class: "notes" },
    h("summary", {}, `${found.length} notes on which of them are the same`),
    list,
  );
}
