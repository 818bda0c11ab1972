import { folderOf, isSnippet, lastPart, pagePath } from "../pages.ts";
import type { Problem } from "../site-tools.ts";
import { pageAnchors, plainText } from "../text/anchors.ts";
import { parseJsonTree, placesOf } from "../text/json-tree.ts";
import { offsetOf } from "../text/replacements.ts";
import type { TextEdit } from "../text/replacements.ts";
import { judgeAnchor } from "./anchor-evidence.ts";
import { joinPath, judgeLink } from "./link-evidence.ts";
import type { LinkFacts, Verdict } from "./link-evidence.ts";

/** A link that the check found to lead nowhere, as far as its message tells. */
export interface BrokenLink {
  /** The same at the next check, wherever in its line it then stands. */
  readonly key: string;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** As it is written in the file. */
  readonly target: string;
  /** Set where the page is there and the place on it is not: the page's path. */
  readonly anchorPage?: string;
  /** The one place that the check itself says was meant. */
  readonly suggested?: string;
}

export interface RepairFacts extends LinkFacts {
  /** The source of a page by its path; undefined where it was not read. */
  readonly textOf: (path: string) => string | undefined;
}

export interface Decision {
  readonly link: BrokenLink;
  readonly edits: readonly TextEdit[];
  readonly to: string;
  readonly because: string;
}

const messagePattern = /^The link ("(?:[^"\\]|\\.){0,400}") (?:leads|names|in the configuration)/;
const anchorPattern = /does not have\.(?: Did you mean "#([^"]*)"\?)?$/;

/** What a problem's message tells; nothing where it has another form or shows the link cut. */
export function brokenLinkOf({ file, line, column, message, code }: Problem): BrokenLink[] {
  const quoted = messagePattern.exec(message)?.[1];
  if (quoted === undefined) return [];
  const target = JSON.parse(quoted) as string;
  if (target.endsWith("…")) return [];
  const place = {
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  };
  const link = { key: JSON.stringify([file, line, target]), file, target, ...place };
  if (code !== "broken_anchor") return [link];
  const named = /that the page \/(.*?) does not have\./.exec(message)?.[1];
  const suggested = anchorPattern.exec(message)?.[1];
  return [
    {
      ...link,
      anchorPage: named ?? pagePath(file),
      ...(suggested === undefined ? {} : { suggested }),
    },
  ];
}

export function isConfiguration(file: string): boolean {
  return !/\.mdx?$/i.test(file);
}

/** The pages whose sources are needed to judge the link's anchor. */
export function anchorPages(link: BrokenLink): readonly string[] {
  return link.anchorPage === undefined ? [] : [link.anchorPage, ...ownTwins(link, link.anchorPage)];
}

/** The same page in the folders of the link's own language or version. */
function ownTwins({ file }: BrokenLink, page: string): string[] {
  if (isSnippet(file)) return [];
  const parts = folderOf(file)
    .split("/")
    .filter((part) => part !== "")
    .slice(0, 2);
  return parts
    .map((_, index) => `${parts.slice(0, index + 1).join("/")}/${page}`)
    .filter((twin) => !page.startsWith(`${parts[0]}/`) && twin !== page);
}

/** What to write instead of the link, and where; or why it is left as it is. */
export function decide(
  link: BrokenLink,
  text: string,
  facts: RepairFacts,
): Decision | { readonly reason: string } {
  const place = isConfiguration(link.file) ? undefined : placeOf(link, text);
  if (place === undefined && !isConfiguration(link.file)) {
    return { reason: "its place in the file was not found" };
  }
  const verdict =
    link.anchorPage === undefined
      ? judgePath(link, facts)
      : judgePlace(link, facts, linkTextAt(text, place));
  if ("reason" in verdict) return verdict;
  const edits = place === undefined ? configurationEdits(link, text, verdict.found) : [{ start: place, end: place + link.target.length, text: verdict.found }]; // prettier-ignore
  if (edits.length === 0) return { reason: "its place in the file was not found" };
  return { link, edits, to: verdict.found, because: verdict.because };
}

function judgePath({ target, file }: BrokenLink, facts: RepairFacts): Verdict {
  const [, path = "", suffix = ""] = /^([^?#]*)(.*)$/s.exec(target) ?? [];
  const isRelative = path.startsWith(".");
  const base = isRelative ? folderOf(file) : "";
  if (isRelative && isSnippet(file)) return { reason: "it is relative in a snippet" };
  if (/\.(?!mdx?$|html?$)[a-z][a-z\d]{1,9}$/i.test(path))
    return { reason: "it names a file that is not there" };
  const verdict = judgeLink(joinPath(base, decoded(path)), file, facts);
  if ("reason" in verdict) return verdict;
  return { found: spell(verdict.found, path, file) + suffix, because: verdict.because };
}

function judgePlace(link: BrokenLink, facts: RepairFacts, linkText: string): Verdict {
  const { target, file, anchorPage = "", suggested } = link;
  const hash = target.indexOf("#");
  if (hash === -1) return { reason: "it has no anchor of its own" };
  const [path, anchor] = [target.slice(0, hash), decoded(target.slice(hash + 1))];
  if (suggested !== undefined) {
    return { found: `${path}#${suggested}`, because: "the same heading but for case and signs" };
  }
  const twin = ownTwins(link, anchorPage).find((page) => hasAnchor(facts.textOf(page), anchor));
  if (twin !== undefined && path.startsWith("/")) {
    return { found: `${spell(twin, path, file)}#${anchor}`, because: "the same place in this language or version" }; // prettier-ignore
  }
  if (isSnippet(file) && path === "")
    return { reason: "it stands in a snippet, which pages share" };
  const page = facts.textOf(anchorPage);
  if (page === undefined) return { reason: `the page /${anchorPage} cannot be read` };
  const verdict = judgeAnchor(anchor, linkText, page);
  return "reason" in verdict ? verdict : { ...verdict, found: `${path}#${verdict.found}` };
}

function hasAnchor(text: string | undefined, anchor: string): boolean {
  return text !== undefined && pageAnchors(text).some(({ id }) => id === anchor);
}

/** A page's path as the link had it: relative or from the root, with or without extension and `/index`. */
function spell(page: string, path: string, file: string): string {
  const keepsIndex = lastPart(path).startsWith("index");
  const plain = keepsIndex ? page : page.replace(/(?<=.)\/index$/, "");
  const extension = /\.mdx?$/i.exec(path)?.[0] ?? "";
  if (!path.startsWith(".")) return `/${plain}${extension}`;
  const [from, to] = [folderOf(file).split("/").filter(Boolean), plain.split("/")];
  let shared = 0;
  while (shared < from.length && shared < to.length - 1 && from[shared] === to[shared]) shared++;
  const way = "../".repeat(from.length - shared) || "./";
  return `${way}${to.slice(shared).join("/")}${extension}`;
}

/** How far behind the place of a problem its link may stand: components have many lines of attributes. */
const farthest = 5_000;

/** Where the link's target stands, behind the problem's place; undefined where it does not. */
function placeOf({ target, line, column }: BrokenLink, text: string): number | undefined {
  const from = line === undefined ? 0 : offsetOf(text, line, column ?? 1);
  if (from === -1) return undefined;
  const window = text.slice(from, from + farthest + target.length);
  for (let at = window.indexOf(target); at !== -1; at = window.indexOf(target, at + 1)) {
    const isWhole = /[\s)"'`>}]|^$/.test(window[at + target.length] ?? "");
    if (isWhole && /[("'`<\s]/.test(window[at - 1] ?? text[from + at - 1] ?? "")) return from + at;
  }
  return undefined;
}

/** The words of a Markdown link whose address stands at `place`. */
function linkTextAt(text: string, place: number | undefined): string {
  if (place === undefined) return "";
  const before = text.slice(Math.max(0, place - 500), place);
  return plainText(/\[([^[\]]*)\]\([ <]?$/.exec(before)?.[1] ?? "");
}

/** A configuration's problem has no place: every link of it with that address. */
function configurationEdits({ target }: BrokenLink, text: string, found: string): TextEdit[] {
  return [...placesOf(parseJsonTree(text))].flatMap(({ key, node }) =>
    key === "href" && node.type === "string" && node.value === target
      ? [{ start: node.start, end: node.end, text: JSON.stringify(found) }]
      : [],
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
