export interface SearchSection {
  /** The section's anchor within the page; an empty string for the part before the first heading. */
  readonly id: string;
  readonly heading: string;
  /** Plain text without markup and with white space collapsed. */
  readonly text: string;
  /** The sources of diagrams, which search also looks in. Results do not show them, because they are not prose. */
  readonly diagrams?: string;
}

/** The maximum number of characters of one code block that search finds. More would outweigh the words around it. */
const maxCodeLength = 2_000;

/** Inline elements, which do not separate words. */
const inline = new Set(
  "a abbr b bdi bdo big cite code del dfn em font i ins kbd label mark q s samp small span strong sub sup time tt u var wbr".split(
    " ",
  ),
);
/** Elements whose content is not shown to readers as text. */
const skipped = new Set(["svg", "style", "script", "template", "select", "datalist"]);

const headingName = /^h[1-6]$/;

/** Matches the start of the source below a drawing, and of the source of a diagram that cannot be drawn. */
const diagramStart = /^<(?:details\b[^>]* class="diagram-source"|div\b[^>]* data-lang="mermaid")/;

/**
 * Returns the text of a page's HTML as readers see it, split at headings with ids. Reads the finished HTML, so that
 * titles and labels of components are also found. Takes linear time. Requires every `<` and `>` outside tags to be
 * escaped, as in the renderer's output.
 */
export function splitSearchSections(html: string): SearchSection[] {
  const content = new Content();
  const closingAfter = createClosingFinder(html);
  let at = 0;
  for (let tag = html.indexOf("<"); tag !== -1; tag = html.indexOf("<", at)) {
    if (tag > at) content.addText(html.slice(at, tag));
    const start = findEnd(html, ">", tag);
    const name = readTagName(html, tag);
    at = start;
    if (inline.has(name)) continue;
    if (skipped.has(name)) at = closingAfter(name, start);
    if ((name === "div" || name === "details") && diagramStart.test(html.slice(tag, start))) {
      at = closingAfter("pre", start);
      content.addDiagram(html.slice(start, at));
      continue;
    }
    if (name === "pre") {
      at = closingAfter(name, start);
      content.addCode(html.slice(start, at));
      continue;
    }
    const end = headingName.test(name) ? closingAfter(name, start) : start;
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
class Content {
  readonly #sections: SearchSection[] = [];
  #id = "";
  #heading = "";
  #words: string[] = [];
  #diagrams: string[] = [];

  addText(html: string): void {
    this.#words.push(html);
  }

  /** Adds a space for a tag that separates words, unless the text already ends with a space. */
  addBlank(): void {
    if (this.#words.at(-1) !== " ") this.#words.push(" ");
  }

  /** Adds the source of a diagram, with the label above it. */
  addDiagram(html: string): void {
    this.addBlank();
    this.#diagrams.push(codeText(html.replaceAll("<pre", " <pre")), " ");
  }

  addCode(html: string): void {
    this.#words.push(" ", codeText(html), " ");
  }

  startSection(id: string, heading: string): void {
    this.finish();
    this.#id = id;
    this.#heading = plainWords(heading.replaceAll(/<[^>]*>/g, ""));
  }

  /** Ends the current section and returns all sections. */
  finish(): SearchSection[] {
    const text = plainWords(this.#words.join(""));
    const diagrams = plainWords(this.#diagrams.join(""));
    if (text !== "" || this.#heading !== "" || diagrams !== "") {
      const section = { id: this.#id, heading: this.#heading, text };
      this.#sections.push(diagrams === "" ? section : { ...section, diagrams });
    }
    this.#words = [];
    this.#diagrams = [];
    return this.#sections;
  }
}

/**
 * Creates a function that finds the end of the next closing tag. It caches results, so that many unclosed tags cause
 * only one search.
 */
function createClosingFinder(html: string): (name: string, from: number) => number {
  const known = new Map<string, number>();
  return (name, from) => {
    const before = known.get(name) ?? 0;
    const end = before > from ? before : findEnd(html, `</${name}>`, from);
    known.set(name, end);
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
  return isClosing && !inline.has(name) ? "/" : name;
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
  const own = /^<h\d[^>]*\sid="([^"]*)"/.exec(html)?.[1];
  // The link is at the end, and its id is shorter than this number of characters.
  const link = /class="anchor" href="#([^"]*)"/.exec(html.slice(-2_000))?.[1] ?? "";
  return decodeEntities(own ?? link);
}

function codeText(html: string): string {
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

function plainWords(html: string): string {
  // Most white space is a single space, which needs no replacement.
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
