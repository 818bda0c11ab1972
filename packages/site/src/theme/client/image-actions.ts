import { markCopied } from "./copy.ts";
import { findAll, make, startInComponents } from "./page.ts";
import { words } from "./words.ts";

/** The bars of buttons that this script added. */
const addedBars = new WeakSet<Element>();

/** Adds buttons to images with `data-actions`. The buttons copy the image or save it as a file. */
export function startImageActions(): void {
  startInComponents(() => {
    for (const picture of findAll("img[data-actions]")) {
      if (picture instanceof HTMLImageElement) addActions(picture);
    }
  });
}

function addActions(picture: HTMLImageElement): void {
  // A component renders the box of its own picture without buttons, and the buttons in copies of
  // its content do nothing.
  const existingBox = picture.closest<HTMLElement>(".picture-box");
  const oldBar = existingBox?.querySelector(":scope > .picture-actions");
  if (oldBar && addedBars.has(oldBar)) return;
  oldBar?.remove();
  const kinds = (picture.dataset["actions"] ?? "").split(" ");
  const placement = picture.dataset["placement"] || "bottom-center";
  const bar = make("span", { class: "picture-actions", "data-placement": placement });
  if (kinds.includes("copy") && canCopy()) bar.append(createCopyButton(picture));
  if (kinds.includes("download")) bar.append(createDownloadLink(picture));
  if (bar.childElementCount === 0) return;
  addedBars.add(bar);
  if (existingBox) return existingBox.append(bar);
  const box = make("span", { class: "picture-box" });
  picture.replaceWith(box);
  box.append(picture, bar);
}

/** Reports whether images can be copied. Browsers do not allow scripts to read an image from `file://`. */
function canCopy(): boolean {
  return location.protocol.startsWith("http") && typeof ClipboardItem === "function";
}

function createCopyButton(picture: HTMLImageElement): HTMLElement {
  const icon = make("i", { class: "i i-copy" });
  const button = make("button", { type: "button", "aria-label": words.copy }, icon);
  button.addEventListener("click", () => {
    const item = new ClipboardItem({ "image/png": toPng(picture) });
    // An image from another host cannot be read, so it is not announced as copied.
    navigator.clipboard.write([item]).then(
      () => markCopied(button),
      () => undefined,
    );
  });
  return button;
}

/** Converts an image to PNG, the only format that clipboards accept. Rejects for an image from another host. */
async function toPng(picture: HTMLImageElement): Promise<Blob> {
  const canvas = make("canvas", {});
  canvas.width = picture.naturalWidth;
  canvas.height = picture.naturalHeight;
  canvas.getContext("2d")?.drawImage(picture, 0, 0);
  return await new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture is empty."))));
  });
}

function createDownloadLink(picture: HTMLImageElement): HTMLElement {
  const href = picture.currentSrc || picture.src;
  const name = decodeURIComponent(new URL(href, location.href).pathname.split("/").at(-1) ?? "");
  const icon = make("i", { class: "i i-download" });
  return make("a", { href, download: name, "aria-label": name || words.more, title: name }, icon);
}
