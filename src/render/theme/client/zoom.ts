import { findAll, make } from "./page.ts";
import { words } from "./words.ts";

/** Pictures smaller than they are, of the content, open in full on a click. */
export function startZoom(): void {
  for (const picture of findAll("#content img")) {
    if (picture.closest("a, button, [data-no-zoom], [data-nozoom]")) continue;
    if (!(picture instanceof HTMLImageElement)) continue;
    picture.classList.add("zoomable");
    picture.addEventListener("click", () => {
      if (picture.naturalWidth > picture.clientWidth * 1.1) openPicture(picture);
    });
  }
}

function openPicture(picture: HTMLImageElement): void {
  const copy = make("img", { src: picture.currentSrc || picture.src, alt: picture.alt });
  const label = picture.alt === "" ? words.close : picture.alt;
  const dialog = make("dialog", { class: "zoom", "aria-label": label }, copy);
  dialog.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
