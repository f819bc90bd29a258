// A clip's pixels: its video where the browser plays it, else its frames one by one, with a layer drawn over.

import { h } from "./dom.js";
import { withParams } from "./api.js";
import { clock } from "./times.js";

const STEP_S = 0.1;

/** The element; `shown(seconds)` is called with the place in the clip whenever another picture is on show. */
export function screen(clip, at, offset, layer, shown, signal) {
  const picture = h("div", { class: "picture" });
  const stage = h("div", { class: "stage" }, picture);
  const video = h("video", {
    src: clip.video,
    controls: true,
    playsinline: true,
    muted: true,
    preload: "metadata",
    width: 960,
    height: 720,
    poster: withParams(clip.frame, { at, side: 960 }),
    "aria-label": `Video of ${clock(clip.start)}`,
  });
  const fit = (width, height) => {
    if (width && height) stage.style.setProperty("--ratio", `${width} / ${height}`);
  };
  let seeking = null;
  video.addEventListener(
    "loadedmetadata",
    () => {
      fit(video.videoWidth, video.videoHeight);
      if (offset > 0) video.currentTime = seeking = Math.min(offset, Math.max(0, video.duration - 0.05));
    },
    { signal },
  );
  const tick = () => {
    if (signal.aborted || !video.isConnected) return;
    if (video.readyState >= 2) shown(video.currentTime);
    if (!video.paused && !video.ended) requestAnimationFrame(tick);
  };
  video.addEventListener("play", tick, { signal });
  video.addEventListener(
    "seeked",
    () => {
      seeking = null;
      shown(video.currentTime);
    },
    { signal },
  );
  video.addEventListener(
    "timeupdate",
    () => {
      if (seeking === null) shown(video.currentTime);
    },
    { signal },
  );
  video.addEventListener("error", () => picture.replaceChildren(...frames(clip, offset, layer, shown, fit)), {
    once: true,
    signal,
  });
  signal.addEventListener(
    "abort",
    () => {
      video.removeAttribute("src");
      video.load();
    },
    { once: true },
  );
  picture.append(video, layer);
  return stage;
}

/** Frames that the daemon decodes, with a slider: for videos that this browser does not play. */
function frames(clip, offset, layer, shown, fit) {
  const first = Date.parse(clip.start);
  const image = h("img", { alt: `Frame of ${clock(clip.start)}`, width: 960, height: 720 });
  const range = h("input", {
    type: "range",
    min: 0,
    max: (Date.parse(clip.end) - first) / 1000,
    step: STEP_S,
    "aria-label": "Time in the clip",
  });
  range.value = offset;
  const show = () => {
    image.src = withParams(clip.frame, { at: new Date(first + range.value * 1000).toISOString(), side: 960 });
  };
  image.addEventListener("load", () => {
    fit(image.naturalWidth, image.naturalHeight);
    shown(Number(range.value));
  });
  range.addEventListener("change", show);
  show();
  return [image, layer, range];
}
