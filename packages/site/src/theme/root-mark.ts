import { html } from "../markup/index.ts";

/**
 * Stands in prepared markup where a page writes its way to the bundle's root (`../../`). Header,
 * sidebar and footer are built once for all depths, and one `replaceAll` fits them to a page. A NUL in
 * an author's words would become such a way too, which is as harmless as the NUL itself.
 */
export const rootMark = html`\0`;

/** Fits prepared markup to a page: `root` is its way to the bundle's root, e.g. `../`. */
export function fitToRoot(markup: string, root: string): string {
  return markup.replaceAll(rootMark, () => root);
}
