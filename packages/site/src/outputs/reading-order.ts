import type { NavDivision, NavEntry, Site, SitePage } from "../site/index.ts";

/** Pages under one heading, in the order of the navigation. */
export interface Section {
  readonly heading: string;
  readonly pages: readonly SitePage[];
}

export interface ReadingOrder {
  readonly sections: readonly Section[];
  /** Links of the navigation to other sites. */
  readonly links: readonly { readonly label: string; readonly href: string }[];
}

/**
 * The indexed pages of the default language and version in the order of the navigation, each once; pages that it does
 * not name come last, by path.
 */
export function readingOrder(site: Site, pages: readonly SitePage[]): ReadingOrder {
  const walk = new Walk(pages);
  walk.division(site.navigation, []);
  walk.rest(pages);
  return { sections: walk.sections, links: walk.links };
}

/** The reading order has only one of each of these, so headings do not name it. */
const unnamedKinds: ReadonlySet<NavDivision["kind"]> = new Set(["root", "language", "version"]);

class Walk {
  readonly sections: { readonly heading: string; readonly pages: SitePage[] }[] = [];
  readonly links: { readonly label: string; readonly href: string }[] = [];
  readonly #left: Map<string, SitePage>;
  readonly #hrefs = new Set<string>();
  #language: string | undefined;
  #version: string | undefined;

  constructor(pages: readonly SitePage[]) {
    const indexed = pages.filter((page) => page.indexed);
    this.#left = new Map(indexed.map((page) => [page.path, page]));
  }

  division(division: NavDivision, labels: readonly string[]): void {
    if (division.kind === "language") this.#language = division.label;
    if (division.kind === "version") this.#version = division.label;
    if (division.href !== undefined) this.#link(division.label, division.href);
    const isNamed = !unnamedKinds.has(division.kind);
    const way = isNamed ? [...labels, division.label] : labels;
    this.#entries(division.entries, way);
    for (const child of division.divisions) {
      const isOther = (child.kind === "language" || child.kind === "version") && !child.isDefault;
      if (!isOther) this.division(child, way);
    }
  }

  rest(pages: readonly SitePage[]): void {
    const rest = pages.filter(
      (page) =>
        this.#left.has(page.path) &&
        (page.language ?? this.#language) === this.#language &&
        (page.version ?? this.#version) === this.#version,
    );
    if (rest.length > 0) this.sections.push({ heading: "More", pages: rest });
  }

  #entries(entries: readonly NavEntry[], way: readonly string[]): void {
    const own: SitePage[] = [];
    const section = { heading: way.join(": ") || "Docs", pages: own };
    this.sections.push(section);
    for (const entry of entries) {
      if (entry.type !== "group") {
        this.#take(entry, own);
        continue;
      }
      const pages: SitePage[] = [];
      this.#take(entry, pages);
      const heading = way.at(-1) === entry.label ? way : [...way, entry.label];
      if (pages.length > 0) this.sections.push({ heading: heading.join(": "), pages });
    }
    if (own.length === 0) this.sections.splice(this.sections.indexOf(section), 1);
  }

  #take(entry: NavEntry, into: SitePage[]): void {
    if (entry.type === "link") this.#link(entry.label, entry.href);
    if (entry.type === "page") this.#takePage(entry.path, into);
    if (entry.type !== "group") return;
    if (entry.root !== undefined) this.#takePage(entry.root, into);
    for (const child of entry.entries) this.#take(child, into);
  }

  #takePage(path: string, into: SitePage[]): void {
    const page = this.#left.get(path);
    if (!page) return;
    this.#left.delete(path);
    into.push(page);
  }

  #link(label: string, href: string): void {
    if (!/^https?:/i.test(href) || this.#hrefs.has(href)) return;
    this.#hrefs.add(href);
    this.links.push({ label, href });
  }
}
