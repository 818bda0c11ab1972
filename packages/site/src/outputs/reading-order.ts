import { createSortedLookup } from "../core/index.ts";
import type { NavDivision, NavEntry, Site, SitePage } from "../site/index.ts";

/** The pages below one heading, in the order of the navigation. */
interface PageSection {
  readonly heading: string;
  readonly pages: readonly SitePage[];
}

export interface ReadingOrder {
  readonly sections: readonly PageSection[];
  /** The navigation's links to other sites. */
  readonly links: readonly { readonly label: string; readonly href: string }[];
}

/**
 * Lists the indexed pages of the default language and version, each once, in the order of the navigation. Pages outside
 * the navigation come last, by path. `pages` must be sorted by path, like the pages of a site.
 */
export function orderPages(site: Site, pages: readonly SitePage[]): ReadingOrder {
  const builder = new OrderBuilder(pages);
  builder.addDivision(site.navigation, []);
  builder.addUnlistedPages();
  return { sections: builder.sections, links: builder.links };
}

/**
 * The kinds of divisions that headings do not name, because the order contains only one division of each of these
 * kinds.
 */
const unnamedKinds: ReadonlySet<NavDivision["kind"]> = new Set(["root", "language", "version"]);

class OrderBuilder {
  readonly sections: { readonly heading: string; readonly pages: SitePage[] }[] = [];
  readonly links: { readonly label: string; readonly href: string }[] = [];
  readonly #pages: readonly SitePage[];
  /** Returns the number of the page with a path. */
  readonly #numberOf: (path: string) => number | undefined;
  /** For each page, by number: 1 if the page is not in a section yet, otherwise 0. */
  readonly #remainingFlags: Uint8Array;
  readonly #hrefs = new Set<string>();
  #language: string | undefined;
  #version: string | undefined;

  constructor(pages: readonly SitePage[]) {
    this.#pages = pages;
    this.#numberOf = createSortedLookup(pages.map(({ path }) => path));
    this.#remainingFlags = Uint8Array.from(pages, ({ indexed }) => Number(indexed));
  }

  /** Adds a division. `labels` are the labels of the divisions around it, outermost first. */
  addDivision(division: NavDivision, labels: readonly string[]): void {
    if (division.kind === "language") this.#language = division.label;
    if (division.kind === "version") this.#version = division.label;
    if (division.href !== undefined) this.#addLink(division.label, division.href);
    const isNamed = !unnamedKinds.has(division.kind);
    const ownLabels = isNamed ? [...labels, division.label] : labels;
    this.#addEntries(division.entries, ownLabels);
    for (const child of division.divisions) {
      const isOtherVariant =
        (child.kind === "language" || child.kind === "version") && !child.isDefault;
      if (!isOtherVariant) this.addDivision(child, ownLabels);
    }
  }

  addUnlistedPages(): void {
    const unlisted = this.#pages.filter(
      (page, number) =>
        this.#remainingFlags[number] === 1 &&
        (page.language ?? this.#language) === this.#language &&
        (page.version ?? this.#version) === this.#version,
    );
    if (unlisted.length > 0) this.sections.push({ heading: "More", pages: unlisted });
  }

  /** Adds entries. Each group gets a separate section after the section of the other entries. */
  #addEntries(entries: readonly NavEntry[], labels: readonly string[]): void {
    const ownPages: SitePage[] = [];
    const section = { heading: labels.join(": ") || "Docs", pages: ownPages };
    this.sections.push(section);
    for (const entry of entries) {
      if (entry.type !== "group") {
        this.#addEntry(entry, ownPages);
        continue;
      }
      const pages: SitePage[] = [];
      this.#addEntry(entry, pages);
      const heading = labels.at(-1) === entry.label ? labels : [...labels, entry.label];
      if (pages.length > 0) this.sections.push({ heading: heading.join(": "), pages });
    }
    if (ownPages.length === 0) this.sections.splice(this.sections.indexOf(section), 1);
  }

  #addEntry(entry: NavEntry, pages: SitePage[]): void {
    if (entry.type === "link") this.#addLink(entry.label, entry.href);
    if (entry.type === "page") this.#addPage(entry.path, pages);
    if (entry.type !== "group") return;
    if (entry.root !== undefined) this.#addPage(entry.root, pages);
    for (const child of entry.entries) this.#addEntry(child, pages);
  }

  #addPage(path: string, pages: SitePage[]): void {
    const number = this.#numberOf(path) ?? -1;
    const page = this.#pages[number];
    if (!page || this.#remainingFlags[number] !== 1) return;
    this.#remainingFlags[number] = 0;
    pages.push(page);
  }

  #addLink(label: string, href: string): void {
    if (!/^https?:/i.test(href) || this.#hrefs.has(href)) return;
    this.#hrefs.add(href);
    this.links.push({ label, href });
  }
}
