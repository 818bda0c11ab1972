import { recall, remember } from "./memory.ts";
import { closest, make } from "./page.ts";

/** Frames of other hosts, which are loaded only when the reader asks for them. */
export function startFrames(): void {
  document.addEventListener("click", (event) => {
    const consent = closest(event, ".frame-consent");
    const source = consent?.dataset["src"];
    if (!consent || source === undefined || closest(event, "a")) return;
    event.preventDefault();
    const frame = make("iframe", {
      src: source,
      title: consent.dataset["title"] ?? consent.textContent?.trim(),
      allow: "fullscreen; picture-in-picture; encrypted-media",
      referrerpolicy: "strict-origin-when-cross-origin",
      class: consent.dataset["class"],
      style: consent.getAttribute("style") ?? undefined,
    });
    consent.replaceWith(frame);
    frame.focus();
  });
}

/** A banner that was closed stays closed until its text changes. */
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
