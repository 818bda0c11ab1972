import { findAll, make, startInComponents } from "./page.ts";
import { words } from "./words.ts";

/** Opens images that are shown below their full size with a click or a key. */
export function startZoom(): void {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) updateImage(target as HTMLImageElement);
  });
  const watchedPictures = new WeakSet<Element>();
  const watch = (picture: Element) => {
    if (picture.closest("a, button, [data-no-zoom], [data-nozoom]")) return;
    if (!(picture instanceof HTMLImageElement) || watchedPictures.has(picture)) return;
    watchedPictures.add(picture);
    observer.observe(picture);
    picture.addEventListener("load", () => updateImage(picture));
    picture.addEventListener("click", () => {
      if (isSmaller(picture)) openImage(picture);
    });
    picture.addEventListener("keydown", (event) => {
      if ((event.key !== "Enter" && event.key !== " ") || !isSmaller(picture)) return;
      event.preventDefault();
      openImage(picture);
    });
  };
  startInComponents(() => {
    for (const picture of findAll("#content img")) watch(picture);
  });
}

function isSmaller(picture: HTMLImageElement): boolean {
  return picture.naturalWidth > picture.clientWidth * 1.1;
}

/**
 * Turns an image into a button while it is shown below its full size. An image without alt text is decorative and does
 * not become a button.
 */
function updateImage(picture: HTMLImageElement): void {
  const isZoomable = isSmaller(picture);
  picture.classList.toggle("zoomable", isZoomable);
  if (picture.alt === "") return;
  const attributes = { role: "button", tabindex: "0", "aria-haspopup": "dialog" };
  const label = { "aria-label": `${words.enlarge}: ${picture.alt}` };
  for (const [name, value] of Object.entries({ ...attributes, ...label })) {
    if (isZoomable) picture.setAttribute(name, value);
    else picture.removeAttribute(name);
  }
}

/** Opens an image in a dialog, which itself restores the focus and closes on Escape. */
function openImage(picture: HTMLImageElement): void {
  const copy = make("img", { src: picture.currentSrc || picture.src, alt: picture.alt });
  const close = make("button", { type: "button", "aria-label": words.close }, copy);
  const label = picture.alt === "" ? words.enlarge : picture.alt;
  const dialog = make("dialog", { class: "zoom", "aria-label": label }, close);
  dialog.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
