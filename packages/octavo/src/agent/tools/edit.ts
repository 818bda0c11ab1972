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
      let isNumbered = false;
      for (const replacement of replacements) {
        const meant = stripCopiedNumbers(text, replacement);
        const made = replace(text, meant, path);
        text = made.text;
        changed += made.count;
        isNumbered ||= meant !== replacement;
      }
      if (text === before) throw createEditError(`The replacements do not change ${path}`);
      await workspace.apply([{ type: "write", path, text }]);
      return { path, changed, ...(isNumbered && { note: "Line numbers were left out." }) };
    },
  });
}

/**
 * Returns the replacement without line numbers that the model copied from `read`. Numbers that are part of the file are
 * kept. Throws if only the new text has copied numbers.
 */
function stripCopiedNumbers(text: string, replacement: EditReplacement): EditReplacement {
  const unix = text.replaceAll("\r\n", "\n");
  const [old, wanted] = [stripLineNumbers(replacement.old), stripLineNumbers(replacement.new)];
  const at = unix.indexOf(replacement.old.replaceAll("\r\n", "\n"));
  if (at === -1) {
    if (!old || !unix.includes(old.text)) return replacement;
    return { ...replacement, old: old.text, new: wanted?.text ?? replacement.new };
  }
  const line = unix.slice(0, at).split("\n").length;
  const isCopied = wanted !== undefined && !old && Math.abs(wanted.from - line) <= 1;
  if (!isCopied) return replacement;
  throw createEditError(
    `The new text ${JSON.stringify(replacement.new.slice(0, 120))} contains line numbers, which are not part of the file. Leave them out`,
  );
}

function replace(
  text: string,
  replacement: EditReplacement,
  path: string,
): { readonly text: string; readonly count: number } {
  const { old, wanted } = convertLineEnds(text, replacement);
  const parts = text.split(old);
  const count = parts.length - 1;
  const shown = JSON.stringify(replacement.old.slice(0, 120));
  if (count === 0)
    throw createEditError(
      `${path} does not contain ${shown}. Read the file and copy the passage exactly`,
    );
  if (count > 1 && replacement.all !== true) {
    throw createEditError(
      `${path} contains ${shown} ${count} times. Include more of the surrounding text, or set "all"`,
    );
  }
  if (text.length + count * (wanted.length - old.length) > fixedLimits.maxTextBytes) {
    throw createEditError(`${path} would become larger than ${fixedLimits.maxTextBytes} bytes`);
  }
  return { text: parts.join(wanted), count };
}

/** Converts line endings, because models write `\n`, and a file with Windows line endings must keep them. */
function convertLineEnds(
  text: string,
  { old, new: wanted }: Pick<EditReplacement, "old" | "new">,
): { readonly old: string; readonly wanted: string } {
  if (!text.includes("\r\n") || old.includes("\r")) return { old, wanted };
  return { old: toWindowsLineEnds(old), wanted: toWindowsLineEnds(wanted) };
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
  readonly wanted: string;
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
  const isMeant = pattern === undefined ? () => true : createPathMatcher(pattern);
  const files: MatchedFile[] = [];
  const readOnly: string[] = [];
  for (const path of (await workspace.files()).filter(isMeant)) {
    signal.throwIfAborted();
    // A picture, or a file that is not text, has no matches.
    const text = await workspace.readText(path).catch(() => "");
    const { old, wanted } = convertLineEnds(text, query);
    const starts = findStarts(text, old, { words });
    if (starts.length === 0) continue;
    if ((await workspace.kindOf(path)) === "guide") readOnly.push(path);
    else files.push({ path, text, old, wanted, starts });
  }
  return { files, readOnly };
}

function findStarts(text: string, old: string, { words }: { readonly words: boolean }): number[] {
  const starts: number[] = [];
  const isPart = (at: number, sign: string) => words && /[\p{L}\p{N}_]{2}/u.test(text.slice(at, at + 2)) && sign !== ""; // prettier-ignore
  for (let at = text.indexOf(old); at !== -1; at = text.indexOf(old, at + old.length)) {
    const end = at + old.length;
    if (isPart(at - 1, text.charAt(at - 1)) || isPart(end - 1, text.charAt(end))) continue;
    starts.push(at);
  }
  return starts;
}

function replaceAt({ path, text, old, wanted, starts }: MatchedFile): string {
  if (text.length + starts.length * (wanted.length - old.length) > fixedLimits.maxTextBytes) {
    throw createEditError(`${path} would become larger than ${fixedLimits.maxTextBytes} bytes`);
  }
  let [result, from] = ["", 0];
  for (const start of starts) {
    result += text.slice(from, start) + wanted;
    from = start + old.length;
  }
  return result + text.slice(from);
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
  const shown = takeFittingItems(counts.slice(0, maxPreviewFiles), outputLength / 2);
  const examples = takeFittingItems(files.slice(0, maxExamples).map(toExample), outputLength / 4);
  const { maxChangedFiles } = workspace;
  const notes = [
    ...(readOnly.length > 0 ? [`Not replaced, because it may not change: ${readOnly.slice(0, 5).join(", ")}.`] : []), // prettier-ignore
    ...(files.length > maxChangedFiles ? [`At most ${maxChangedFiles} files may change; use "pattern".`] : []), // prettier-ignore
    ...(matches === 0 && stripLineNumbers(input.old) ? ["Leave line numbers out of `old`."] : []),
  ];
  return {
    matches,
    files: shown,
    ...(shown.length < files.length && { filesTotal: files.length }),
    examples,
    ...(notes.length > 0 && { note: notes.join(" ") }),
  };
}

/** Shows the first match of a file within its line and the lines around it. */
function toExample({ path, text, old, starts: [start = 0] }: MatchedFile): ToolOutput {
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
      if (numbered?.from === 1 && /\n\d/.test(content)) {
        throw createEditError(`The text for ${path} contains line numbers. Leave them out`);
      }
      const isThere = await workspace.has(path);
      await workspace.apply([{ type: "write", path, text: content }]);
      return { path, created: !isThere };
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
      const changes = await workspace.changes();
      const files = changes.flatMap((file) => [file.path, ...(file.from ? [file.from] : [])]);
      const path = chooseFile(named, { files, folder: workspace.folder });
      if (changes.some((file) => file.path === path && file.kind === "added")) {
        const plan = await planDeletion({ workspace, view, path, redirectTo: undefined, signal });
        await workspace.apply(plan.changes);
        return { removed: path, ...toUpkeepOutput(plan) };
      }
      const { path: restored, reverted, left } = await workspace.undo(path);
      return { restored, reverted, ...(left.length > 0 && { left }) };
    },
  });
}

/** A text without the numbers that were copied with its lines. */
interface UnnumberedText {
  readonly text: string;
  /** The number of the first line that had one. */
  readonly from: number;
}

/**
 * Removes the numbers of a text that was copied from numbered lines. Undefined for other texts: each line must have a
 * number, in order, except that the first may begin within its line, and the last may be empty.
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
  return { text: lines.map((line, at) => (at < first ? line : line.replace(/^\d+\|/, ""))).join("\n"), from }; // prettier-ignore
}
