import { folderOf, isSnippet, lastPart } from "../pages.ts";
import type { ConfigurationFile } from "../configuration.ts";
import { pageAnchors } from "../text/anchors.ts";
import {
  everyPlace,
  isJsonString,
  jsonMemberText,
  relativePath,
  setString,
  splitAddress,
} from "@octavo/site/text";
import { linkText } from "../text/link-places.ts";
import type { FoundLink, LinkedText } from "../text/link-places.ts";
import type { TextEdit } from "@octavo/site/text";
import { judgeAnchor } from "./anchor-evidence.ts";
import type { BrokenLink } from "./broken-links.ts";
import { joinPath, judgeLink } from "./link-evidence.ts";
import type { LinkFacts, Verdict } from "./link-evidence.ts";
import { isSearchable, judgeSection } from "./moved-section.ts";
import type { LostSection, Section } from "./moved-section.ts";

export interface RepairFacts extends LinkFacts {
  /** The source of a page by its path; undefined where it was not read. */
  readonly textOf: (path: string) => string | undefined;
  readonly configuration: readonly ConfigurationFile[];
}

/** One file's edit. */
export interface FileEdit {
  readonly file: string;
  readonly edit: TextEdit;
}

export interface Decision {
  readonly link: BrokenLink;
  readonly edits: readonly FileEdit[];
  readonly to: string;
  readonly because: string;
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
const maxParts = 20;

/** The pages of the folder whose index a page is. */
function pagesBelow(page: string, pages: readonly string[]): readonly string[] {
  const folder = `${page.replace(/\/index$/, "")}/`;
  const below = pages.filter((other) => other !== page && other.startsWith(folder));
  return below.length > maxParts ? [] : below;
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

/** Why a link is left as it is; with its anchor where a section of another page may be meant. */
export interface Undecided {
  readonly reason: string;
  readonly lost?: LostSection;
}

/**
 * What to write instead of the link, and where; or why it is left as it is. `page` is the text that holds it;
 * undefined for one of the configuration.
 */
export function decide(
  link: BrokenLink,
  page: LinkedText | undefined,
  facts: RepairFacts,
): Decision | Undecided {
  const found = page?.find(link);
  const words = page === undefined ? "" : linkText(page.text, found);
  const verdict = link.kind === "anchor" ? judgePlace(link, facts, words) : judgePath(link, facts);
  if ("reason" in verdict) return verdict;
  return decision(link, found, { ...verdict, configuration: facts.configuration });
}

/** Likewise for a link whose section another page has by now. */
export function decideSection(
  lost: LostSection,
  page: LinkedText | undefined,
  sections: readonly Section[],
): Decision | Undecided {
  const verdict = judgeSection(lost, sections);
  if ("reason" in verdict) return verdict;
  const { link } = lost;
  const [path = ""] = link.target.split("#");
  const found = `${spell(verdict.page ?? "", path, link.file)}#${verdict.found}`;
  return decision(link, page?.find(link), { found, because: verdict.because, configuration: [] });
}

function decision(
  link: BrokenLink,
  place: FoundLink | undefined,
  verdict: {
    readonly found: string;
    readonly because: string;
    readonly configuration: readonly ConfigurationFile[];
  },
): Decision | Undecided {
  const { found: to, because, configuration } = verdict;
  const edits = isConfiguration(link.file)
    ? configurationEdits(link, to, configuration)
    : pageEdits(link, to, place);
  if (edits.length === 0) return { reason: "its place in the file was not found" };
  return { link, edits, to, because };
}

function pageEdits(
  { file, target }: BrokenLink,
  text: string,
  place: FoundLink | undefined,
): FileEdit[] {
  if (place === undefined) return [];
  const { address: start } = place;
  return [{ file, edit: { start, end: start + target.length, text } }];
}

function judgePath({ target, file }: BrokenLink, facts: RepairFacts): Verdict {
  const { path, suffix } = splitAddress(target);
  const isRelative = path.startsWith(".");
  const base = isRelative ? folderOf(file) : "";
  if (isRelative && isSnippet(file)) return { reason: "it is relative in a snippet" };
  if (/\.(?!mdx?$|html?$)[a-z][a-z\d]{1,9}$/i.test(path))
    return { reason: "it names a file that is not there" };
  const verdict = judgeLink(joinPath(base, decoded(path)), file, facts);
  if ("reason" in verdict) return verdict;
  return { found: spell(verdict.found, path, file) + suffix, because: verdict.because };
}

function judgePlace(
  link: BrokenLink,
  facts: RepairFacts,
  words: string,
): Verdict & Pick<Undecided, "lost"> {
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
  const pageName = lastPart(anchorPage.replace(/\/index$/, ""));
  const verdict = judgeAnchor({ anchor, linkText: words, pageName }, page);
  if ("found" in verdict) return { ...verdict, found: `${path}#${verdict.found}` };
  const lost = { link, anchor, linkText: words };
  return isSearchable(lost) ? { ...verdict, lost } : verdict;
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
  const isPlain = path !== "" && !path.startsWith("/") && !path.startsWith(".");
  const folder = folderOf(file) === "" ? "" : `${folderOf(file)}/`;
  if (isPlain && plain.startsWith(folder)) return `${plain.slice(folder.length)}${extension}`;
  if (!path.startsWith(".")) return `/${plain}${extension}`;
  const way = relativePath(folderOf(file), plain);
  return `${way.startsWith(".") ? "" : "./"}${way}${extension}`;
}

/** A configuration's problem has no place: every link of it with that address, and the redirect of that source. */
function configurationEdits(
  { kind, target, source }: BrokenLink,
  found: string,
  files: readonly ConfigurationFile[],
): FileEdit[] {
  return files.flatMap(({ path, root }) =>
    [...everyPlace(root)].flatMap(({ key, node, within }): FileEdit[] => {
      if (!isJsonString(node) || node.value !== target) return [];
      const isMeant =
        kind === "redirect"
          ? key === "destination" && jsonMemberText(within.at(-1), "source") === source
          : key === "href";
      return isMeant ? [{ file: path, edit: setString(node, found) }] : [];
    }),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
