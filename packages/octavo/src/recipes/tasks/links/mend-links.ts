import type { TextEdit } from "@octavo/site/text";
import { readConfiguration } from "../../configuration.ts";
import type { TaskOf } from "../../instruction/task.ts";
import { filesInScope, isConfiguration } from "../../pages.ts";
import type { Plan } from "../../plan.ts";
import { check, editFiles, listPages } from "../../site-tools.ts";
import type { CheckResult, Listing, Problem } from "../../site-tools.ts";
import { brokenLinkCodes, brokenLinksOf } from "./broken-links.ts";
import type { BrokenLink } from "./broken-links.ts";
import { sameEdition } from "./edition.ts";
import { openKnowledge, readSite } from "./link-knowledge.ts";
import type { KnownSite, LinkKnowledge } from "./link-knowledge.ts";
import type { Undecided } from "./anchor-repair.ts";
import { decide, decideSection } from "./link-repair.ts";
import type { Decision } from "./link-repair.ts";
import { findSections } from "./moved-section.ts";
import type { Recipe } from "../recipe.ts";
import {
  code,
  count,
  inWords,
  tellFailures,
  tellFiles,
  tellList,
  tellParts,
  tellScope,
  tellUnseen,
} from "../telling.ts";

/** Repaired links are evidence for the remaining ones, which are then tried again. */
const maxRounds = 6;
const maxPasses = 3;

export const fixLinks: Recipe<TaskOf<"fix_links">> = { kind: "fix_links", run: mendLinks };

/** The outcome for each link, by its key. */
interface LinkWork {
  readonly mended: Map<string, MendedLink>;
  readonly left: Map<string, LeftLink>;
  readonly failures: Map<string, string>;
}

/** A link that was not changed, and why. */
interface LeftLink {
  readonly link: BrokenLink;
  readonly reason: string;
}

interface MendedLink extends Decision {
  /** The new address was itself repaired afterwards. */
  readonly isFollowed?: true;
}

interface LinkStory {
  readonly task: TaskOf<"fix_links">;
  readonly listing: Listing;
  readonly first: CheckResult;
  readonly last: CheckResult;
  readonly isMeant: (problem: Problem) => boolean;
  readonly work: LinkWork;
}

/** A high limit, because readers need to see every suggestion. */
const maxAddresses = 200;

const plurals = { link: "links", anchor: "anchors", redirect: "redirects" } as const;

/**
 * Repairs the links that can be repaired without guessing, and reports the evidence for the rest. Running it again
 * changes nothing.
 */
function* mendLinks(task: TaskOf<"fix_links">): Plan<string> {
  const listing = yield* listPages();
  const files = new Set(filesInScope(listing, task.scope));
  const codes = task.what === "anchors" ? ["anchor_broken"] : brokenLinkCodes;
  const isMeant = ({ file }: Problem) =>
    files.has(file) || (task.scope === undefined && isConfiguration(file));
  const first = yield* check(codes);
  const work: LinkWork = { mended: new Map(), left: new Map(), failures: new Map() };
  let last = first;
  let site: KnownSite | undefined;
  for (let round = 0; round < maxRounds; round++) {
    const open = brokenLinksOf(last.problems.filter(isMeant)).filter(
      ({ key, file }) => !work.mended.has(key) && !work.failures.has(file),
    );
    if (open.length === 0) break;
    site ??= yield* readSite(listing);
    const isChanged = yield* mendAll(open, site, work);
    if (!isChanged) break;
    last = yield* check(codes);
  }
  return tellLinks({ task, listing, first, last, isMeant, work });
}

/** Decides about each link and edits the files. Returns whether anything was changed. */
function* mendAll(open: readonly BrokenLink[], site: KnownSite, work: LinkWork): Plan<boolean> {
  const configuration = yield* readConfiguration();
  const knowledge = yield* openKnowledge(open, site, configuration);
  const decisions: Decisions = new Map();
  // Known moves help to interpret addresses that are also wrong in another way.
  for (let pass = 0; pass < maxPasses; pass++) {
    const rest = open.filter((link) => isOpen(link, decisions));
    yield* knowledge.learn(rest);
    decideAll(rest, knowledge, decisions);
  }
  const lost = [...decisions].flatMap(([link, decided]) =>
    "lost" in decided && decided.lost ? [{ link, section: decided.lost }] : [],
  );
  const sections = yield* findSections(
    lost.map(({ section }) => section),
    site.listing.files,
  );
  const facts = knowledge.facts();
  for (const { link, section } of lost) {
    const page = knowledge.linked.get(link.file);
    decisions.set(link, decideSection(section, page, sections, facts));
  }
  const texts = new Map([
    ...knowledge.texts,
    ...configuration.map(({ path, root }) => [path, root.source.text] as const),
  ]);
  return yield* makeEdits(decisions, texts, work);
}

type Decisions = Map<BrokenLink, Decision | Undecided>;

/** Reports whether a link still has to be decided. What an anchor means does not depend on other links. */
function isOpen(link: BrokenLink, decisions: Decisions): boolean {
  const decided = decisions.get(link);
  return decided === undefined || (link.kind !== "anchor" && !("edits" in decided));
}

function decideAll(
  links: readonly BrokenLink[],
  knowledge: LinkKnowledge,
  decisions: Decisions,
): void {
  const facts = knowledge.facts();
  for (const link of links) {
    const page = knowledge.linked.get(link.file);
    const isReadable = page !== undefined || isConfiguration(link.file);
    const decided = isReadable ? decide(link, page, facts) : { reason: "the file cannot be read" };
    const first = decisions.get(link);
    // The first reason describes the unchanged site.
    const reason = first && "reason" in first && "reason" in decided && { reason: first.reason };
    decisions.set(link, { ...decided, ...reason });
    const moved = "edits" in decided ? decided.moved : undefined;
    // An address may mean something else in another edition.
    if (moved && sameEdition(...moved)) knowledge.addFormer(...moved);
  }
}

function* makeEdits(
  decisions: ReadonlyMap<BrokenLink, Decision | Undecided>,
  texts: ReadonlyMap<string, string>,
  work: LinkWork,
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
    if ("reason" in decided) leave(work, link, decided.reason);
    else if (isFailed) leave(work, link, "the file could not be changed");
    else keepMended(work, decided);
  }
  return failures.size < edits.size;
}

/** The first reason describes the unchanged site. */
function leave({ left }: LinkWork, link: BrokenLink, reason: string): void {
  if (!left.has(link.key)) left.set(link.key, { link, reason });
}

/** Merges the repair of a page's address with a later repair of its anchor. */
function keepMended({ mended, left }: LinkWork, decision: Decision): void {
  const { file, line, target, key } = decision.link;
  left.delete(key);
  const isSame = ({ link, to }: Decision) =>
    link.file === file && link.line === line && link.target !== to && to === target;
  for (const [known, first] of mended) {
    if (first.isFollowed || !isSame(first)) continue;
    const because = `${first.because}; ${decision.because}`;
    mended.set(known, { ...decision, link: first.link, because, isFollowed: true });
    return;
  }
  mended.set(key, decision);
}

/** Formats the report in Markdown. */
function tellLinks({ task, listing, first, last, isMeant, work }: LinkStory): string {
  const media = last.counts.get("media_missing") ?? 0;
  const numberOf = ({ problems }: CheckResult) => problems.filter(isMeant).length;
  const mended = [...work.mended.values()];
  return tellParts(
    head(task, mended, { before: numberOf(first), after: numberOf(last) }),
    tellList(
      "Fixed:",
      grouped(mended.map((own) => ({ ...own, told: tellMended(own) }))),
      maxAddresses,
    ),
    tellList(
      "Left unchanged:",
      grouped([...work.left.values()].map((own) => ({ ...own, told: tellLeft(own) }))),
      maxAddresses,
    ),
    tellFailures(work.failures),
    media > 0 ? `${count(media, "picture or other file", "pictures and other files")} that pages show ${media === 1 ? "is" : "are"} missing from the site; I cannot create them.` : "", // prettier-ignore
    last.unlisted > 0 ? `There are ${last.unlisted} more such problems than I can handle at once.` : "", // prettier-ignore
    tellUnseen(listing),
  );
}

function head(
  { what, scope }: TaskOf<"fix_links">,
  mended: readonly Decision[],
  { before, after }: { readonly before: number; readonly after: number },
): string {
  const where = tellScope(scope);
  const many = what === "anchors" ? "broken anchors" : "broken links and anchors";
  if (before === 0) return `The check finds no ${many}${where}.`;
  const found = count(before, `broken ${what === "anchors" ? "anchor" : "link or anchor"}`, many);
  if (mended.length === 0) {
    return `The check finds ${found}${where}, none of which can be fixed without guessing.`;
  }
  const kinds = (["link", "anchor", "redirect"] as const).flatMap((kind) => {
    const number = mended.filter(({ link }) => link.kind === kind).length;
    return number === 0 ? [] : [count(number, `broken ${kind}`, `broken ${plurals[kind]}`)];
  });
  return `Fixed ${inWords(kinds)}${where}. The check found ${found} before and finds ${after === 0 ? "none" : after} now.`;
}

/** Lists each address once, with its outcome and every location that names it. */
function grouped(items: readonly { readonly link: BrokenLink; readonly told: string }[]): string[] {
  return [...Map.groupBy(items, ({ told }) => told)].map(
    ([told, own]) => `${told}, in ${tellFiles([...new Set(own.map(({ link }) => place(link)))])}`,
  );
}

function tellMended({ link, to, because }: MendedLink): string {
  return `${code(link.target)} → ${code(to)} (${because})`;
}

function tellLeft({ link, reason }: LeftLink): string {
  return `${code(link.target)}: ${reason}`;
}

function place({ file, line }: BrokenLink): string {
  return line === undefined ? file : `${file}:${line}`;
}
