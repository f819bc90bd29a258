// Building the page. What comes from a recording only ever becomes text: nothing here takes HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An element; `on` are listeners, `data` the dataset, `at` the styles; null children are left out. */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An element of SVG. */
export function s(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, heard] of Object.entries(value)) element.addEventListener(event, heard);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "at") Object.assign(element.style, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return element;
}

/** A message in place of what is not there: what is the matter, and what to do. */
export function note(title, told, ...more) {
  return h("div", { class: "note" }, h("p", { class: "note-title" }, title), told ? h("p", {}, told) : null, ...more);
}

/** What stands where something is still coming. */
export function loading(what) {
  return h(
    "div",
    { class: "loading", role: "status" },
    h("span", { class: "pulse", "aria-hidden": "true" }),
    `Loading ${what} …`,
  );
}

/** What to show of an error, with a way to try again. */
export function failure(error, again) {
  const remedy =
    error.status === 404 ? "It may lie behind the chosen time, or be gone." : "The daemon may be starting or away.";
  return note(
    "This could not be read",
    `${error.message}. ${remedy}`,
    again ? h("button", { type: "button", class: "button", on: { click: again } }, "Try again") : null,
  );
}

/** Tell a screen reader. */
export function tell(text) {
  document.getElementById("told").textContent = text;
}

/** Call once the element comes near the window; until `signal` ends it. */
export function whenNear(element, signal, call, margin = "600px") {
  const watching = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      stop();
      call();
    },
    { rootMargin: margin },
  );
  const stop = () => {
    watching.disconnect();
    signal.removeEventListener("abort", stop);
  };
  watching.observe(element);
  signal.addEventListener("abort", stop, { once: true });
}

/** Give a parent these children, and leave those that stay in place untouched: focus and pictures stay too. */
export function settle(parent, children) {
  const staying = new Set(children);
  for (const one of [...parent.children]) if (!staying.has(one)) one.remove();
  children.forEach((one, at) => {
    if (parent.children[at] !== one) parent.insertBefore(one, parent.children[at] ?? null);
  });
}

/** Call again and again, until `signal` ends it. */
export function every(ms, signal, call) {
  const timer = setInterval(call, ms);
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}

/** "1 clip", "1,204 clips". */
export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** Call with the last event once no more come. */
export function debounced(call, pause = 250) {
  let timer = null;
  return (event) => {
    clearTimeout(timer);
    // Of a view that was left meanwhile nothing more is heard.
    timer = setTimeout(() => {
      if (event.target.isConnected) call(event);
    }, pause);
  };
}
