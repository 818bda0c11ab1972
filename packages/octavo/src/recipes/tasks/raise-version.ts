import type { TaskOf } from "../instruction/task.ts";
import { filesInScope } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { refused } from "../refused.ts";
import { editAll, findFiles, listPages, readFiles } from "../site-tools.ts";
import type { FileEdits } from "../site-tools.ts";
import { LineIndex } from "@octavo/site/text";
import type { TextEdit } from "@octavo/site/text";
import { escapePattern } from "../text/escape-pattern.ts";
import { pageSpans } from "../text/page-spans.ts";
import { tellLeft } from "./left-places.ts";
import type { LeftPlaces } from "./left-places.ts";
import { reasonToLeave } from "./page-kinds.ts";
import type { Recipe } from "./recipe.ts";
import { code, count, tellList, tellParts, tellUnseen } from "./telling.ts";

type Raising = TaskOf<"raise_version">;

export const raiseVersion: Recipe<Raising> = { kind: "raise_version", run };

/** Three numbers at least; `2.0` is also the version of other things, and a date is a date. */
const wholeVersion = /^v?\d+\.\d+\.\d+[\w.+-]*$/;

function* run(task: Raising): Plan<string> {
  for (const version of [task.from, task.to])
    if (!wholeVersion.test(version)) throw notWhole(task, version);
  const [from, to] = [task.from, task.to].map((version) => version.replace(/^v/, ""));
  const listing = yield* listPages();
  const query = { query: escapePattern(from ?? ""), isRegex: true };
  const texts = yield* readFiles(yield* findFiles([query], filesInScope(listing, task.scope)));
  const left: LeftPlaces[] = [];
  const files: FileEdits[] = [];
  for (const [path, text] of texts) {
    const found = versionsIn(text, from ?? "", to ?? "");
    const reason = reasonToLeave(path, text, task.scope);
    if (reason !== undefined && found.edits.length > 0) left.push({ path, reason });
    if (reason !== undefined) continue;
    if (found.edits.length > 0) files.push({ path, text, edits: found.edits });
    left.push(...found.left.map((place) => ({ path, ...place })));
  }
  yield* editAll(files, listing);
  const where = task.scope === undefined ? "" : ` in ${code(task.scope.name)}`;
  const places = files.reduce((sum, { edits }) => sum + edits.length, 0);
  return tellParts(
    places === 0
      ? `No version was replaced: ${code(task.from)} stands nowhere${where} as the present version.`
      : `Replaced the version ${code(task.from)} with ${code(task.to)}${where}: ${count(places, "place")} in ${count(files.length, "file")}.`,
    tellList(
      "Changed:",
      files.map(({ path, edits }) => `${code(path)}: ${count(edits.length, "place")}`),
    ),
    tellLeft(left),
    tellUnseen(listing),
  );
}

function notWhole({ from, to }: Raising, version: string) {
  const send = [`Rename the term "version ${from}" to "version ${to}" also in code`];
  return refused(`“${version}” has not three numbers, so that other things may have it too`, {
    send,
  });
}

/** On a line that says so, a version is a fact of the past or a bound, and not the present one. */
const history =
  /\b(?:since|added|introduced|new in|as of|starting (?:with|in|from)|until|prior|before|after|earlier|later|older|newer|deprecated|removed|changed|fixed|released|legacy|previous(?:ly)?|upgrad\w*|migrat\w*|between|at least|minimum|requires?|or (?:higher|above|newer)|changelog|release notes|breaking|gte?|lte?|min\w*|max\w*)\b|VersionBadge/i;

function versionsIn(text: string, from: string, to: string) {
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}_.+-]|\d)v?${escapePattern(from)}(?![\p{L}\p{N}_+-]|\.\d)`, "gu"); // prettier-ignore
  const edits: TextEdit[] = [];
  const left: { line: number; reason: string }[] = [];
  const lines = new LineIndex(text);
  const spans = pageSpans(text);
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const line = lines.lineAt(index);
    const start = index + (found.startsWith("v") ? 1 : 0);
    const reason = reasonAt({ text, start, end: start + from.length, line: text.slice(lines.startOf(line), lines.startOf(line + 1)) }, spans); // prettier-ignore
    if (reason === undefined) edits.push({ start, end: start + from.length, text: to });
    else left.push({ line: line + 1, reason });
  }
  return { edits, left };
}

interface Place {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly line: string;
}

function reasonAt(
  { text, start, end, line }: Place,
  spans: ReturnType<typeof pageSpans>,
): string | undefined {
  const span = spans.find((own) => own.start <= start && end <= own.end);
  if (span === undefined) return "in an address or a property";
  const before = text.slice(Math.max(0, start - 6), start);
  if (/[<>!]=?\s*["']?v?$/.test(before)) return "a bound of versions";
  const isPast = history.test(line) || (span.kind !== "code" && /\bfrom\b/i.test(line));
  return isPast ? "a line about what was, or about several versions" : undefined;
}
