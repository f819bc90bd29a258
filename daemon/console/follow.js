// A stream's changes as they are committed: server-sent events, taken up again where they broke off.

import { place, raw, withParams } from "./api.js";

const AGAIN_MS = 3_000;

/** After how long out of sight a page lets its connection go: a browser has only six for all pages of an address. */
const HIDDEN_MS = 20_000;

/** While a recording is described, words come all the time; whoever shows them reads anew at most this often. */
const WORDS_MS = 3_000;

/** Dispatches `change` (detail: the change), `words` (something was written or ruled: ask anew) and `state` (detail:
 * opening, live, lost). */
export class Following extends EventTarget {
  constructor(stream, version) {
    super();
    this.stream = stream;
    this.version = version;
    this.state = "opening";
    this.#open();
    document.addEventListener("visibilitychange", this.#seen);
  }

  #source = null;
  #timer = null;
  #resting = null;
  #opened = false;
  #quiet = null;
  #untold = false;

  #seen = () => {
    clearTimeout(this.#resting);
    if (document.hidden) {
      this.#resting = setTimeout(() => this.#rest(), HIDDEN_MS);
    } else if (!this.#source) {
      this.#become("opening");
      this.#open();
    }
  };

  #open() {
    const source = new EventSource(withParams(`${place(this.stream)}/events`, { after: this.version }));
    this.#source = source;
    source.addEventListener("snapshot", () => {
      this.#become("live");
      // What was written while nobody listened is told to nobody.
      if (this.#opened) this.#words();
      this.#opened = true;
    });
    source.addEventListener("words", (event) => {
      this.#become("live");
      this.version = Math.max(this.version, Number(event.lastEventId));
      this.#words();
    });
    source.addEventListener("change", (event) => {
      this.#become("live");
      const change = JSON.parse(event.data);
      if (change.version <= this.version) return;
      this.version = change.version;
      this.dispatchEvent(new CustomEvent("change", { detail: change }));
    });
    source.addEventListener("error", () => {
      this.#become("lost");
      // A closed one does not come back by itself: its answer was a refusal.
      if (source.readyState === EventSource.CLOSED) this.#timer = setTimeout(() => this.#again(), AGAIN_MS);
    });
  }

  #words() {
    if (this.#quiet) {
      this.#untold = true;
      return;
    }
    this.#untold = false;
    this.dispatchEvent(new Event("words"));
    this.#quiet = setTimeout(() => {
      this.#quiet = null;
      if (this.#untold) this.#words();
    }, WORDS_MS);
  }

  async #again() {
    const answer = await raw("/v1/session").catch(() => null);
    if (answer?.status === 401) document.dispatchEvent(new Event("signed-out"));
    else if (this.#source) this.#open();
  }

  #become(state) {
    if (state === this.state) return;
    this.state = state;
    this.dispatchEvent(new CustomEvent("state", { detail: state }));
  }

  #rest() {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
  }

  close() {
    document.removeEventListener("visibilitychange", this.#seen);
    clearTimeout(this.#resting);
    clearTimeout(this.#quiet);
    this.#rest();
  }
}
