import { createInputError, type OctavoError } from "@octavo/site/core";
import { z } from "zod";
import { planDeletion, toUpkeepOutput } from "../edits/upkeep-plan.ts";
import { fixedLimits } from "../limits.ts";
import { createPathMatcher } from "../patterns.ts";
import type { SiteView } from "../site-view.ts";
import { takeFittingItems } from "../text-part.ts";
import type { Workspace } from "../workspace.ts";
import { chooseFile, defineTool, findNamedFile, findNewPath, Path } from "./tool.ts";
import type { AgentTool, ToolOutput } from "./tool.ts";

export function createEditTools(workspace: Workspace, view: SiteView, outputLength: number) {
  return {
    edit: createEditTool(workspace),
    write: createWriteTool(workspace),
    remove: createDeleteTool(workspace, view),
    undo: createUndoTool(workspace, view),
    replace: createReplaceTool(workspace, outputLength),
  };
}

const EditInput = z.strictObject({
  path: Path,
  replacements: z
    .array(
      z.strictObject({
        old: z
          .string()
          .min(1)
          .max(200_000)
          .describe("Copied exactly from the file, without line numbers."),
        new: z.string().max(200_000).describe("The replacement."),
        all: z.boolean().optional().describe("Replace every occurrence."),
      }),
    )
    .min(1)
    .max(200)
    .describe("Applied in order, either all or none."),
});
type EditReplacement = z.infer<typeof EditInput>["replacements"][number];

function createEditTool(workspace: Workspace): AgentTool {
  return defineTool({
    name: "edit",
    description:
      "Replaces passages of a text file. Each `old` must occur exactly once, unless `all` is set: include enough surrounding lines. Prefer this to `write` for existing files.",
    input: EditInput,
    isChanging: true,
    async run({ path: named, replacements }) {
      const path = await findNamedFile(workspace, named);
      const before = await workspace.readText(path);
      let text = before;
      let changed = 0;
      let hasCopiedNumbers = false;
      for (const replacement of replacements) {
        const cleaned = stripCopiedNumbers(text, replacement);
        const result = replaceText(text, cleaned, path);
        text = result.text;
        changed += result.count;
        hasCopiedNumbers ||= cleaned !== replacement;
      }
      if (text === before) throw createEditError(`The replacements do not change ${path}`);
      await workspace.apply([{ type: "write", path, text }]);
      return { path, changed, ...(hasCopiedNumbers && { note: "Line numbers were left out." }) };
    },
  });
}

/**
 * Returns the replacement without the line numbers that the model copied from the result of `read`. Numbers that are
 * part of the file are kept. Throws if only the new text has copied numbers.
 */
function stripCopiedNumbers(text: string, replacement: EditReplacement): EditReplacement {
  const unixText = text.replaceAll("\r\n", "\n");
  const [old, newText] = [stripLineNumbers(replacement.old), stripLineNumbers(replacement.new)];
  const index = unixText.indexOf(replacement.old.replaceAll("\r\n", "\n"));
  if (index === -1) {
    if (!old || !unixText.includes(old.text)) return replacement;
    return { ...replacement, old: old.text, new: newText?.text ?? replacement.new };
  }
  const line = unixText.slice(0, index).split("\n").length;
  const isCopied = newText !== undefined && !old && Math.abs(newText.firstNumber - line) <= 1;
  if (!isCopied) return replacement;
  throw createEditError(
    `The new text ${JSON.stringify(replacement.new.slice(0, 120))} contains line numbers, which are not part of the file. Leave them out`,
  );
}

function replaceText(
  text: string,
  replacement: EditReplacement,
  path: string,
): { readonly text: string; readonly count: number } {
  const { old, newText } = convertLineEnds(text, replacement);
  const parts = text.split(old);
  const count = parts.length - 1;
  const shownPassage = JSON.stringify(replacement.old.slice(0, 120));
  if (count === 0)
    throw createEditError(
      `${path} does not contain ${shownPassage}. Read the file and copy the passage exactly`,
    );
  if (count > 1 && replacement.all !== true) {
    throw createEditError(
      `${path} contains ${shownPassage} ${count} times. Include more of the surrounding text, or set "all"`,
    );
  }
  if (text.length + count * (newText.length - old.length) > fixedLimits.maxTextBytes) {
    throw createEditError(`${path} would become larger than ${fixedLimits.maxTextBytes} bytes`);
  }
  return { text: parts.join(newText), count };
}

/** Converts line endings, because models write `\n`, and a file with Windows line endings must keep them. */
function convertLineEnds(
  text: string,
  { old, new: newText }: Pick<EditReplacement, "old" | "new">,
): { readonly old: string; readonly newText: string } {
  if (!text.includes("\r\n") || old.includes("\r")) return { old, newText };
  return { old: toWindowsLineEnds(old), newText: toWindowsLineEnds(newText) };
}

function toWindowsLineEnds(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}

function createEditError(reason: string): OctavoError {
  return createInputError(`${reason}. Nothing was changed.`);
}

const ReplaceInput = z.strictObject({
  old: z.string().min(1).max(10_000).describe("Exact text; may span lines."),
  new: z.string().max(10_000),
  words: z.boolean().default(false).describe("Only where `old` is not part of a longer word."),
  pattern: z
    .string()
    .max(500)
    .optional()
    .describe('Only in files that match this glob, e.g. "guides/**".'),
  apply: z.int().min(1).optional().describe("`matches` of the preview: replaces all of them."),
});

const maxPreviewFiles = 200;
const maxExamples = 20;
/** The number of characters around a match that a preview shows. */
const exampleContext = 100;

/** A file with matches, and the starts of the matches in its text. */
interface MatchedFile {
  readonly path: string;
  readonly text: string;
  readonly old: string;
  readonly newText: string;
  readonly starts: readonly number[];
}

function createReplaceTool(workspace: Workspace, outputLength: number): AgentTool {
  return defineTool({
    name: "replace",
    description:
      "Replaces a text in many files at once, in prose, code and addresses alike. Without `apply`, it changes nothing and previews: `matches` in all, by file, with examples. Check them, then repeat the call with `apply`. For a term in prose, use rename_term.",
    input: ReplaceInput,
    isChanging: true,
    async run({ apply, ...input }, signal) {
      const { files, readOnly } = await findReplacements(workspace, input, signal);
      const matches = files.reduce((sum, { starts }) => sum + starts.length, 0);
      if (apply === undefined || matches === 0)
        return previewReplacement(files, { readOnly, matches, input, workspace, outputLength });
      if (apply !== matches) {
        throw createEditError(
          `There are now ${matches} matches, and "apply" is ${apply}. Preview again`,
        );
      }
      await workspace.apply(
        files.map((file) => ({ type: "write", path: file.path, text: replaceAt(file) })),
      );
      return { matches, changedFiles: files.length };
    },
  });
}

type ReplaceQuery = Omit<z.infer<typeof ReplaceInput>, "apply">;

async function findReplacements(
  workspace: Workspace,
  { pattern, words, ...query }: ReplaceQuery,
  signal: AbortSignal,
): Promise<{ readonly files: readonly MatchedFile[]; readonly readOnly: readonly string[] }> {
  const matchesPattern = pattern === undefined ? () => true : createPathMatcher(pattern);
  const files: MatchedFile[] = [];
  const readOnly: string[] = [];
  for (const path of (await workspace.listFiles()).filter(matchesPattern)) {
    signal.throwIfAborted();
    // A picture, or a file that is not text, has no matches.
    const text = await workspace.readText(path).catch(() => "");
    const { old, newText } = convertLineEnds(text, query);
    const starts = findStarts(text, old, { words });
    if (starts.length === 0) continue;
    if ((await workspace.getKind(path)) === "guide") readOnly.push(path);
    else files.push({ path, text, old, newText, starts });
  }
  return { files, readOnly };
}

function findStarts(text: string, old: string, { words }: { readonly words: boolean }): number[] {
  const starts: number[] = [];
  const isInsideWord = (index: number, adjacent: string) => words && /[\p{L}\p{N}_]{2}/u.test(text.slice(index, index + 2)) && adjacent !== ""; // prettier-ignore
  for (let start = text.indexOf(old); start !== -1; start = text.indexOf(old, start + old.length)) {
    const end = start + old.length;
    if (isInsideWord(start - 1, text.charAt(start - 1)) || isInsideWord(end - 1, text.charAt(end)))
      continue;
    starts.push(start);
  }
  return starts;
}

function replaceAt({ path, text, old, newText, starts }: MatchedFile): string {
  if (text.length + starts.length * (newText.length - old.length) > fixedLimits.maxTextBytes) {
    throw createEditError(`${path} would become larger than ${fixedLimits.maxTextBytes} bytes`);
  }
  let [result, position] = ["", 0];
  for (const start of starts) {
    result += text.slice(position, start) + newText;
    position = start + old.length;
  }
  return result + text.slice(position);
}

interface PreviewContext {
  readonly readOnly: readonly string[];
  readonly matches: number;
  readonly input: ReplaceQuery;
  readonly workspace: Workspace;
  readonly outputLength: number;
}

function previewReplacement(files: readonly MatchedFile[], context: PreviewContext): ToolOutput {
  const { readOnly, matches, input, workspace, outputLength } = context;
  const counts = files.map(({ path, starts }) => ({ path, matches: starts.length }));
  const shownCounts = takeFittingItems(counts.slice(0, maxPreviewFiles), outputLength / 2);
  const examples = takeFittingItems(
    files.slice(0, maxExamples).map(buildExample),
    outputLength / 4,
  );
  const { maxChangedFiles } = workspace;
  const notes = [
    ...(readOnly.length > 0 ? [`Not replaced, because it may not change: ${readOnly.slice(0, 5).join(", ")}.`] : []), // prettier-ignore
    ...(files.length > maxChangedFiles ? [`At most ${maxChangedFiles} files may change; use "pattern".`] : []), // prettier-ignore
    ...(matches === 0 && stripLineNumbers(input.old) ? ["Leave line numbers out of `old`."] : []),
  ];
  return {
    matches,
    files: shownCounts,
    ...(shownCounts.length < files.length && { filesTotal: files.length }),
    examples,
    ...(notes.length > 0 && { note: notes.join(" ") }),
  };
}

/** Shows the first match of a file with the text around it. */
function buildExample({ path, text, old, starts: [start = 0] }: MatchedFile): ToolOutput {
  const before = text.slice(Math.max(0, start - exampleContext), start);
  const after = text.slice(start, start + Math.min(old.length, exampleContext) + exampleContext);
  const lines = `${before}${after}`.toWellFormed();
  return { path, line: text.slice(0, start).split("\n").length, text: lines };
}

const WriteInput = z.strictObject({
  path: Path,
  content: z.string().max(2_000_000).describe("The complete text."),
});

function createWriteTool(workspace: Workspace): AgentTool {
  return defineTool({
    name: "write",
    description:
      "Creates a file, or replaces its complete text. A new page needs frontmatter with `title` and `description`, and an entry in the navigation: edit docs.json, or the file that it names by $ref.",
    input: WriteInput,
    isChanging: true,
    async run({ path: named, content }) {
      const path = await findNewPath(workspace, await findNamedFile(workspace, named));
      const numbered = stripLineNumbers(content);
      if (numbered?.firstNumber === 1 && /\n\d/.test(content)) {
        throw createEditError(`The text for ${path} contains line numbers. Leave them out`);
      }
      const exists = await workspace.has(path);
      await workspace.apply([{ type: "write", path, text: content }]);
      return { path, created: !exists };
    },
  });
}

const DeleteInput = z.strictObject({
  path: Path,
  redirectTo: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe("The new target: a page, such as /guides/start, or a URL."),
});

function createDeleteTool(workspace: Workspace, view: SiteView): AgentTool {
  return defineTool({
    name: "delete",
    description:
      "Deletes a page or file, its navigation entries and groups that become empty. With `redirectTo`, its address redirects there and links to it are changed. Without it, `linksLeft` lists links that are now broken: change or remove them.",
    input: DeleteInput,
    isChanging: true,
    async run({ path: named, redirectTo }, signal) {
      const path = await findNamedFile(workspace, named);
      const plan = await planDeletion({ workspace, view, path, redirectTo, signal });
      await workspace.apply(plan.changes);
      return { path, ...toUpkeepOutput(plan) };
    },
  });
}

const UndoInput = z.strictObject({
  path: Path.describe("A file you changed, added, moved (old or new path) or deleted."),
});

function createUndoTool(workspace: Workspace, view: SiteView): AgentTool {
  return defineTool({
    name: "undo",
    description:
      "Undoes everything you did to one file in this turn (edit, move, deletion, creation), with the navigation entries, links and redirects that changed with it. `left` names files that keep such a change because the changed text has been edited since.",
    input: UndoInput,
    isChanging: true,
    async run({ path: named }, signal) {
      const changes = await workspace.listChanges();
      const files = changes.flatMap((file) => [file.path, ...(file.from ? [file.from] : [])]);
      const path = chooseFile(named, { files, folder: workspace.folder });
      if (changes.some((file) => file.path === path && file.kind === "added")) {
        const plan = await planDeletion({ workspace, view, path, redirectTo: undefined, signal });
        await workspace.apply(plan.changes);
        return { removed: path, ...toUpkeepOutput(plan) };
      }
      const { path: restored, reverted, kept: left } = await workspace.undo(path);
      return { restored, reverted, ...(left.length > 0 && { left }) };
    },
  });
}

/** A text without the numbers that were copied with its lines. */
interface UnnumberedText {
  readonly text: string;
  /** The number of the first numbered line. */
  readonly firstNumber: number;
}

/**
 * Removes the numbers of a text that was copied from numbered lines. Returns undefined for other texts: each line must
 * have a number, in order, except that the first may begin within its line, and the last may be empty.
 */
function stripLineNumbers(text: string): UnnumberedText | undefined {
  const lines = text.split("\n");
  const numbers = lines.map((line) => /^(\d{1,8})\|/.exec(line)?.[1]);
  const first = numbers.findIndex((number) => number !== undefined);
  const from = Number(numbers[first]);
  const isNumbered = lines.every(
    (line, at) => (at < first && at === 0) || Number(numbers[at]) === from + at - first || (at > first && at === lines.length - 1 && line === ""), // prettier-ignore
  );
  if (first === -1 || !isNumbered) return undefined;
  return { text: lines.map((line, at) => (at < first ? line : line.replace(/^\d+\|/, ""))).join("\n"), firstNumber: from }; // prettier-ignore
}
