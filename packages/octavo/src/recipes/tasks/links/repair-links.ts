import { getParentFolder } from "@octavo/site/core";
import {
  findJsonMemberText,
  isJsonString,
  setString,
  splitAddress,
  walkJson,
} from "@octavo/site/text";
import type { TextEdit } from "@octavo/site/text";
import { readConfiguration, type ConfigurationFile } from "../../configuration.ts";
import type { TaskOf } from "../../instruction/forms.ts";
import { isConfiguration, isSnippet, listFilesInScope } from "../../pages.ts";
import { callTool, type Plan, type ToolAnswer } from "../../plan.ts";
import { editFiles, listPages, toNumber, toObjects, toText } from "../../site-tools.ts";
import type { Problem } from "../../site-tools.ts";
import { getLinkText, type FoundLink, type LinkedText } from "../../text/links.ts";
import { formatLinkPath, isSameEdition, joinPath } from "../page-path.ts";
import {
  formatAmount,
  formatCode,
  formatFileList,
  formatList,
  formatScope,
  formatUnlisted,
  joinParagraphs,
  joinWords,
} from "../report-text.ts";
import {
  findAmbiguityReason,
  findSections,
  matchAnchorAddress,
  matchAnchorOnPage,
  matchMovedSection,
} from "./anchor-repair.ts";
import type { SkippedMatch } from "./anchor-repair.ts";
import { parseBrokenLinks, parseUnresolvedLink } from "./broken-links.ts";
import type { BrokenLink, LinkFacts } from "./broken-links.ts";
import { matchLink } from "./link-evidence.ts";
import { loadRepairContext, readKnownSite } from "./link-knowledge.ts";
import type { KnownSite, RepairContext } from "./link-knowledge.ts";

/** The maximum number of rounds. Each round retries the remaining links with the repaired links as evidence. */
const maxRounds = 6;
const maxPasses = 3;

/** The outcomes for links, keyed by `BrokenLink.key`, and the errors for files, keyed by path. */
interface LinkRepairs {
  readonly repaired: Map<string, RepairedLink>;
  readonly left: Map<string, SkippedLink>;
  readonly failures: Map<string, string>;
}

/** A link that was not changed, and the reason. */
interface SkippedLink {
  readonly link: BrokenLink;
  readonly reason: string;
}

interface RepairedLink extends LinkDecision {
  /** Whether the new address was itself repaired in a later round. */
  readonly isFollowed?: true;
}

/** The maximum number of addresses in a list. It is high so that readers see almost every suggestion. */
const maxAddresses = 200;

/** The codes of problems that are broken links. */
const brokenLinkCodes = ["link_broken", "redirect_broken", "anchor_broken"] as const;

/**
 * Repairs the links that can be repaired without guessing, and reports the evidence for the others. Running it again
 * changes nothing.
 */
export function* repairLinks(task: TaskOf<"fix_links">): Plan<string> {
  const listing = yield* listPages();
  const files = new Set(yield* listFilesInScope(listing, task.scope));
  const codes = task.what === "anchors" ? ["anchor_broken"] : brokenLinkCodes;
  const isMeant = ({ file }: Problem) =>
    files.has(file) || (task.scope === undefined && isConfiguration(file));
  const first = yield* checkProblems(codes);
  const work: LinkRepairs = { repaired: new Map(), left: new Map(), failures: new Map() };
  let last = first;
  let site: KnownSite | undefined;
  for (let round = 0; round < maxRounds; round++) {
    const open = parseBrokenLinks(last.problems.filter(isMeant)).filter(
      ({ key, file }) => !work.repaired.has(key) && !work.failures.has(file),
    );
    if (open.length === 0) break;
    site ??= yield* readKnownSite(listing);
    const isChanged = yield* repairAll(open, site, work);
    if (!isChanged) break;
    last = yield* checkProblems(codes);
  }
  const { missingFiles: media, unlisted } = last;
  const numberOf = ({ problems }: CheckResult) => problems.filter(isMeant).length;
  const repaired = [...work.repaired.values()];
  return joinParagraphs(
    summarizeRepairs(task, repaired, { before: numberOf(first), after: numberOf(last) }),
    formatOutcomes(
      "Fixed:",
      repaired.map(({ link, to, because }) => [link, ` → ${formatCode(to)} (${because})`]),
    ),
    formatOutcomes(
      "Left unchanged:",
      [...work.left.values()].map(({ link, reason }) => [link, `: ${reason}`]),
    ),
    formatList(
      "These files could not be changed:",
      [...work.failures].map(([path, reason]) => `${formatCode(path)}: ${reason}`),
    ),
    media > 0 ? `${formatAmount(media, "picture or other file", "pictures and other files")} that pages show ${media === 1 ? "is" : "are"} missing from the site; I cannot create them.` : "", // prettier-ignore
    unlisted > 0 ? `There are ${unlisted} more such problems than I can handle at once.` : "", // prettier-ignore
    formatUnlisted(listing),
  );
}

/** Decides how to repair each link, and edits the files. Returns whether anything was changed. */
function* repairAll(
  open: readonly BrokenLink[],
  site: KnownSite,
  work: LinkRepairs,
): Plan<boolean> {
  const configuration = yield* readConfiguration();
  const knowledge = yield* loadRepairContext(open, site, configuration);
  const decisions: Decisions = new Map();
  // The moves found in one pass help the next pass to repair addresses with two errors.
  for (let pass = 0; pass < maxPasses; pass++) {
    const rest = open.filter((link) => {
      const decided = decisions.get(link);
      // The meaning of an anchor does not depend on other links.
      return decided === undefined || (link.kind !== "anchor" && !("edits" in decided));
    });
    yield* knowledge.readFurtherFacts(rest);
    decideAll(rest, knowledge, decisions);
  }
  const lost = [...decisions].flatMap(([link, decided]) =>
    "section" in decided && decided.section ? [{ link, section: decided.section }] : [],
  );
  const sections = yield* findSections(
    lost.map(({ section }) => section),
    site.listing.files,
  );
  const facts = knowledge.getFacts();
  for (const { link, section } of lost) {
    const verdict = matchMovedSection(section, sections, facts.index);
    const place = knowledge.linked.get(link.file)?.find(link);
    decisions.set(link, "reason" in verdict ? verdict : decideRepair(link, place, verdict));
  }
  const texts = new Map([
    ...knowledge.texts,
    ...configuration.map(({ path, root }) => [path, root.source.text] as const),
  ]);
  return yield* makeEdits(decisions, texts, work);
}

type Decisions = Map<BrokenLink, LinkDecision | SkippedMatch>;

function decideAll(
  links: readonly BrokenLink[],
  knowledge: RepairContext,
  decisions: Decisions,
): void {
  const facts = knowledge.getFacts();
  for (const link of links) {
    const page = knowledge.linked.get(link.file);
    const isReadable = page !== undefined || isConfiguration(link.file);
    const decided = isReadable
      ? decideLink(link, page, facts)
      : { reason: "the file cannot be read" };
    const first = decisions.get(link);
    // Keep the first reason, because it describes the unchanged site.
    const reason = first && "reason" in first && "reason" in decided && { reason: first.reason };
    decisions.set(link, { ...decided, ...reason });
    const moved = "edits" in decided ? decided.moved : undefined;
    // An address may have a different meaning in another edition.
    if (moved && isSameEdition(...moved)) knowledge.addFormer(...moved);
  }
}

function* makeEdits(
  decisions: ReadonlyMap<BrokenLink, LinkDecision | SkippedMatch>,
  texts: ReadonlyMap<string, string>,
  work: LinkRepairs,
): Plan<boolean> {
  const edits = new Map<string, Map<number, TextEdit>>();
  for (const decided of decisions.values()) {
    if ("reason" in decided) continue;
    for (const { file, edit } of decided.edits) {
      edits.set(file, (edits.get(file) ?? new Map<number, TextEdit>()).set(edit.start, edit));
    }
  }
  const failures = yield* editFiles(
    [...edits].map(([path, own]) => ({
      path,
      text: texts.get(path) ?? "",
      edits: [...own.values()],
    })),
  );
  for (const [path, failure] of failures) work.failures.set(path, failure);
  for (const [link, decided] of decisions) {
    const isFailed = "edits" in decided && decided.edits.some(({ file }) => failures.has(file));
    if ("reason" in decided) recordSkipped(work, link, decided.reason);
    else if (isFailed) recordSkipped(work, link, "the file could not be changed");
    else recordRepair(work, decided);
  }
  return failures.size < edits.size;
}

/** Records that a link is not changed. The first reason is kept, because it describes the unchanged site. */
function recordSkipped({ left }: LinkRepairs, link: BrokenLink, reason: string): void {
  if (!left.has(link.key)) left.set(link.key, { link, reason });
}

/** Merges the repair of a page's address with a later repair of its anchor. */
function recordRepair({ repaired, left }: LinkRepairs, decision: LinkDecision): void {
  const { file, line, target, key } = decision.link;
  left.delete(key);
  const isSame = ({ link, to }: LinkDecision) =>
    link.file === file && link.line === line && link.target !== to && to === target;
  for (const [known, first] of repaired) {
    if (first.isFollowed || !isSame(first)) continue;
    const because = `${first.because}; ${decision.because}`;
    repaired.set(known, { ...decision, link: first.link, because, isFollowed: true });
    return;
  }
  repaired.set(key, decision);
}

function summarizeRepairs(
  { what, scope }: TaskOf<"fix_links">,
  repaired: readonly LinkDecision[],
  { before, after }: { readonly before: number; readonly after: number },
): string {
  const where = formatScope(scope);
  const many = what === "anchors" ? "broken anchors" : "broken links and anchors";
  if (before === 0) return `The check finds no ${many}${where}.`;
  const found = formatAmount(
    before,
    `broken ${what === "anchors" ? "anchor" : "link or anchor"}`,
    many,
  );
  if (repaired.length === 0) {
    return `The check finds ${found}${where}, none of which can be fixed without guessing.`;
  }
  const kinds = (["link", "anchor", "redirect"] as const).flatMap((kind) => {
    const number = repaired.filter(({ link }) => link.kind === kind).length;
    return number === 0 ? [] : [formatAmount(number, `broken ${kind}`)];
  });
  return `Fixed ${joinWords(kinds)}${where}. The check found ${found} before and finds ${after === 0 ? "none" : after} now.`;
}

/** Lists each address once, with its outcome and every location of the address. */
function formatOutcomes(
  heading: string,
  outcomes: readonly (readonly [link: BrokenLink, outcome: string])[],
): string {
  const groups = Map.groupBy(outcomes, ([{ target }, outcome]) => formatCode(target) + outcome);
  const items = [...groups].map(([description, own]) => {
    const places = own.map(([{ file, line }]) => (line ? `${file}:${line}` : file));
    return `${description}, in ${formatFileList([...new Set(places)])}`;
  });
  return formatList(heading, items, maxAddresses);
}

/** An edit in one file. */
interface FileEdit {
  readonly file: string;
  readonly edit: TextEdit;
}

interface LinkDecision {
  readonly link: BrokenLink;
  readonly edits: readonly FileEdit[];
  readonly to: string;
  readonly because: string;
  /** A former address, and the page that had it. */
  readonly moved?: readonly [address: string, page: string];
}

/**
 * Returns the replacement for the link, or the reason why it is not changed. `page` is the text that contains the link;
 * undefined for a link in the configuration.
 */
function decideLink(
  link: BrokenLink,
  page: LinkedText | undefined,
  facts: LinkFacts,
): LinkDecision | SkippedMatch {
  const found = page?.find(link);
  const words = page === undefined ? "" : getLinkText(page.text, found);
  if (link.kind === "anchor") {
    const verdict = matchAnchorAddress(link, facts, words);
    if ("reason" in verdict) return verdict;
    return decideRepair(link, found, verdict, facts.configuration);
  }
  return decidePath(link, found, { text: words, facts });
}

function decidePath(
  link: BrokenLink,
  place: FoundLink | undefined,
  { text, facts }: { readonly text: string; readonly facts: LinkFacts },
): LinkDecision | SkippedMatch {
  const { path, suffix } = splitAddress(link.target);
  const read = parseUnresolvedLink(link);
  if ("reason" in read) return read;
  const lost = {
    ...read,
    targetPath: resolveFromFolder(link, read.targetPath, facts) ?? read.targetPath,
  };
  const linkTexts = facts.getLinkTexts(read.targetPath);
  const verdict = matchLink({ ...lost, linkTexts }, facts);
  if ("reason" in verdict) return verdict;
  const { target: page, because } = verdict;
  const [query = ""] = suffix.split("#");
  const target = formatLinkPath(page, path, link.file) + query;
  const { anchor } = lost;
  const hasAnchor = anchor !== "" && facts.hasAnchor(page, anchor) === true;
  const elsewhere = anchor === "" || hasAnchor ? undefined : findAmbiguityReason({ link, page, address: path, anchor }, facts); // prettier-ignore
  if (elsewhere !== undefined) return { reason: elsewhere };
  const found: ReturnType<typeof matchAnchorOnPage> =
    anchor === ""
      ? { target: suffix.slice(query.length), because: "" }
      : matchAnchorOnPage(
          { link, page, ownEditionPage: undefined, address: target, anchor, linkText: text },
          facts,
        );
  if ("reason" in found) {
    const offer = `perhaps ${formatCode(target)} (${because}), except for its anchor: ${found.reason}`;
    return { ...found, reason: offer };
  }
  const whole = {
    target: anchor === "" ? target + found.target : `${target}#${found.target}`,
    because: found.because === "" ? because : `${because}; ${found.because}`,
  };
  const decided = decideRepair(link, place, whole, facts.configuration);
  return "edits" in decided ? { ...decided, moved: [lost.targetPath, page] } : decided;
}

/**
 * Resolves `guides/start`, without a leading slash or dot, against the file's folder if the folder contains such a
 * page.
 */
function resolveFromFolder(
  { target, file }: BrokenLink,
  wanted: string,
  { index }: LinkFacts,
): string | undefined {
  if (/^[/.#?]/.test(target) || isConfiguration(file) || isSnippet(file)) return undefined;
  const beside = joinPath(getParentFolder(file), wanted);
  const [first = "", ...rest] = wanted.split("/");
  const isBeside = rest.length > 0 && index.hasFolder(joinPath(getParentFolder(file), first));
  return isBeside || index.findAlike(beside).length > 0 ? beside : undefined;
}

function decideRepair(
  link: BrokenLink,
  place: FoundLink | undefined,
  { target: to, because }: { readonly target: string; readonly because: string },
  configuration: readonly ConfigurationFile[] = [],
): LinkDecision | SkippedMatch {
  if (to === link.target) return { reason: "it is already correct" };
  const edits = isConfiguration(link.file)
    ? listConfigurationEdits(link, to, configuration)
    : place && [
        {
          file: link.file,
          edit: { start: place.address, end: place.address + link.target.length, text: to },
        },
      ];
  if (edits === undefined || edits.length === 0)
    return { reason: "its position in the file was not found" };
  return { link, edits, to, because };
}

/**
 * Edits every link to the address, and the redirect from the source, because a problem in the configuration has no
 * position.
 */
function listConfigurationEdits(
  { kind, target, source }: BrokenLink,
  found: string,
  files: readonly ConfigurationFile[],
): FileEdit[] {
  return files.flatMap(({ path, root }) =>
    [...walkJson(root)].flatMap(({ key, node, within }): FileEdit[] => {
      if (!isJsonString(node) || node.value !== target) return [];
      const isMeant =
        kind === "redirect"
          ? key === "destination" && findJsonMemberText(within.at(-1), "source") === source
          : key === "href";
      return isMeant ? [{ file: path, edit: setString(node, found) }] : [];
    }),
  );
}

interface CheckResult {
  readonly problems: readonly Problem[];
  /** The number of problems with these codes that were not listed. */
  readonly unlisted: number;
  /** The number of missing pictures and other files in the whole site. */
  readonly missingFiles: number;
}

/** The maximum number of problems that are read. One answer contains about 200. */
const maxProblems = 2_000;

/** Returns the problems with the given codes, errors first. */
function* checkProblems(codes: readonly string[]): Plan<CheckResult> {
  const problems: Problem[] = [];
  for (;;) {
    const skip = problems.length;
    const answer = yield* callTool("check", skip === 0 ? { codes } : { codes, skip });
    const listed = toObjects(answer.problems).map(toProblem);
    problems.push(...listed);
    const unlisted = Math.max(0, toNumber(answer.total) - problems.length);
    if (unlisted > 0 && listed.length > 0 && problems.length < maxProblems) continue;
    const [counts] = toObjects([answer.counts]);
    return { problems, unlisted, missingFiles: toNumber(counts?.media_missing) };
  }
}

function toProblem({ code, message, file, line, column }: ToolAnswer): Problem {
  return {
    code: toText(code),
    message: toText(message),
    file: toText(file),
    ...(typeof line === "number" ? { line } : {}),
    ...(typeof column === "number" ? { column } : {}),
  };
}
