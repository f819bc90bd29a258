// A picture as the question: dropped, pasted or chosen. Offered only where the daemon takes one.

import { get } from "./api.js";
import { h } from "./dom.js";

const BYTES_MAX = 2 ** 20;
const SIDE_MAX = 512;

/** A place to drop a picture; `chosen` gets its bytes in base64, or null once it is taken away. */
export function imageDrop(signal, chosen) {
  const place = h("div", { class: "drop", hidden: true });
  void offered(signal)
    .then((takes) => {
      if (takes) fill(place, signal, chosen);
    })
    .catch(() => {});
  return place;
}

async function offered(signal) {
  const described = await get("/openapi.json", {}, signal);
  return Boolean(described.components?.schemas?.SearchQuery?.properties?.image);
}

function fill(place, signal, chosen) {
  const field = h("input", { type: "file", accept: "image/*", id: "picture", class: "visually-hidden" });
  const shown = h("span", {});
  const take = async (file) => {
    if (!file?.type.startsWith("image/")) return;
    let picture;
    try {
      picture = await small(file);
    } catch {
      shown.replaceChildren("This file is no picture that can be read.");
      return;
    }
    const { content, url } = picture;
    shown.replaceChildren(
      h("img", { src: url, alt: "The picture that is searched for", width: 56, height: 56 }),
      h("button", { type: "button", class: "quiet", on: { click: clear } }, "Without the picture"),
    );
    chosen(content);
  };
  const clear = () => {
    shown.replaceChildren();
    field.value = "";
    chosen(null);
  };
  field.addEventListener("change", () => void take(field.files[0]));
  place.append(
    h("label", { for: "picture", class: "button" }, "Search by a picture"),
    field,
    shown,
    h("span", { class: "soft drop-hint" }, "or drop or paste one"),
  );
  place.hidden = false;
  addEventListener("paste", (event) => void take([...(event.clipboardData?.files ?? [])][0]), { signal });
  addEventListener(
    "dragover",
    (event) => {
      if (event.dataTransfer.types.includes("Files")) event.preventDefault();
    },
    { signal },
  );
  addEventListener(
    "drop",
    (event) => {
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      void take(event.dataTransfer.files[0]);
    },
    { signal },
  );
}

/** The picture no larger than it needs to be, as JPEG. */
async function small(file) {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, SIDE_MAX / Math.max(bitmap.width, bitmap.height));
  const canvas = h("canvas", {
    width: Math.max(1, Math.round(bitmap.width * scale)),
    height: Math.max(1, Math.round(bitmap.height * scale)),
  });
  canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const url = canvas.toDataURL("image/jpeg", 0.9);
  const content = url.slice(url.indexOf(",") + 1);
  if (content.length > BYTES_MAX) throw new Error("the picture is too large");
  return { content, url };
}
