import { ArticleMarker } from "./article-marker.ts";
import {
  findElement,
  visitElements,
  getAttribute,
  getText,
  isElement,
  setAttribute,
  type ChildNode,
  type Element,
  type ParentNode,
} from "./dom.ts";
import { parse, serialize } from "./html.bundled.ts";
import { mapAddresses, type AddressUse, type PageAddresses } from "./page-addresses.ts";
import { createBlockReader } from "./read-blocks.ts";

/** The HTML of a page's two versions. A page that was added or removed has only one. */
export interface PageVersions {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** A page with the marks of its changes. */
export interface MarkedPage {
  /** The newer version with marks: `data-difference` on what differs, `data-change` with the number of the change. */
  readonly html: string;
  readonly changes: number;
}

/** A browser itself nests elements at most this deep. */
const maxDepth = 512;

/**
 * Marks what readers see differently in the newer version of a page. A page that was added or removed is marked as one
 * change. Returns undefined if a version cannot be compared, because it has no article or its elements are nested too
 * deeply.
 */
export function markPage(versions: PageVersions, addresses: PageAddresses): MarkedPage | undefined {
  const { before, after } = versions;
  if (before === undefined || after === undefined) return markWholePage(versions, addresses);
  const old = parseArticle(before);
  const own = parseArticle(after);
  if (!old || !own) return undefined;
  const reader = createBlockReader(own.language);
  const identify = (version: "before" | "after") => (address: string, use: AddressUse) =>
    addresses.identify(version, address, use);
  const oldBlock = reader.read(old.article, identify("before"));
  const ownBlock = reader.read(own.article, identify("after"));
  if (oldBlock.key === ownBlock.key) return { html: after, changes: 0 };
  relocateAddresses(old.article, addresses);
  const marked = new ArticleMarker(reader).mark(oldBlock, ownBlock);
  const changes = numberChanges(own.article, marked);
  return { html: serialize(own.document), changes };
}

function markWholePage(
  { before, after }: PageVersions,
  addresses: PageAddresses,
): MarkedPage | undefined {
  const page = parseArticle(after ?? before ?? "");
  if (!page) return undefined;
  if (after === undefined) relocateAddresses(page.article, addresses);
  setAttribute(page.article, "data-difference", after === undefined ? "removed" : "added");
  setAttribute(page.article, "data-change", "1");
  return { html: serialize(page.document), changes: 1 };
}

interface ParsedPage {
  readonly document: ParentNode;
  readonly article: Element;
  readonly language: string;
}

function parseArticle(page: string): ParsedPage | undefined {
  const document = parse(page);
  const article = isTooDeep(document) ? undefined : findArticle(document);
  const root = findElement(document, ({ tagName }) => tagName === "html");
  return article && { document, article, language: (root && getAttribute(root, "lang")) ?? "en" };
}

/** Lets the addresses of a former version lead where they led. */
function relocateAddresses(article: Element, { relocate }: PageAddresses): void {
  visitElements(article, (element) => {
    element.attrs = element.attrs.map(({ name, value }) => {
      return { name, value: mapAddresses({ name, value }, relocate) };
    });
  });
}

/**
 * Reports whether two versions of a page have the same text between the same tags, so that nothing needs to be parsed.
 * Files that they show can differ.
 */
export function hasSameArticle(before: string | undefined, after: string | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  const own = cutArticle(after);
  return own !== undefined && own === cutArticle(before);
}

function cutArticle(page: string): string | undefined {
  const start = page.indexOf("<main");
  const end = page.lastIndexOf("</main>");
  return start < 0 || end < start ? undefined : page.slice(start, end);
}

/** Reports whether a page only leads to another address. */
export function isRedirectPage(page: string): boolean {
  return /<meta\s+http-equiv="?refresh/i.test(page.slice(0, maxHeadLength));
}

const maxHeadLength = 4_096;

/** Finds the title that a page shows, or else its name in the browser. */
export function findTitle(page: string): string | undefined {
  const document = parse(page);
  const found = findNamed(document, "page-title") ?? findNamed(document, "title");
  const text = found && getText(found).replaceAll(/\s+/g, " ").trim().slice(0, maxTitleLength);
  return text === "" ? undefined : text;
}

const maxTitleLength = 200;

/** Finds the part of a page that is its content. */
function findArticle(document: ParentNode): Element | undefined {
  for (const name of ["content-area", "article", "main", "body"]) {
    const found = findNamed(document, name);
    if (found) return found;
  }
  return undefined;
}

/** Finds an element by its id or its tag. */
function findNamed(document: ParentNode, name: string): Element | undefined {
  return findElement(
    document,
    (element) => element.tagName === name || getAttribute(element, "id") === name,
  );
}

function isTooDeep(document: ParentNode): boolean {
  const stack: [ParentNode, number][] = [[document, 0]];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [node, depth] = next;
    if (depth > maxDepth) return true;
    for (const child of node.childNodes) {
      if ("childNodes" in child) stack.push([child, depth + 1]);
    }
  }
  return false;
}

/**
 * Numbers the changes in the order of the page. Blocks beside each other that were added, removed or moved are one
 * change.
 */
function numberChanges(article: Element, marked: ReadonlyMap<Element, object>): number {
  const numbers = new Map<object, number>();
  let count = 0;
  const stack: ChildNode[] = [article];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (!isElement(node)) continue;
    const change = marked.get(node);
    if (change) {
      const joined = findJoined(node, marked);
      const known = numbers.get(change) ?? (joined && numbers.get(joined));
      const number = known ?? (count += 1);
      numbers.set(change, number);
      setAttribute(node, "data-change", String(number));
    }
    stack.push(...node.childNodes.toReversed());
  }
  return count;
}

/** Returns the change of the element before, if both are parts of one stretch of whole blocks. */
function findJoined(element: Element, marked: ReadonlyMap<Element, object>): object | undefined {
  if (getAttribute(element, "data-difference") === "changed") return undefined;
  const siblings = element.parentNode?.childNodes ?? [];
  for (let at = siblings.indexOf(element) - 1; at >= 0; at -= 1) {
    const node = siblings[at];
    if (node && isElement(node)) {
      const isWhole = getAttribute(node, "data-difference") !== "changed";
      return isWhole ? marked.get(node) : undefined;
    }
    if (node && "value" in node && node.nodeName === "#text" && node.value.trim() !== "") break;
  }
  return undefined;
}
