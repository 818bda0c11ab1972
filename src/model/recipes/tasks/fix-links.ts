import { readConfiguration, redirectsOf } from "../configuration.ts";
import type { ConfigurationFile } from "../configuration.ts";
import { article, clausePattern, everyArticle, takeScope } from "../instruction/words.ts";
import type { TaskOf } from "../instruction/task.ts";
import { filesInScope, pagePath } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { check, editFiles, listPages, readFiles } from "../site-tools.ts";
import type { CheckResult, FileEdits, Listing, Problem } from "../site-tools.ts";
import { applyEdits } from "../text/replacements.ts";
import type { TextEdit } from "../text/replacements.ts";
import { anchorPages, brokenLinkOf, decide, isConfiguration } from "./link-repair.ts";
import type { BrokenLink, Decision } from "./link-repair.ts";
import type { Recipe } from "./recipe.ts";
import { code, count, tellFailures, tellList, tellParts, tellUnseen } from "./telling.ts";

const links = "(?:(?:hyper)?links?|urls?|cross[- ]?references?|references)";
const anchors = "(?:anchors?|anchor links?|heading links?|fragments?)";
const wrong = "(?:broken|dead|bad|invalid|wrong|stale|rotten|incorrect)";
const mend = "(?:fix|repair|mend|correct|resolve|clean(?: up)?|update)(?: up)?";
const patterns: readonly (readonly ["links" | "anchors", RegExp])[] = [
  ["anchors", clausePattern(mend, " ", everyArticle, wrong, " (?:internal )?", anchors)],
  [
    "anchors",
    clausePattern(
      mend,
      " ",
      everyArticle,
      anchors,
      " (?:that|which) (?:are|do(?:n't| not) work).*",
    ),
  ],
  [
    "links",
    clausePattern(
      mend,
      ` ${everyArticle}${wrong} (?:internal |page )?${links}(?:(?:,| and| or|/) ?${article}(?:${wrong} )?${anchors})?`,
    ),
  ],
  [
    "links",
    clausePattern(
      mend,
      ` ${everyArticle}${wrong} ${anchors}(?:,| and| or|/) ?${article}(?:${wrong} )?${links}`,
    ),
  ],
  [
    "links",
    clausePattern(
      mend,
      ` ${everyArticle}(?:internal )?${links}(?: and ${anchors})?(?: (?:that|which) (?:(?:are|is) (?:broken|dead|wrong)|(?:do|does)(?:n't|n’t| not) work|lead nowhere|go nowhere))?`,
    ),
  ],
  [
    "links",
    clausePattern(mend, ` ${everyArticle}(?:link ?rot|404s?|(?:404 |broken[- ]link )errors?)`),
  ],
];

export const fixLinks: Recipe<TaskOf<"fix_links">> = {
  kind: "fix_links",
  ability: "fix broken links and anchors",
  parse(whole) {
    const { clause, scope } = takeScope(whole);
    const found = patterns.find(([, pattern]) => pattern.test(clause.text));
    return found && [{ kind: "fix_links", what: found[0], ...(scope ? { scope } : {}) }];
  },
  run,
};

/**
 * A mended link may name a heading that is not there, and the check lists only some 200 problems: what the next
 * one shows is mended too.
 */
const mostRounds = 5;

function* run(task: TaskOf<"fix_links">): Plan<string> {
  const listing = yield* listPages();
  const files = new Set(filesInScope(listing, task.scope));
  const isMeant = (problem: Problem) =>
    (files.has(problem.file) || (task.scope === undefined && !/\.mdx?$/.test(problem.file))) &&
    (problem.code === "anchor_broken" || (problem.code === "link_broken" && task.what === "links"));
  const first = yield* check();
  const work: Work = { mended: new Map(), left: new Map(), failures: new Map() };
  let last = first;
  for (let round = 0; round < mostRounds; round++) {
    const open = last.problems
      .filter(isMeant)
      .flatMap(brokenLinkOf)
      .filter(({ key }) => !work.mended.has(key) && !work.left.has(key));
    if (open.length === 0) break;
    const isChanged = yield* mendAll(open, listing, work);
    if (!isChanged) break;
    last = yield* check();
  }
  return tell({ task, listing, first, last, isMeant, work });
}

interface Work {
  readonly mended: Map<string, string>;
  readonly left: Map<string, string>;
  readonly failures: Map<string, string>;
}

/** Decides each link and edits the files; gives back whether anything was changed. */
function* mendAll(open: readonly BrokenLink[], listing: Listing, work: Work): Plan<boolean> {
  const pages = new Map(listing.files.map((file) => [pagePath(file), file]));
  const configuration = yield* readConfiguration();
  const facts = { pages: pagePaths(listing), redirects: redirectsOf(configuration) };
  const wanted = open.flatMap((link) => [
    ...(isConfiguration(link.file) ? [] : [link.file]),
    ...anchorPages(link, facts.pages).flatMap((path) => pages.get(path) ?? []),
  ]);
  const texts = yield* readFiles(wanted);
  const textOf = (path: string) => texts.get(pages.get(path) ?? "");
  const edits = new Map<string, { text: string; edits: TextEdit[]; decisions: Decision[] }>();
  for (const link of open) {
    const text = texts.get(link.file) ?? textOfConfiguration(configuration, link.file);
    if (text === undefined) {
      work.left.set(link.key, `${place(link)}: the file cannot be read`);
      continue;
    }
    const decision = decide(link, text, { ...facts, textOf });
    if ("reason" in decision) {
      work.left.set(link.key, `${place(link)} ${code(link.target)}: ${decision.reason}`);
      continue;
    }
    const entry = edits.get(link.file) ?? { text, edits: [], decisions: [] };
    entry.edits.push(...decision.edits);
    entry.decisions.push(decision);
    edits.set(link.file, entry);
  }
  return yield* makeEdits(edits, work);
}

function* makeEdits(
  files: ReadonlyMap<string, { text: string; edits: TextEdit[]; decisions: Decision[] }>,
  work: Work,
): Plan<boolean> {
  const changes = [...files].map(([path, entry]): FileEdits => {
    const edits = [...new Map(entry.edits.map((edit) => [edit.start, edit])).values()];
    return { path, text: entry.text, edits };
  });
  const failures = yield* editFiles(
    changes.filter(({ text, edits }) => applyEdits(text, edits) !== text),
  );
  for (const [path, { decisions }] of files) {
    const failure = failures.get(path);
    for (const { link, to, because } of decisions) {
      const told = `${place(link)}: ${code(link.target)} → ${code(to)} (${because})`;
      if (failure === undefined) work.mended.set(link.key, told);
      else
        work.left.set(
          link.key,
          `${place(link)} ${code(link.target)}: the file could not be changed`,
        );
    }
    if (failure !== undefined) work.failures.set(path, failure);
  }
  return failures.size < files.size;
}

function pagePaths({ files }: Listing): string[] {
  return files.filter((file) => !/(?:^|\/)_?snippets\//.test(file)).map(pagePath);
}

function textOfConfiguration(
  files: readonly ConfigurationFile[],
  path: string,
): string | undefined {
  return files.find((file) => file.path === path)?.text;
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
  const [before, after] = [first, last].map(({ problems }) => problems.filter(isMeant).length);
  const what = task.what === "anchors" ? "broken anchor" : "broken link or anchor";
  const many = task.what === "anchors" ? "broken anchors" : "broken links and anchors";
  const where = task.scope === undefined ? "" : ` in ${code(task.scope.name)}`;
  const head =
    before === 0
      ? `The check finds no ${many}${where}.`
      : `Mended ${count(work.mended.size, what, many)}${where}: the check lists ${before} before and ${after} now.`;
  const media = last.problems.filter(({ code: kind }) => kind === "media_missing").length;
  return tellParts(
    head,
    tellList("Mended:", [...work.mended.values()]),
    tellList("Left as they are:", [...work.left.values()]),
    tellFailures(work.failures),
    media > 0 ? `${count(media, "file")} that pages show (pictures and the like) are missing; I cannot make them.` : "", // prettier-ignore
    last.unlisted > 0 ? `The check found ${last.unlisted} more problems than it lists, which I could not look at.` : "", // prettier-ignore
    tellUnseen(listing),
  );
}

function place({ file, line }: BrokenLink): string {
  return line === undefined ? `\`${file}\`` : `\`${file}:${line}\``;
}
