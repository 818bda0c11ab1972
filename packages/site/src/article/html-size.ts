import { OctavoError, limits } from "../core/index.ts";

/**
 * Counts the HTML of a page while it is rendered: a few short lines can include each other's snippets and
 * grow to gigabytes.
 */
export class HtmlSize {
  readonly #path: string;
  #characters = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Throws `too_large` if the page exceeds its limit. */
  add(characters: number): void {
    this.#characters += characters;
    if (this.#characters <= limits.htmlBytes) return;
    const size = Math.round(limits.htmlBytes / 1024 / 1024);
    const message = `${this.#path} becomes more than ${size} MB of HTML; split the page.`;
    throw new OctavoError("too_large", message);
  }
}
