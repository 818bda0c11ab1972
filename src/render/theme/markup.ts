/**
 * Stands in prepared markup where a page writes its way to the bundle's root (`../../`). Header,
 * sidebar and footer are built once for all depths, and one `replaceAll` fits them to a page.
 */
export const rootMark = "\0";

const special = /[&<>"\0]/;

/** `text` for element content and double-quoted attributes. Drops NUL, which would read as `rootMark`. */
export function escapeHtml(text: string): string {
  if (!special.test(text)) return text;
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\0", "");
}

/** Fits prepared markup to a page: `root` is its way to the bundle's root, e.g. `../`. */
export function fitToRoot(markup: string, root: string): string {
  return markup.replaceAll(rootMark, root);
}
