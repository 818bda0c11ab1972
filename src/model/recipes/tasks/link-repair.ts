import { folderOf, isSnippet, lastPart, pagePath } from "../pages.ts";
import type { Problem } from "../site-tools.ts";
import { pageAnchors } from "../text/anchors.ts";
import { parseJsonTree, placesOf } from "../text/json-tree.ts";
import { linkTextAt, placeOfLink } from "../text/link-places.ts";
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
  if (code !== "anchor_broken") return [link];
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
export function anchorPages(link: BrokenLink, pages: readonly string[]): readonly string[] {
  const { anchorPage } = link;
  if (anchorPage === undefined) return [];
  return [anchorPage, ...ownTwins(link, anchorPage), ...pagesBelow(anchorPage, pages)];
}

/** More pages than this are not the parts of one that was cut up. */
const mostParts = 20;

/** The pages of the folder whose index a page is. */
function pagesBelow(page: string, pages: readonly string[]): readonly string[] {
  const folder = `${page.replace(/\/index$/, "")}/`;
  const below = pages.filter((other) => other !== page && other.startsWith(folder));
  return below.length > mostParts ? [] : below;
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
  const place = isConfiguration(link.file) ? undefined : placeOfLink(link, text);
  const linkText = linkTextAt(text, place);
  const verdict =
    link.anchorPage === undefined ? judgePath(link, facts) : judgePlace(link, facts, linkText);
  if ("reason" in verdict) return verdict;
  const edits = isConfiguration(link.file)
    ? configurationEdits(link, text, verdict.found)
    : pageEdits(link, place, verdict.found);
  if (edits.length === 0) return { reason: "its place in the file was not found" };
  return { link, edits, to: verdict.found, because: verdict.because };
}

function pageEdits({ target }: BrokenLink, start: number | undefined, text: string): TextEdit[] {
  return start === undefined ? [] : [{ start, end: start + target.length, text }];
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
  const isRooted = path.startsWith("/");
  const twin = ownTwins(link, anchorPage).find((page) => hasAnchor(facts.textOf(page), anchor));
  if (twin !== undefined && isRooted) {
    const found = `${spell(twin, path, file)}#${anchor}`;
    return { found, because: "the same place in this language or version" };
  }
  const part = isRooted ? partWith(path, anchor, anchorPage, facts) : undefined;
  if (part !== undefined) return part;
  if (isSnippet(file) && path === "") {
    return { reason: "it stands in a snippet, which pages share" };
  }
  const page = facts.textOf(anchorPage);
  if (page === undefined) return { reason: `the page /${anchorPage} cannot be read` };
  const verdict = judgeAnchor(anchor, linkText, page);
  return "reason" in verdict ? verdict : { ...verdict, found: `${path}#${verdict.found}` };
}

/** A page that was cut up: the page of its folder that has the anchor as its name or, alone, among its headings. */
function partWith(
  path: string,
  anchor: string,
  anchorPage: string,
  facts: RepairFacts,
): Verdict | undefined {
  const base = anchorPage.replace(/\/index$/, "");
  const own = path.replaceAll(/^\/|\/(?:index)?$/g, "");
  const parts = pagesBelow(anchorPage, facts.pages);
  if (own !== base && !isForwarded(own, facts)) return undefined;
  const named = parts.find((page) => page === `${base}/${anchor}`);
  if (named !== undefined) return { found: `/${own}/${anchor}`, because: "the page of that name" };
  const [part, ...more] = parts.filter((page) => hasAnchor(facts.textOf(page), anchor));
  if (part === undefined || more.length > 0) return undefined;
  const found = `/${own}${part.slice(base.length)}#${anchor}`;
  return { found, because: "the only page below it with that heading" };
}

/** Whether a redirect with a wildcard leads on whatever begins like the path. */
function isForwarded(path: string, { redirects }: RepairFacts): boolean {
  return redirects.some(({ source }) => {
    const wildcard = source.search(/[:*]/);
    return (
      wildcard > 0 && source[wildcard - 1] === "/" && path.startsWith(source.slice(0, wildcard))
    );
  });
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
