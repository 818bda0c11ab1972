export interface SearchSection {
  /** The section's anchor within the page; an empty string for the part before the first heading. */
  readonly id: string;
  readonly heading: string;
  /** Plain text without markup and with white space collapsed. */
  readonly text: string;
  /**
   * Text that is searched but not shown in results, because it is not prose: code and its labels, diagram sources,
   * types and limits in schemas, and examples of requests and responses.
   */
  readonly hidden?: string;
}

/**
 * The maximum number of searchable characters in one code block. More characters would outweigh the surrounding text.
 */
const maxCodeLength = 2_000;

/** Inline elements, which do not separate words. */
const inlineElements = new Set(
  "a abbr b bdi bdo big cite code del dfn em font i ins kbd label mark q s samp small span strong sub sup time tt u var wbr".split(
    " ",
  ),
);
/** Elements whose content is not shown to readers as text. */
const skippedElements = new Set(["svg", "style", "script", "template", "select", "datalist"]);

/**
 * The elements whose text is not prose, by first class, each with the name of the tag that ends it. They contain no
 * other element with that tag.
 */
const nonProseElements: ReadonlyMap<string, string> = new Map([
  ["api-choice-kind", "p"],
  ["api-label", "div"],
  ["api-media", "span"],
  ["api-or", "p"],
  ["api-part", "p"],
  ["api-servers", "ul"],
  ["api-type", "p"],
  ["api-usage", "p"],
  ["code-title", "div"],
  ["example", "aside"],
  ["field-head", "div"],
  ["field-note", "p"],
  ["field-placeholder", "p"],
  ["method", "span"],
  ["operation", "div"],
  // TypeDoc writes elements with these classes into authors' pages.
  ["tsd-anchor-link", "div"],
  ["tsd-signature", "div"],
]);
const firstClass = / class="([\w-]+)/;
/** Matches the start of expandable fields, whose title is a label. */
const expandableStart = /^<details\b[^>]* class="fold expandable"/;
const fieldName = / class="field-name"[^>]*>(.*?)<\/(?:a|code|span)>/s;
/** The maximum number of characters to search for a field's name. */
const maxFieldHead = 2_000;

const tabTitle = "tab-title";
const codeStart = '<div class="code"';
/** The text of the link from a footnote back to its reference. */
const backArrow = "↩\u{fe0e}";

const headingName = /^h[1-6]$/;

/** Matches the start of the source below a drawing, and of the source of a diagram that cannot be drawn. */
const diagramStart = /^<(?:details\b[^>]* class="diagram-source"|div\b[^>]* data-lang="mermaid")/;

/**
 * Returns the text of a page's HTML as readers see it, split at headings with ids. Reads the finished HTML, so that
 * titles and labels of components are also found. Takes linear time. Requires every `<` and `>` outside tags to be
 * escaped, as in the renderer's output.
 */
export function splitSearchSections(html: string): SearchSection[] {
  const content = new SectionCollector();
  const findClosingEnd = createClosingFinder(html);
  let at = 0;
  for (let tag = html.indexOf("<"); tag !== -1; tag = html.indexOf("<", at)) {
    if (tag > at) content.addText(html.slice(at, tag));
    const start = findEnd(html, ">", tag);
    const name = readTagName(html, tag);
    at = start;
    content.passTag(name, html, [tag, start], findClosingEnd);
    if (inlineElements.has(name)) continue;
    if (skippedElements.has(name)) at = findClosingEnd(name, start);
    if ((name === "div" || name === "details") && diagramStart.test(html.slice(tag, start))) {
      at = findClosingEnd("pre", start);
      content.addDiagram(html.slice(start, at));
      continue;
    }
    if (name === "pre") {
      at = findClosingEnd(name, start);
      content.addCode(html.slice(start, at));
      continue;
    }
    const end = headingName.test(name) ? findClosingEnd(name, start) : start;
    const id = end === start ? "" : findHeadingId(html.slice(tag, end));
    if (id === "") {
      content.addBlank();
      continue;
    }
    content.startSection(id, html.slice(start, end));
    at = end;
  }
  content.addText(html.slice(at));
  return content.finish();
}

/** Collects the text of sections. */
class SectionCollector {
  readonly #sections: SearchSection[] = [];
  #id = "";
  #heading = "";
  #words: string[] = [];
  #hidden: string[] = [];
  /** The name of the field whose description may come next. */
  #field = "";
  /** The end of the last element whose text is not prose, and whether the next text is in that element. */
  #hiddenEnd = 0;
  #isHidden = false;

  /** Moves past a tag, which may start an element whose text is not prose. */
  passTag(
    name: string,
    html: string,
    [from, to]: readonly [from: number, to: number],
    findClosingEnd: (name: string, from: number) => number,
  ): void {
    if (from >= this.#hiddenEnd) {
      const closing =
        findGeneratedTag(name, html.slice(from, to)) ??
        (isCodeTab(html, [from, to], findClosingEnd) ? "div" : undefined);
      if (closing !== undefined) this.#hiddenEnd = findClosingEnd(closing, to);
      if (closing === "div") {
        // A field's name is shown in results only before its description, where it is part of the prose.
        const head = html.slice(to, Math.min(this.#hiddenEnd, to + maxFieldHead));
        this.#field = removeTags(fieldName.exec(head)?.[1] ?? "");
      } else if (name === "/") this.#field = "";
    }
    this.#isHidden = to < this.#hiddenEnd;
  }

  addText(html: string): void {
    if (html === backArrow) return;
    if (!this.#isHidden && this.#field !== "" && html.trim() !== "") {
      this.#words.push(this.#field, ": ");
      this.#field = "";
    }
    this.#target.push(html);
  }

  /** Adds a space for a tag that separates words, unless the text already ends with a space. */
  addBlank(): void {
    for (const list of [this.#words, this.#hidden]) {
      if (list.at(-1) !== " ") list.push(" ");
    }
  }

  /** Adds the source of a diagram, with the label above it. */
  addDiagram(html: string): void {
    this.addBlank();
    this.#hidden.push(extractCodeText(html.replaceAll("<pre", " <pre")), " ");
  }

  addCode(html: string): void {
    this.addBlank();
    this.#hidden.push(extractCodeText(html), " ");
  }

  startSection(id: string, heading: string): void {
    this.finish();
    this.#id = id;
    this.#heading = toPlainWords(removeTags(heading));
  }

  /** Ends the current section and returns all sections. */
  finish(): SearchSection[] {
    const text = toPlainWords(this.#words.join(""));
    const hidden = toPlainWords(this.#hidden.join(""));
    if (text !== "" || this.#heading !== "" || hidden !== "") {
      const section = { id: this.#id, heading: this.#heading, text };
      this.#sections.push(hidden === "" ? section : { ...section, hidden });
    }
    this.#words = [];
    this.#hidden = [];
    this.#field = "";
    return this.#sections;
  }

  get #target(): string[] {
    return this.#isHidden ? this.#hidden : this.#words;
  }
}

/** Returns the tag that ends an element whose text is not prose, or undefined for other elements. */
function findGeneratedTag(name: string, start: string): string | undefined {
  if (name === "details") return expandableStart.test(start) ? "summary" : undefined;
  if (name !== "div" && name !== "p" && name !== "span" && name !== "aside") return undefined;
  return nonProseElements.get(firstClass.exec(start)?.[1] ?? "");
}

/** Reports whether a tag starts the title of a tab that consists of code. */
function isCodeTab(
  html: string,
  [from, to]: readonly [from: number, to: number],
  findClosingEnd: (name: string, from: number) => number,
): boolean {
  if (!html.startsWith(`<div class="${tabTitle}"`, from)) return false;
  return html.startsWith(codeStart, findClosingEnd("div", to));
}

/**
 * Creates a function that finds the end of the next closing tag. It caches results, so that many unclosed tags cause
 * only one search.
 */
function createClosingFinder(html: string): (name: string, from: number) => number {
  const ends = new Map<string, number>();
  return (name, from) => {
    const lastEnd = ends.get(name) ?? 0;
    const end = lastEnd > from ? lastEnd : findEnd(html, `</${name}>`, from);
    ends.set(name, end);
    return end;
  };
}

function findEnd(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found === -1 ? html.length : found + mark.length;
}

/** Returns the name of a tag, or `/` for a closing tag of an element that is not inline. */
function readTagName(html: string, start: number): string {
  const isClosing = html.charCodeAt(start + 1) === slash;
  const first = isClosing ? start + 2 : start + 1;
  let end = first;
  while (isNameCharacter(html.charCodeAt(end))) end++;
  const name = html.slice(first, end);
  return isClosing && !inlineElements.has(name) ? "/" : name;
}

const slash = 47;

/** Reports whether a character code is a letter, a digit or a hyphen. */
function isNameCharacter(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 45
  );
}

/**
 * Returns the id of a heading. If an enclosing element has the id, returns the id in the heading's own link. Returns an
 * empty string if there is no id.
 */
function findHeadingId(html: string): string {
  const ownId = /^<h\d[^>]*\sid="([^"]*)"/.exec(html)?.[1];
  // The link is at the end of the heading, and its markup is shorter than this number of characters.
  const link = /class="anchor" href="#([^"]*)"/.exec(html.slice(-2_000))?.[1] ?? "";
  return decodeEntities(ownId ?? link);
}

function extractCodeText(html: string): string {
  let text = "";
  let at = 0;
  while (at < html.length && text.length < maxCodeLength) {
    const tag = html.indexOf("<", at);
    const end = tag === -1 ? html.length : tag;
    text += html.slice(at, end);
    at = findEnd(html, ">", end);
  }
  return text.slice(0, maxCodeLength);
}

function removeTags(html: string): string {
  return html.replaceAll(/<[^>]*>/g, "");
}

function toPlainWords(html: string): string {
  // Most white space is a single space, which need not be replaced.
  return decodeEntities(html)
    .replaceAll(/\s{2,}|[^\S ]/g, " ")
    .trim();
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

function decodeEntities(html: string): string {
  if (!html.includes("&")) return html;
  return html.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);
}
