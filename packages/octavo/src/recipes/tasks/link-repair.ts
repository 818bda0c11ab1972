import { folderOf, isSnippet, lastPart, pagePath } from "../pages.ts";
import type { ConfigurationFile, Redirect } from "../configuration.ts";
import { hasPlace } from "../text/anchors.ts";
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
import { isTakenOff, judgeAnchor } from "./anchor-evidence.ts";
import type { AnchorVerdict } from "./anchor-evidence.ts";
import type { BrokenLink } from "./broken-links.ts";
import { candidatesOf } from "./link-evidence.ts";
import { inOwnEdition } from "./own-edition.ts";
import type { LinkFacts, LostLink } from "./link-facts.ts";
import { judgeLink } from "./link-judgement.ts";
import type { Verdict } from "./link-judgement.ts";
import type { RewordedHeadings } from "./lost-pages.ts";
import { code } from "./telling.ts";
import { isSearchable, judgeSection } from "./moved-section.ts";
import type { LostSection, Section } from "./moved-section.ts";
import { joinPath, plainAddress } from "./page-path.ts";
import { wordsOf } from "./words.ts";

export interface RepairFacts extends LinkFacts {
  /** The words of all links to an address that leads nowhere. */
  readonly wordsOf: (wanted: string) => readonly string[];
  readonly configuration: readonly ConfigurationFile[];
  readonly redirects: readonly Redirect[];
  /** A heading that was reworded is then known. */
  readonly hasHistory: boolean;
  /** How headings of a page were reworded, newest first; none where the history does not tell. */
  readonly rewordingsOf: (path: string) => readonly RewordedHeadings[];
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
  /** An address, and the page that has it no more. */
  readonly moved?: readonly [address: string, page: string];
}

export function isConfiguration(file: string): boolean {
  return !/\.mdx?$/i.test(file);
}

/** The pages whose sources are needed to judge the link's anchor. */
export function anchorPages(link: BrokenLink, pages: readonly string[]): readonly string[] {
  const { anchorPage } = link;
  if (anchorPage === undefined) return [];
  return [anchorPage, ...pagesBelow(anchorPage, pages)];
}

/** More pages than this are not the parts of one that was cut up. */
const maxParts = 20;

/** The pages of the folder whose index a page is. */
function pagesBelow(page: string, pages: readonly string[]): readonly string[] {
  const folder = `${page.replace(/\/index$/, "")}/`;
  const below = pages.filter((other) => other !== page && other.startsWith(folder));
  return below.length > maxParts ? [] : below;
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
  if (link.kind === "anchor") {
    const verdict = judgePlace(link, facts, words);
    if ("reason" in verdict) return verdict;
    return decision(link, found, { ...verdict, configuration: facts.configuration });
  }
  return decidePath(link, found, { text: words, facts });
}

function decidePath(
  link: BrokenLink,
  place: FoundLink | undefined,
  { text, facts }: { readonly text: string; readonly facts: RepairFacts },
): Decision | Undecided {
  const { path, suffix } = splitAddress(link.target);
  const read = lostLink(link);
  if ("reason" in read) return read;
  const lost = { ...read, wanted: besideFile(link, read.wanted, facts) ?? read.wanted };
  const words = facts.wordsOf(read.wanted);
  const verdict = judgeLink({ ...lost, words }, facts);
  if ("reason" in verdict) return verdict;
  const { found: page, because } = verdict;
  const [query = ""] = suffix.split("#");
  const found = spell(page, path, link.file) + query;
  const moved = [lost.wanted, page] as const;
  const { configuration } = facts;
  if (lost.anchor === "") {
    const decided = decision(link, place, { found: found + suffix.slice(query.length), because, configuration }); // prettier-ignore
    return "edits" in decided ? { ...decided, moved } : decided;
  }
  const anchor = judgeOnPage({ ...link, anchorPage: page }, facts, { anchor: lost.anchor, text });
  if ("reason" in anchor) {
    const offer = `perhaps ${code(found)} (${because}), but of the place on it: ${anchor.reason}`;
    return { reason: offer, ...(anchor.lost && { lost: withAddress(anchor.lost, found) }) };
  }
  const reasons = anchor.because === "" ? because : `${because}; ${anchor.because}`;
  const whole = { found: `${found}#${anchor.found}`, because: reasons, configuration };
  const decided = decision(link, place, whole);
  return "edits" in decided ? { ...decided, moved } : decided;
}

/** `guides/start`, without a slash or a dot before it, leads to a page below the file's folder where there is one. */
function besideFile(
  { target, file }: BrokenLink,
  wanted: string,
  { index }: RepairFacts,
): string | undefined {
  if (/^[/.#?]/.test(target) || isConfiguration(file) || isSnippet(file)) return undefined;
  const beside = joinPath(folderOf(file), wanted);
  const [first = "", ...rest] = wanted.split("/");
  const isBeside = rest.length > 0 && index.hasFolder(joinPath(folderOf(file), first));
  return isBeside || index.alike(beside).length > 0 ? beside : undefined;
}

/** Likewise for a link whose section another page has by now. */
export function decideSection(
  lost: LostSection,
  page: LinkedText | undefined,
  sections: readonly Section[],
): Decision | Undecided {
  const verdict = judgeSection(lost, sections);
  if ("reason" in verdict) return verdict;
  const { link, likely } = lost;
  const [path = ""] = link.target.split("#");
  const found =
    verdict.page === undefined
      ? (likely?.to ?? "")
      : `${spell(verdict.page, path, link.file)}#${verdict.found}`;
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
  if (to === link.target) return { reason: "it is written as it should be" };
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

const maxCandidates = 3;

/** The pages that a link may mean. */
interface DoubtfulPages {
  readonly pages: readonly string[];
  /** The first is certain, and the only one. */
  readonly isCertain: boolean;
  /** Links to that address name places on its page. */
  readonly hasAnchors: boolean;
}

export function doubtfulPages(link: BrokenLink, facts: RepairFacts): DoubtfulPages {
  const lost = link.kind === "anchor" ? undefined : lostLink(link);
  const none = { pages: [], isCertain: false, hasAnchors: false };
  if (lost === undefined || "reason" in lost) return none;
  const words = facts.wordsOf(lost.wanted);
  const [best, ...others] = candidatesOf({ ...lost, words }, facts).slice(0, maxCandidates);
  if (best === undefined) return none;
  const pages = [best, ...(best.isCertain ? [] : others)].map(({ page }) => page);
  const { isCertain } = best;
  return { pages, isCertain, hasAnchors: facts.anchorsTo(lost.wanted).length > 0 };
}

/** What a link that leads to no page means, as far as it tells; undefined where it cannot be read so. */
export function lostLink({ target, file }: BrokenLink): LostLink | Undecided {
  const { path, suffix } = splitAddress(target);
  const isRelative = path.startsWith(".");
  if (isRelative && isSnippet(file)) return { reason: "it is relative in a snippet" };
  if (/\.(?!mdx?$|html?$|markdown$|php$|aspx$|rst$)[a-z][a-z\d]{1,9}$/i.test(path))
    return { reason: "it names a file that is not there" };
  const wanted = plainAddress(joinPath(isRelative ? folderOf(file) : "", decoded(path)));
  const from = isSnippet(file) || isConfiguration(file) ? undefined : pagePath(file);
  const anchor = decoded(/#(.*)$/s.exec(suffix)?.[1] ?? "");
  return { wanted, from, anchor, words: [] };
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
  const verdict = judgeOnPage(link, facts, { anchor, text: words });
  const part =
    isRooted && "reason" in verdict ? partWith(path, anchor, anchorPage, facts) : undefined;
  if (part !== undefined) return part;
  if (isSnippet(file) && path === "") {
    return { reason: "it stands in a snippet, which pages share" };
  }
  const own = isRooted ? inOwnEdition(anchorPage, pagePath(file), facts.index) : undefined;
  if (own !== undefined && facts.hasAnchor(own, anchor) !== false) {
    return { reason: `the page ${code(`/${own}`)} of its own language or version may be meant` };
  }
  if ("found" in verdict) return { ...verdict, found: `${path}#${verdict.found}` };
  return { ...verdict, ...(verdict.lost && { lost: withAddress(verdict.lost, path) }) };
}

/** With the whole link to what is likely meant. */
function withAddress(lost: LostSection, path: string): LostSection {
  const { likely } = lost;
  return likely === undefined
    ? lost
    : { ...lost, likely: { ...likely, to: `${path}#${likely.id}` } };
}

/** The place of the link's `anchorPage` that an anchor means; without a reason where the page has just that. */
function judgeOnPage(
  link: BrokenLink,
  facts: RepairFacts,
  { anchor, text: linkText }: { readonly anchor: string; readonly text: string },
): Verdict & Pick<Undecided, "lost"> {
  const { anchorPage = "" } = link;
  const anchors = facts.anchorsOf(anchorPage);
  if (anchors === undefined) return { reason: `the page /${anchorPage} cannot be read` };
  if (hasPlace(anchors, anchor)) return { found: anchor, because: "" };
  const rewordings = facts.rewordingsOf(anchorPage);
  const wasRemoved = isTakenOff(anchor, rewordings);
  const gone = { reason: "its section was taken off the page" };
  const asked = { anchor, linkText, rewordings };
  const verdict: AnchorVerdict = wasRemoved ? gone : judgeAnchor(asked, anchors);
  if ("found" in verdict) return verdict;
  const isLikely = "likely" in verdict && verdict.likely !== undefined && !facts.hasHistory;
  const likely = isLikely ? { id: verdict.likely ?? "", to: "" } : undefined;
  const lost = { link, anchor, linkText, wasRemoved, likely };
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
  const parts = pagesBelow(anchorPage, facts.index.pages);
  if (own !== base && !isForwarded(own, facts)) return undefined;
  const named = parts.find((page) => page === `${base}/${anchor}`);
  if (named !== undefined) return { found: `/${own}/${anchor}`, because: "the page of that name" };
  const [part, ...more] = parts.filter((page) => facts.hasAnchor(page, anchor) === true);
  // One word is on many pages.
  if (part === undefined || more.length > 0 || wordsOf(anchor).length < 2) return undefined;
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

/** A page's path as the link had it: relative or from the root, with or without extension and `/index`. */
function spell(page: string, path: string, file: string): string {
  const keepsIndex = lastPart(path).startsWith("index");
  const plain = keepsIndex ? page : page.replace(/(?<=.)\/index$/, "");
  const extension = /\.mdx?$/i.exec(path)?.[0].toLowerCase() ?? "";
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
