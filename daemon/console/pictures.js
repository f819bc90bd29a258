// Pictures with a size before they come, so that nothing jumps, and fetched only when they come near.

import { h } from "./dom.js";
import { withParams } from "./api.js";

/** A picture of an entity in a square, beside words that say what it is; without one, the first letter of its label. */
export function crop(path, label, side = 160) {
  if (!path) return h("span", { class: "crop blank", "aria-hidden": "true" }, (label ?? "?").slice(0, 1).toUpperCase());
  return picture(path, "", side, side, "crop", label);
}

/** A frame of a clip, small. */
export function frame(path, at, width = 320, alt = "") {
  return picture(withParams(path, { at, side: width }), alt, width, Math.round((width * 3) / 4), "frame");
}

function picture(path, alt, width, height, kind, label = "") {
  const image = h("img", { src: path, alt, width, height, class: kind, loading: "lazy", decoding: "async" });
  image.addEventListener(
    "error",
    () => {
      image.replaceWith(
        h(
          "span",
          { class: `${kind} blank`, title: "This picture is not kept any more" },
          label.slice(0, 1).toUpperCase(),
        ),
      );
    },
    { once: true },
  );
  return image;
}
