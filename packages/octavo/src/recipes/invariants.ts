import { isOctavoError } from "@octavo/site/core";
import type { Asked } from "./instruction/parse-instruction.ts";
import type { Task } from "./instruction/task.ts";
import type { Change } from "./journal.ts";
import { isChange } from "./plan.ts";
import type { Plan, ToolCall } from "./plan.ts";
import { readFiles } from "./site-tools.ts";
import { misspellings } from "./tasks/misspellings.ts";
import { pluralOf } from "./tasks/term.ts";
import { planFor } from "./tasks/recipes.ts";
import { pageSpans } from "./text/page-spans.ts";

/**
 * What holds after every recipe, looked at in what the tools answer: doing it again changes nothing; no value is in a
 * file that the instruction does not hold; no term is doubled; no word changed but those that were to. Gives back
 * what does not hold.
 */
export function* brokenInvariant(
  asked: Asked,
  changes: readonly Change[],
): Plan<string | undefined> {
  const stray = strayValue(asked);
  if (stray !== undefined) return `${stray} would be written, which the instruction does not hold`;
  const before = new Map(changes.filter(({ tool }) => tool === "edit" || tool === "write").toReversed().map(({ path, before: text = "" }) => [path, text])); // prettier-ignore
  const after = yield* readFiles(before.keys());
  for (const [path, text] of before) {
    const fault = faultIn(asked.task, { path, before: text, after: after.get(path) ?? "" });
    if (fault !== undefined) return `${path}: ${fault}`;
  }
  const again = yield* firstChange(planFor(asked.task));
  return again === undefined ? undefined : `done again it would change ${String(again.input.path ?? again.input.from)}`; // prettier-ignore
}

/** The first change that a plan would make; what it refuses to do changes nothing. */
function* firstChange(plan: Plan<unknown>): Plan<ToolCall | undefined> {
  try {
    let step = plan.next([]);
    while (step.done !== true) {
      const change = step.value.find(isChange);
      if (change !== undefined) return change;
      step = plan.next(yield step.value);
    }
    return undefined;
  } catch (error) {
    if (isOctavoError(error, "invalid_input")) return undefined;
    throw error;
  }
}

/** A value of the task whose words the instruction does not hold: the parser's own. */
function strayValue({ task, text }: Asked): string | undefined {
  const known = new Set([...wordsOf(text), "links", "anchors", "group", "tab", "sidebartitle"]);
  const { kind: _, ...values } = task;
  return Object.values(values)
    .flatMap((value) => (typeof value === "string" ? wordsOf(value) : []))
    .find((word) => !known.has(word));
}

interface Edited {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

function faultIn(task: Task, edited: Edited): string | undefined {
  const { removes, adds, isReadable } = allowanceFor(task, edited);
  const textOf = (text: string) => (isReadable ? readableText(edited.path, text) : text);
  const before = counted(wordsOf(textOf(edited.before)));
  const after = counted(wordsOf(textOf(edited.after)));
  const removed = [...before].find(
    ([word, count]) => (after.get(word) ?? 0) < count && !removes.has(word),
  );
  if (removed !== undefined) return `the word “${removed[0]}” would be lost`;
  const added = [...after].find(
    ([word, count]) => (before.get(word) ?? 0) < count && !adds.has(word),
  );
  if (added !== undefined) return `the word “${added[0]}” would be new`;
  const doubled = doubledOf(edited.after, adds) - doubledOf(edited.before, new Set([...adds, ...removes])); // prettier-ignore
  return doubled > 0 && !isReadable ? "a word would stand there twice" : undefined;
}

/** The words of which a recipe may make fewer or more. */
interface Allowance {
  readonly removes: ReadonlySet<string>;
  readonly adds: ReadonlySet<string>;
  /** Only what readers read must stay: addresses may change in any way. */
  readonly isReadable?: true;
}

const none: ReadonlySet<string> = new Set();

function allowanceFor(task: Task, { before, after, path }: Edited): Allowance {
  switch (task.kind) {
    case "rename_term":
      return pair([task.from, pluralOf(task.from), "a an"], [task.to, pluralOf(task.to), "a an"]);
    case "raise_version":
      return pair([task.from], [task.to]);
    case "rename_division":
      return pair([task.name], [task.to]);
    case "fix_spelling":
      return pair([...misspellings.keys()], [...misspellings.values()]);
    case "fill_descriptions":
      return pair([], [before, "description"]);
    case "set_field":
      return pair([before.slice(0, before.indexOf("\n---", 3))], [task.value, task.field]);
    case "add_page":
      return pair([], [task.title, task.description ?? "", task.text ?? "", "title description", ...(path.endsWith(".json") ? [after] : [])]); // prettier-ignore
    case "add_redirect":
      return pair([], [after]);
    default:
      return { removes: none, adds: none, isReadable: true };
  }
}

function pair(removes: readonly string[], adds: readonly string[]): Allowance {
  return { removes: new Set(removes.flatMap(wordsOf)), adds: new Set(adds.flatMap(wordsOf)) };
}

function readableText(path: string, text: string): string {
  if (!/\.mdx?$/.test(path)) return "";
  return pageSpans(text)
    .map(({ start, end }) => text.slice(start, end))
    .join(" ");
}

const entity = /&(?:quot|amp|lt|gt|#\d+);/g;

function wordsOf(text: string): string[] {
  return (
    text
      .replaceAll(entity, " ")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

function counted(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

const twice = /(?<![\p{L}\p{N}])([\p{L}\p{N}]+)[ \t*_`"'[\]()]{1,4}\r?\n?(?=\1(?![\p{L}\p{N}]))/giu;

function doubledOf(text: string, words: ReadonlySet<string>): number {
  return [...text.matchAll(twice)].filter(([, word = ""]) => words.has(word.toLowerCase())).length;
}
