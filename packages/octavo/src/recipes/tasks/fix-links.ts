import { readConfiguration, redirectsOf } from "../configuration.ts";
import type { TaskOf } from "../instruction/task.ts";
import { filesInScope, isSnippet, pagePath } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { check, editFiles, listPages, readFiles } from "../site-tools.ts";
import type { CheckResult, Listing, Problem } from "../site-tools.ts";
import { createLinkedText } from "../text/link-places.ts";
import type { TextEdit } from "@octavo/site/text";
import { brokenLinkCodes, brokenLinksOf } from "./broken-links.ts";
import type { BrokenLink } from "./broken-links.ts";
import { anchorPages, decide, decideSection, isConfiguration } from "./link-repair.ts";
import type { Decision, Undecided } from "./link-repair.ts";
import { findSections } from "./moved-section.ts";
import type { Recipe } from "./recipe.ts";
import { code, count, inWords, tellFailures, tellList, tellParts, tellUnseen } from "./telling.ts";

export const fixLinks: Recipe<TaskOf<"fix_links">> = { kind: "fix_links", run };

/** A mended link may name a heading that is not there: what the next check shows is mended too. */
const maxRounds = 5;

function* run(task: TaskOf<"fix_links">): Plan<string> {
  const listing = yield* listPages();
  const files = new Set(filesInScope(listing, task.scope));
  const codes = task.what === "anchors" ? ["anchor_broken"] : brokenLinkCodes;
  const isMeant = ({ file }: Problem) =>
    files.has(file) || (task.scope === undefined && isConfiguration(file));
  const first = yield* check(codes);
  const work: Work = { mended: new Map(), left: new Map(), failures: new Map() };
  let last = first;
  for (let round = 0; round < maxRounds; round++) {
    const open = brokenLinksOf(last.problems.filter(isMeant)).filter(
      ({ key }) => !work.mended.has(key) && !work.left.has(key),
    );
    if (open.length === 0) break;
    const isChanged = yield* mendAll(open, listing, work);
    if (!isChanged) break;
    last = yield* check(codes);
  }
  return tell({ task, listing, first, last, isMeant, work });
}

interface Work {
  readonly mended: Map<string, Mended>;
  /** Why, with the place. */
  readonly left: Map<string, string>;
  readonly failures: Map<string, string>;
}

interface Mended extends Decision {
  /** The address that it was given first was mended again. */
  readonly isFollowed?: true;
}

/** Decides each link and edits the files; gives back whether anything was changed. */
function* mendAll(open: readonly BrokenLink[], listing: Listing, work: Work): Plan<boolean> {
  const pages = new Map(listing.files.map((file) => [pagePath(file), file]));
  const configuration = yield* readConfiguration();
  const facts = { pages: pagePaths(listing), redirects: redirectsOf(configuration), configuration };
  const wanted = open.flatMap((link) => [
    ...(isConfiguration(link.file) ? [] : [link.file]),
    ...anchorPages(link, facts.pages).flatMap((path) => pages.get(path) ?? []),
  ]);
  const texts = yield* readFiles(wanted);
  const linked = new Map([...texts].map(([path, text]) => [path, createLinkedText(text)]));
  const textOf = (path: string) => texts.get(pages.get(path) ?? "");
  const decisions = new Map<BrokenLink, Decision | Undecided>();
  for (const link of open) {
    const page = linked.get(link.file);
    const isReadable = page !== undefined || isConfiguration(link.file);
    const decided = isReadable && decide(link, page, { ...facts, textOf });
    decisions.set(link, decided || { reason: "the file cannot be read" });
  }
  const lost = [...decisions.values()].flatMap((decided) =>
    "lost" in decided && decided.lost ? [decided.lost] : [],
  );
  const sections = yield* findSections(lost, listing.files);
  for (const section of lost) {
    const { link } = section;
    decisions.set(link, decideSection(section, linked.get(link.file), sections));
  }
  const textsOfAll = new Map([
    ...texts,
    ...configuration.map(({ path, root }) => [path, root.source.text] as const),
  ]);
  return yield* makeEdits(decisions, textsOfAll, work);
}

function* makeEdits(
  decisions: ReadonlyMap<BrokenLink, Decision | Undecided>,
  texts: ReadonlyMap<string, string>,
  work: Work,
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
    if ("reason" in decided) work.left.set(link.key, leftLine(link, decided.reason));
    else if (isFailed) work.left.set(link.key, leftLine(link, "the file could not be changed"));
    else keepMended(work, decided);
  }
  return failures.size < edits.size;
}

/** Where a page was mended first and then the place on it, that is one link. */
function keepMended({ mended }: Work, decision: Decision): void {
  const { file, line, target, key } = decision.link;
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

function pagePaths({ files }: Listing): string[] {
  return files.filter((file) => !isSnippet(file)).map(pagePath);
}

interface Story {
  readonly task: TaskOf<"fix_links">;
  readonly listing: Listing;
  readonly first: CheckResult;
  readonly last: CheckResult;
  readonly isMeant: (problem: Problem) => boolean;
  readonly work: Work;
}

function tell({ task, listing, first, last, isMeant, work }: Story): string {
  const media = last.counts.get("media_missing") ?? 0;
  const numberOf = ({ problems }: CheckResult) => problems.filter(isMeant).length;
  const mended = [...work.mended.values()];
  return tellParts(
    head(task, mended, { before: numberOf(first), after: numberOf(last) }),
    tellList("Mended:", distinct(mended.map(mendedLine))),
    tellList("Left as they are:", distinct([...work.left.values()])),
    tellFailures(work.failures),
    media > 0 ? `${count(media, "picture or other file", "pictures and other files")} that pages show ${media === 1 ? "is" : "are"} not in the site; I cannot make them.` : "", // prettier-ignore
    last.unlisted > 0 ? `There are ${last.unlisted} more such problems than I look at in one go.` : "", // prettier-ignore
    tellUnseen(listing),
  );
}

const plurals = { link: "links", anchor: "anchors", redirect: "redirects" } as const;

function head(
  { what, scope }: TaskOf<"fix_links">,
  mended: readonly Decision[],
  { before, after }: { readonly before: number; readonly after: number },
): string {
  const where = scope === undefined ? "" : ` in ${code(scope.name)}`;
  const many = what === "anchors" ? "broken anchors" : "broken links and anchors";
  if (before === 0) return `The check finds no ${many}${where}.`;
  const found = count(before, `broken ${what === "anchors" ? "anchor" : "link or anchor"}`, many);
  if (mended.length === 0) {
    return `The check finds ${found}${where}, of which none can be mended without guessing.`;
  }
  const kinds = (["link", "anchor", "redirect"] as const).flatMap((kind) => {
    const number = mended.filter(({ link }) => link.kind === kind).length;
    return number === 0 ? [] : [count(number, `broken ${kind}`, `broken ${plurals[kind]}`)];
  });
  return `Mended ${inWords(kinds)}${where}. The check found ${found} before and finds ${after === 0 ? "none" : after} now.`;
}

function mendedLine({ link, to, because }: Decision): string {
  return `${place(link)}: ${code(link.target)} → ${code(to)} (${because})`;
}

function leftLine(link: BrokenLink, reason: string): string {
  return `${place(link)} ${code(link.target)}: ${reason}`;
}

function place({ file, line }: BrokenLink): string {
  return code(line === undefined ? file : `${file}:${line}`);
}

function distinct(lines: readonly string[]): string[] {
  return [...new Set(lines)];
}
