import type { ComponentChangelog } from "../components/index.ts";
import type { ChangelogEntry } from "../page/index.ts";
import type { HtmlSize } from "./html-size.ts";

/** The entries of a page's changelog; their texts in the feed count towards the page's size. */
export class PageChangelog implements ComponentChangelog {
  readonly entries: ChangelogEntry[] = [];
  readonly #numbersByTag = new Map<string, number>();
  readonly #size: HtmlSize;

  constructor(size: HtmlSize) {
    this.#size = size;
  }

  add(entry: ChangelogEntry): readonly number[] {
    this.entries.push(entry);
    for (const { title, text } of entry.news) this.#size.add(title.length + text.length);
    return entry.tags.map((tag) => {
      const number = this.#numbersByTag.get(tag) ?? this.#numbersByTag.size + 1;
      this.#numbersByTag.set(tag, number);
      return number;
    });
  }
}
