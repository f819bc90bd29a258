// Where one is, kept in the hash, so that it can be linked to and the browser's back leads back.

import { withParams } from "./api.js";

/** Parameters of the dialog over a view: they come and go without the view being made anew. */
const OVERLAY = ["clip", "at", "of"];

/** The place that the address names: `parts` of its path, decoded, and `params`. */
export function here() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  const parts = path.split("/").filter(Boolean).map(decoded);
  return { parts, params: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of a place. */
export function href(parts, params = {}) {
  return withParams(`#/${parts.map(encodeURIComponent).join("/")}`, params);
}

/** The address of a view of a stream. */
export const of = (stream, view, params = {}) => href(["s", stream, ...view.split("/")], params);

/** What identifies the view below the dialog. */
export function viewKey({ parts, params }) {
  return JSON.stringify([parts, Object.entries(params).filter(([name]) => !OVERLAY.includes(name))]);
}

/** The present place with other parameters, without a new entry in the history and without a new view. */
export function amend(changes) {
  const { parts, params } = here();
  history.replaceState(null, "", href(parts, { ...params, ...changes }));
  document.dispatchEvent(new Event("amended"));
}

/** The address of the dialog over the present view: a clip, at a time, with what is to be looked at. */
export function overlay(clip, at = null, subject = null) {
  const { parts, params } = here();
  return href(parts, { ...params, clip, at, of: subject });
}

/** The present place without the dialog. */
export const underneath = () => overlay(null);

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
