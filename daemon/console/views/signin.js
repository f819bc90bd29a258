// Signing in: a token is exchanged for a cookie that pages carry by themselves and no script can read.

import { post } from "../api.js";
import { h } from "../dom.js";

/** The form; `done` is called once the daemon knows who one is. */
export function signIn(done) {
  const field = h("input", {
    type: "password",
    name: "token",
    id: "token",
    required: true,
    autocomplete: "current-password",
    placeholder: "bio_…",
    spellcheck: "false",
    maxlength: "200",
  });
  const refused = h("p", { class: "refused", role: "alert" });
  const button = h("button", { class: "button primary" }, "Sign in");
  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    refused.textContent = "";
    try {
      await post("/v1/session", { token: field.value.trim() });
      done();
    } catch (error) {
      refused.textContent =
        error.status === 429
          ? "Too many tries from here. Wait a minute, then try again."
          : `Not signed in: ${error.message}`;
      field.select();
    } finally {
      button.disabled = false;
    }
  };
  setTimeout(() => field.focus());
  return h(
    "form",
    { class: "signin", on: { submit } },
    h("h1", {}, "Sign in"),
    h(
      "p",
      { class: "soft" },
      "This memory is guarded. Enter a token that may read it; the operator makes one with ",
      h("code", {}, "biographer token create"),
      ".",
    ),
    h("label", { for: "token" }, "Token"),
    field,
    refused,
    button,
  );
}
