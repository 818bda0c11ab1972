import { foldLettersAndDigits } from "@octavo/site/core";
import { findJsonMemberText, LineIndex, type TextEdit } from "@octavo/site/text";
import { readConfiguration } from "../configuration.ts";
import type { TaskOf } from "../instruction/forms.ts";
import { createRefusedError } from "../instruction/refusal.ts";
import { escapePattern, quote } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { editAll, findFiles, listPages, readFiles, type FileEdits } from "../site-tools.ts";
import { listPageSpans } from "../text/page-spans.ts";
import {
  formatAmount,
  formatChanges,
  formatCode,
  formatScope,
  formatSkipped,
  formatUnlisted,
  joinParagraphs,
  joinWords,
} from "./report-text.ts";
import type { SkippedLine } from "./report-text.ts";
import { findSkipReason, listFilesInScope } from "./scope-files.ts";

type Raising = TaskOf<"raise_version">;

/** A version with at least three numbers. Other things may also have the version `2.0`, and a date is not a version. */
const wholeVersion = /^v?\d+\.\d+\.\d+[\w.+-]*$/;

export function* raiseVersion(task: Raising): Plan<string> {
  for (const version of [task.from, task.to])
    if (!wholeVersion.test(version))
      throw createRefusedError(
        `“${version}” does not have three numbers, so it may also be the version of something else`,
      );
  const [from, to] = [task.from.replace(/^v/, ""), task.to.replace(/^v/, "")];
  const listing = yield* listPages();
  const query = { query: escapePattern(from), isRegex: true };
  const texts = yield* readFiles(
    yield* findFiles([query], yield* listFilesInScope(listing, task.scope)),
  );
  yield* expectOwnProduct(task, currentTexts(task, texts));
  const left: SkippedLine[] = [];
  const files: FileEdits[] = [];
  for (const [path, text] of texts) {
    const found = versionsIn(text, { ...task, from, to });
    const reason = findSkipReason(path, text, task.scope);
    if (reason !== undefined && found.edits.length > 0) left.push({ path, reason });
    if (reason !== undefined) continue;
    if (found.edits.length > 0) files.push({ path, text, edits: found.edits });
    left.push(...found.left.map((place) => ({ path, ...place })));
  }
  yield* editAll(files, listing);
  const where = formatScope(task.scope);
  const places = files.reduce((sum, { edits }) => sum + edits.length, 0);
  return joinParagraphs(
    places === 0
      ? `No version was replaced: ${formatCode(task.from)} does not occur${where} as the current version.`
      : `Replaced the version ${formatCode(task.from)} with ${formatCode(task.to)}${where}: ${formatAmount(places, "place")} in ${formatAmount(files.length, "file")}.`,
    formatChanges(files),
    formatSkipped(left),
    formatUnlisted(listing),
  );
}

/** Returns the texts that describe the current state. */
function currentTexts({ scope }: Raising, texts: ReadonlyMap<string, string>): string[] {
  return [...texts].flatMap(([path, text]) => (findSkipReason(path, text, scope) === undefined ? [text] : [])); // prettier-ignore
}

/** Throws if other products have the same version, in which case the instruction must name a product. */
function* expectOwnProduct(task: Raising, texts: readonly string[]): Plan<void> {
  if (task.product !== undefined) return;
  const pattern = versionPattern(task.from);
  const products = new Set(
    texts.flatMap((text) => [...text.matchAll(pattern)].flatMap(({ index }) => productAt(text, index) ?? [])), // prettier-ignore
  );
  const [main] = yield* readConfiguration();
  const site = foldLettersAndDigits(
    main === undefined ? "" : (findJsonMemberText(main.root, "name") ?? ""),
  );
  const others = [...products].filter((product) => !site.includes(foldLettersAndDigits(product)));
  if (others.length === 0) return;
  const reason = `${joinWords(others.map(quote))} also ${others.length === 1 ? "has" : "have"} this version`;
  throw createRefusedError(reason, { slot: "product", choices: [...products] });
}

/**
 * Returns the product that a version belongs to: `kiln` for `kiln@1.2.3`, `"@acme/kiln-cli": "^1.2.3"` and
 * `kiln[cli]==1.2.3`. Undefined if no product is named.
 */
function productAt(text: string, at: number): string | undefined {
  const before = text.slice(Math.max(0, at - 80), at);
  const name = /([A-Za-z][\w.-]*)(?:\[[\w,-]+\])?["'`]?[ \t]*[@:=]+[ \t]*["'`~^]*$/.exec(
    before,
  )?.[1];
  if (name === undefined || /version|^(?:tag|rev|ref|v|release)$/i.test(name)) return undefined;
  return name.toLowerCase().split(/[-_.]/)[0];
}

/** Words that mark a version on the same line as a past fact or a bound instead of the current version. */
const history =
  /\b(?:since|added|introduced|new in|as of|starting (?:with|in|from)|until|prior|before|after|earlier|later|older|newer|deprecated|removed|changed|fixed|released|legacy|previous(?:ly)?|upgrad\w*|migrat\w*|between|at least|minimum|requires?|or (?:higher|above|newer)|changelog|release notes|breaking|gte?|lte?|min\w*|max\w*)\b|VersionBadge/i;

function versionPattern(version: string): RegExp {
  return new RegExp(String.raw`(?<![\p{L}\p{N}_.+-]|\d)v?${escapePattern(version.replace(/^v/, ""))}(?![\p{L}\p{N}_+-]|\.\d)`, "gu"); // prettier-ignore
}

function versionsIn(text: string, { from, to, product }: Pick<Raising, "from" | "to" | "product">) {
  const pattern = versionPattern(from);
  const edits: TextEdit[] = [];
  const left: { line: number; reason: string }[] = [];
  const lines = new LineIndex(text);
  const spans = listPageSpans(text);
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const line = lines.lineAt(index);
    const start = index + (found.startsWith("v") ? 1 : 0);
    const isOther = product !== undefined && productAt(text, index) !== product.toLowerCase();
    const reason = isOther ? `not the version of ${quote(product)}` : reasonAt({ text, start, end: start + from.length, line: text.slice(lines.startOf(line), lines.startOf(line + 1)) }, spans); // prettier-ignore
    if (reason === undefined) edits.push({ start, end: start + from.length, text: to });
    else left.push({ line: line + 1, reason });
  }
  return { edits, left };
}

interface VersionMatch {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly line: string;
}

function reasonAt(
  { text, start, end, line }: VersionMatch,
  spans: ReturnType<typeof listPageSpans>,
): string | undefined {
  const span = spans.find((own) => own.start <= start && end <= own.end);
  if (span === undefined) return "in an address or a property";
  const before = text.slice(Math.max(0, start - 6), start);
  if (/[<>!]=?\s*["']?v?$/.test(before)) return "a bound of versions";
  if (span.kind !== "code" && /^\s*#/.test(line)) return "a heading about one version";
  const isPast = history.test(line) || (span.kind !== "code" && /\bfrom\b/i.test(line));
  return isPast ? "a line about the past or about several versions" : undefined;
}
