// The console's life: which stream, which view, and the dialog over it.

import { get } from "./api.js";
import { showBar } from "./bar.js";
import { every, failure, h, loading, note, tell } from "./dom.js";
import { Following } from "./follow.js";
import { forget, keep, recall } from "./kept.js";
import { here, of, viewKey } from "./routes.js";
import { offerTheme } from "./theme.js";
import { useZone } from "./times.js";
import { showViewer } from "./viewer.js";
import { OF_DAEMON, OF_STREAM } from "./views.js";
import { signIn } from "./views/signin.js";

/** How often the first page looks whether a stream has come. */
const AGAIN_MS = 2000;

const main = document.getElementById("main");
let shown = null;
let ending = new AbortController();
let complete = false;
let following = null;
let streams = [];

/** Show what the address names; a view that is there already stays. */
async function show() {
  const place = here();
  const key = viewKey(place);
  const fresh = key !== shown;
  if (fresh) {
    leave();
    shown = key;
    const kept = recall(key);
    if (kept) enterAgain(kept, place);
    else await showView(place, ending.signal);
  }
  if (shown === key) showViewer(document.getElementById("viewer"), place, fresh);
}

/** Leave the view that is shown: one that is complete is kept as it is, for the way back. */
function leave() {
  if (complete) keep(shown, { element: main.firstElementChild, ending, scroll: scrollY, title: document.title });
  else ending.abort();
  complete = false;
  ending = new AbortController();
}

function enterAgain(kept, { parts }) {
  ending = kept.ending;
  frame(
    streams.find((one) => one.stream === parts[1]),
    parts[2] ?? "live",
  );
  put(kept.element, kept.title);
  document.title = kept.title;
  scrollTo(0, kept.scroll);
  complete = true;
  void refresh(parts, ending.signal).catch(() => {});
}

/** How far behind the stream is by now; what is kept knows only how far it was. */
async function refresh(parts, signal) {
  streams = (await get("/v1/streams", {}, signal)).streams;
  const record = streams.find((one) => one.stream === parts[1]);
  if (ending.signal === signal && record) frame(record, parts[2] ?? "live");
}

async function showView({ parts, params }, signal) {
  const [first, stream, name = "live", ...rest] = parts;
  try {
    if (!main.childElementCount) put(loading("the streams"), "Biographer");
    if (Object.hasOwn(OF_DAEMON, first)) return await showDaemon(first, { params, signal });
    streams = (await get("/v1/streams", {}, signal)).streams;
    if (first !== "s") return home(signal);
    const record = streams.find((one) => one.stream === stream);
    const view = Object.hasOwn(OF_STREAM, name) ? OF_STREAM[name] : null;
    if (!record || !view) return unknown(stream, name);
    follow(record);
    useZone(record.timezone);
    frame(record, name);
    put(view.show({ stream, record, streams, rest, params, following, signal }), view.tab ?? "Biographer");
    complete = true;
  } catch (error) {
    if (error.name !== "AbortError" && error.status !== 401) put(failure(error, again), "Biographer");
  }
}

/** A view of the daemon is shown even where no stream can be read. */
async function showDaemon(name, place) {
  if (!streams.length) streams = (await get("/v1/streams", {}, place.signal).catch(() => ({ streams: [] }))).streams;
  if (place.signal.aborted || shown === "signed out") return;
  frame(null, name);
  put(OF_DAEMON[name].show(place), OF_DAEMON[name].tab);
}

const newest = () =>
  streams.toSorted((a, b) => (b.snapshot.watermark ?? "").localeCompare(a.snapshot.watermark ?? ""))[0]?.stream;

function home(signal) {
  if (streams.length) return location.replace(of(newest(), "live"));
  frame(null, "");
  put(
    note(
      "Nothing has been recorded yet",
      "A stream appears here with its first clip. Send one with:",
      h("pre", {}, h("code", {}, "biographer feed VIDEO --stream mine --start 2026-05-01T09:30:00+02:00")),
    ),
    "Biographer",
  );
  lookOut(signal);
  return undefined;
}

/** There is no stream whose events could be followed yet, and whoever starts a daemon opens this page at once. */
function lookOut(signal) {
  const look = async () => {
    if ((await get("/v1/streams", {}, signal)).streams.length) again();
  };
  every(AGAIN_MS, signal, () => void look().catch(() => {}));
}

function unknown(stream, name) {
  frame(null, "");
  const what = Object.hasOwn(OF_STREAM, name) ? `stream “${stream}”` : `view “${name}”`;
  put(
    note(
      `There is no ${what} here`,
      "It may have another name, or be another's.",
      h("a", { class: "button", href: "#/" }, "To the streams"),
    ),
    "Biographer",
  );
}

function again() {
  complete = false;
  shown = null;
  void show();
}

function follow(record) {
  if (following?.stream === record.stream) return;
  following?.close();
  forget();
  following = new Following(record.stream, record.snapshot.version);
}

function frame(record, name) {
  showBar({ record, name, streams, following, stream: record?.stream ?? following?.stream ?? newest() });
}

function put(element, title) {
  const had = main.contains(document.activeElement);
  main.replaceChildren(element);
  document.title = title === "Biographer" ? title : `${title} · Biographer`;
  if (had) main.focus({ preventScroll: true });
  if (shown) scrollTo(0, 0);
  tell(title);
}

function signedOut() {
  if (shown === "signed out") return;
  shown = "signed out";
  complete = false;
  ending.abort();
  forget();
  following?.close();
  following = null;
  streams = [];
  frame(null, null);
  put(signIn(again), "Sign in");
}

/** From anywhere a slash leads to the search and a question mark to asking; on those views, to their field. */
const KEYS = { "/": "search", "?": "ask" };

function keys(event) {
  if (!Object.hasOwn(KEYS, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input, textarea, select") || document.querySelector("dialog[open]") || !following) return;
  event.preventDefault();
  const field = here().parts[2] === KEYS[event.key] ? document.querySelector("main [name=q]") : null;
  if (field) field.focus();
  else location.hash = of(following.stream, KEYS[event.key]);
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
history.scrollRestoration = "manual";
offerTheme(document.getElementById("theme"));
addEventListener("hashchange", () => void show());
addEventListener("keydown", keys);
document.addEventListener("signed-out", signedOut);
document.addEventListener("amended", () => {
  shown = viewKey(here());
});
void show();
