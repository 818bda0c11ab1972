import { recall, remember } from "./memory.ts";
import { findClosest, make } from "./page.ts";

/** Loads frames from other hosts only when the reader requests it. */
export function startFrames(): void {
  document.addEventListener("click", (event) => {
    const link = findClosest(event, "a.frame-consent");
    if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const { title, allow, width, height } = link.dataset;
    const frame = make("iframe", {
      src: link.href,
      title: title || link.hostname,
      allow: `${allow || "picture-in-picture; encrypted-media"}; fullscreen`,
      width,
      height,
      class: [...link.classList].filter((name) => name !== "frame-consent").join(" "),
      style: link.getAttribute("style") ?? (height ? undefined : "aspect-ratio: 16 / 9"),
    });
    link.replaceWith(frame);
    frame.focus();
  });
}

/** Keeps a dismissed banner hidden until its text changes. */
export function startBanner(): void {
  const banner = document.getElementById("banner");
  const id = banner?.dataset["banner"];
  if (!banner || id === undefined) return;
  if (banner.querySelector(".banner-close") && recall("banner") === id) banner.hidden = true;
  banner.querySelector(".banner-close")?.addEventListener("click", () => {
    banner.hidden = true;
    remember("banner", id);
  });
}
