// Asking the daemon. The session's cookie goes along by itself; no token ever stands in a URL.

/** A refusal, in the daemon's own words (RFC 9457). */
export class Problem extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/** The status where a user's word has changed who is who since a list's first page. */
export const GONE = 410;

/** The path below which a stream is. */
export const place = (stream) => `/v1/streams/${encodeURIComponent(stream)}`;

export async function get(path, params = {}, signal = undefined) {
  return (await asked(withParams(path, params), { signal })).json();
}

/** `body` is sent as JSON; without one nothing is. */
export async function post(path, body, signal = undefined) {
  const headers = { "content-type": "application/json" };
  return (await asked(path, { method: "POST", headers, body: JSON.stringify(body), signal })).json();
}

/** Ask for what is no JSON, or whose status matters; 401 still leads to signing in. */
export async function asked(path, options = {}) {
  const answer = await raw(path, options);
  if (answer.ok) return answer;
  if (answer.status === 401 && path !== "/v1/session") document.dispatchEvent(new Event("signed-out"));
  throw new Problem(answer.status, await detailOf(answer));
}

/** The answer whatever its status; raises Problem where the daemon does not answer. */
export async function raw(path, options = {}) {
  try {
    return await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "the daemon does not answer");
  }
}

/** A path with the parameters that are set. */
export function withParams(path, params) {
  const set = Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== "");
  if (!set.length) return path;
  return `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams(set)}`;
}

async function detailOf(answer) {
  try {
    const problem = await answer.json();
    return problem.detail ?? problem.title ?? `status ${answer.status}`;
  } catch {
    return `status ${answer.status}`;
  }
}
