// Times as people say them: in the stream's own zone, with the date where it is not clear, durations in words.

let zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
let made = new Map();

/** Show times in this zone from now on; without one, in the browser's. */
export function useZone(name) {
  const chosen = name ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (chosen !== zone) [zone, made] = [chosen, new Map()];
}

export const zoneName = () => zone;

function format(name, options) {
  if (!made.has(name)) made.set(name, new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...options }));
  return made.get(name);
}

/** "09:04:30" */
export const clock = (time) =>
  format("clock", { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(new Date(time));

/** "09:04" */
export const minute = (time) => format("minute", { hour: "2-digit", minute: "2-digit" }).format(new Date(time));

/** "Friday, 1 May 2026" */
export const day = (time) =>
  format("day", { weekday: "long", day: "numeric", month: "long", year: "numeric" })
    .format(new Date(time))
    .replace(/^(\w+) /, "$1, ");

/** "1 May, 09:04" */
export const moment = (time) =>
  `${format("short", { day: "numeric", month: "short" }).format(new Date(time))}, ${minute(time)}`;

/** "1 May, 09:04:30" */
export const instant = (time) =>
  `${format("short", { day: "numeric", month: "short" }).format(new Date(time))}, ${clock(time)}`;

/** "Fri, 1 May 2026, 09:04:30" */
export const full = (time) =>
  `${format("weekday", { weekday: "short", day: "numeric", month: "short", year: "numeric" }).format(new Date(time))}, ${clock(time)}`;

const UNITS = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** "14 seconds", "2 hours 5 minutes", "7 months": two units at most, the small one where it still matters. */
export function duration(seconds) {
  const left = Math.max(0, Math.round(seconds));
  const first = UNITS.findIndex(([, size]) => left >= size);
  if (first < 0) return "no time";
  const [name, size] = UNITS[first];
  const many = Math.floor(left / size);
  const [lesser, step] = UNITS[first + 1] ?? ["", 0];
  const rest = step && many < 10 ? Math.floor((left - many * size) / step) : 0;
  const whole = (name === "minute" && many >= 3) || (name === "month" && many >= 3);
  const shown = rest && !whole && name !== "year" ? ` ${worded(rest, lesser)}` : "";
  return worded(many, name) + shown;
}

/** With a space that does not break. */
const worded = (number, name) => `${number}\u00a0${name}${number === 1 ? "" : "s"}`;

/** Seconds from one time to another. */
export const between = (from, to) => (new Date(to) - new Date(from)) / 1000;

/** How far the zone is ahead of UTC at a moment, in milliseconds. */
function ahead(ms) {
  const parts = Object.fromEntries(
    format("parts", {
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
    })
      .formatToParts(new Date(ms))
      .map(({ type, value }) => [type, Number(value)]),
  );
  return (
    Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second) -
    Math.floor(ms / 1000) * 1000
  );
}

/** The moment (RFC 3339) of what a field for date and time holds, read in the zone; null where it holds none. */
export function ofField(text) {
  const wall = Date.parse(`${text}Z`);
  if (Number.isNaN(wall)) return null;
  // Twice, since the first guess may lie on the other side of a change of the clocks.
  return new Date(wall - ahead(wall - ahead(wall))).toISOString();
}

/** What a field for date and time is to hold for a moment. */
export function toField(time) {
  if (!time) return "";
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? "" : new Date(ms + ahead(ms)).toISOString().slice(0, 19);
}
