// Who looks at the page, as far as it changes what is offered: only those who may write are shown how to.

import { get } from "./api.js";

let asked = null;

document.addEventListener("signed-out", () => {
  asked = null;
});

/** Whether whoever looks may say who is who. */
export async function mayWrite() {
  asked ??= get("/v1/session").catch(() => {
    asked = null;
    return { roles: [] };
  });
  const { roles } = await asked;
  return roles.includes("write") || roles.includes("admin");
}
