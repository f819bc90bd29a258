// An answer that is told as it comes about: server-sent events of one request, read from its body.

import { Problem, asked } from "./api.js";

/** The events of a question, as [name, record], in order. Raises Problem; ending `signal` ends it on both sides. */
export async function* tellings(path, body, signal) {
  const headers = { "content-type": "application/json", accept: "text/event-stream" };
  const answer = await asked(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (true) {
    const { value, done } = await next(reader);
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const event = read(block);
      if (event) yield event;
    }
  }
}

async function next(reader) {
  try {
    return await reader.read();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "the connection broke off before the answer came");
  }
}

/** One event; null for a comment, which only says that the daemon is still there. */
export function read(block) {
  const fields = Object.fromEntries(
    block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
  );
  return fields.event ? [fields.event, JSON.parse(fields.data)] : null;
}
