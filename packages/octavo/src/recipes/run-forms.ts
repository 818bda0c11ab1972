import { isOctavoError, OctavoError } from "@octavo/site/core";
import { findBodyStart } from "@octavo/site/text";
import { renameDivision } from "./configuration.ts";
import type { Task, TaskOf } from "./instruction/forms.ts";
import { isBareValue, parseInstruction, type ParsedTask } from "./instruction/parse-instruction.ts";
import { createRefusal, createRefusedError } from "./instruction/refusal.ts";
import { quoteValue } from "./instruction/tokens.ts";
import {
  findAnswerError,
  isMutatingCall,
  type Plan,
  type ToolAnswer,
  type ToolCall,
} from "./plan.ts";
import { createTooManyFilesError, readFiles } from "./site-tools.ts";
import { repairLinks } from "./tasks/links/repair-links.ts";
import { pageAddressRecipes } from "./tasks/page-addresses.ts";
import { pageFieldRecipes } from "./tasks/page-fields.ts";
import { correctionByTypo, wordRecipes } from "./tasks/replace-words.ts";
import { joinParagraphs } from "./tasks/report-text.ts";
import { toPlural } from "./tasks/term-matches.ts";
import { splitWords } from "./tasks/words.ts";
import { listPageSpans } from "./text/page-spans.ts";

/**
 * Carries out an instruction form by form, checks each result, and returns the summary in Markdown. Throws
 * `invalid_input` if a part of the instruction does not match a form, cannot be carried out, or made a change that it
 * must not make. The error lists forms that work on this site, and all changes are undone.
 */
export function* runInstruction(instruction: string): Plan<string> {
  return yield* runAll(parseInstruction(instruction), true);
}

/**
 * Carries out tasks in order, checks each result, and returns the summary in Markdown. Throws `invalid_input` with a
 * reason if a task cannot be carried out, and undoes all changes.
 */
export function* runTasks(tasks: readonly Task[]): Plan<string> {
  const asked = tasks.map((task) => ({ task, text: Object.values(task).join("\n"), values: new Map() })); // prettier-ignore
  return yield* runAll(asked, false);
}

function* runAll(all: readonly ParsedTask[], showsForms: boolean): Plan<string> {
  const journal: Change[] = [];
  const summaries: string[] = [];
  for (const asked of all) {
    try {
      summaries.push(yield* runChecked(asked, journal));
    } catch (error) {
      yield* undoChanges(journal);
      if (!isOctavoError(error, "invalid_input")) throw error;
      throw showsForms ? yield* addForms(error, asked) : simplifyRefusal(error);
    }
  }
  return joinParagraphs(...summaries);
}

/** Creates an error that states why a task cannot be carried out, without suggesting instructions. */
function simplifyRefusal({ details, message }: OctavoError): OctavoError {
  const { reason, choices } = details;
  const names = Array.isArray(choices) && choices.length > 0 ? ` Possible values: ${choices.slice(0, maxTried).join(", ")}.` : ""; // prettier-ignore
  const text = typeof reason === "string" ? `This cannot be done: ${reason.replace(/\.$/, "")}.` : message; // prettier-ignore
  return new OctavoError("invalid_input", `${text}${names} Nothing was changed.`);
}

function* runChecked(asked: ParsedTask, journal: Change[]): Plan<string> {
  const from = journal.length;
  const summary = yield* recordChanges(planTask(asked.task), journal);
  const changes = journal.slice(from);
  if (changes.length === 0) return summary;
  const max = changes.find(({ maxFiles }) => maxFiles !== undefined)?.maxFiles;
  if (max !== undefined)
    throw createTooManyFilesError([...new Set(changes.map(({ path }) => path))], max);
  const broken = yield* findBrokenInvariant(asked, changes);
  if (broken === undefined) return summary;
  throw createRefusedError(`${broken}; this is a bug in builtin/recipes`);
}

/** The maximum number of forms in a refusal. */
const maxShown = 5;
/** The maximum number of forms that are tried for a refusal. */
const maxTried = 10;
/** The maximum number of slots in a form that are corrected one after another. */
const maxCorrections = 3;

/**
 * Adds forms that work on this site to a refusal: the instruction with missing names replaced by existing ones. Forms
 * that would change nothing are omitted if other forms would change something.
 */
function* addForms(error: OctavoError, asked: ParsedTask): Plan<OctavoError> {
  const { reason } = error.details;
  if (typeof reason !== "string") return error;
  const working: WorkingForm[] = [];
  for (const form of listChoices(error, asked).slice(0, maxTried)) {
    working.push(...(yield* findWorkingForms(form, maxCorrections, maxTried)));
  }
  const useful = working.filter(({ isUseful }) => isUseful);
  const texts = new Set((useful.length > 0 ? useful : working).map(({ text }) => text));
  return createRefusal({ reason, send: [...texts].slice(0, maxShown), isUnderstood: true });
}

interface WorkingForm {
  readonly text: string;
  /** Whether the form would change something. */
  readonly isUseful: boolean;
}

/** Returns the form itself if it works, otherwise its variants with values that work. */
function* findWorkingForms(
  text: string,
  corrections: number,
  choices: number,
): Plan<readonly WorkingForm[]> {
  const [asked] = parseInstruction(text);
  if (asked === undefined) return [];
  const { change, refusal } = yield* rehearse(planTask(asked.task));
  if (refusal === undefined) return [{ text, isUseful: change !== undefined }];
  if (corrections === 0) return [];
  const found: WorkingForm[] = [];
  for (const other of listChoices(refusal, asked).slice(0, choices)) {
    found.push(...(yield* findWorkingForms(other, corrections - 1, 1)));
  }
  return found;
}

function listChoices({ details }: OctavoError, asked: ParsedTask): readonly string[] {
  const { slot, choices, send } = details;
  if (Array.isArray(send)) return send.map(String);
  return Array.isArray(choices) ? choices.flatMap((choice) => setSlotValue(asked, String(slot), String(choice)) ?? []) : []; // prettier-ignore
}

/** The words that introduce a slot when it is appended to a form. */
const slotPrefixes: Readonly<Record<string, string>> = {
  scope: "in",
  product: "for",
  group: "to the group",
  path: "at",
  target: "and redirect to",
};

/** Returns the instruction with a value inserted into a slot. Returns undefined if the slot cannot be added. */
function setSlotValue(
  { text, values }: ParsedTask,
  slot: string,
  value: string,
): string | undefined {
  const written = isBareValue(slot, value) ? value : quoteValue(value);
  // A page may be named by its title.
  const range = values.get(slot) ?? (slot === "page" ? values.get("title") : undefined);
  if (range !== undefined) return text.slice(0, range.start) + written + text.slice(range.end);
  const prefix = slotPrefixes[slot];
  return prefix && `${text} ${prefix} ${written}`;
}

/**
 * Checks the invariants of all recipes after a change: repeating the recipe changes nothing, no value is written that
 * the instruction does not contain, no term is doubled, and no word is lost or added unexpectedly. Returns a
 * description of the violated invariant. Returns undefined if no invariant is violated.
 */
export function* findBrokenInvariant(
  asked: ParsedTask,
  changes: readonly Change[],
): Plan<string | undefined> {
  const unknownWord = findUnknownValue(asked);
  if (unknownWord !== undefined)
    return `the change would write ${unknownWord}, which the instruction does not contain`;
  const before = new Map(changes.filter(({ tool }) => tool === "edit" || tool === "write").toReversed().map(({ path, before: text = "" }) => [path, text])); // prettier-ignore
  const after = yield* readFiles(before.keys());
  for (const [path, text] of before) {
    const fault = findEditFault(asked.task, { path, before: text, after: after.get(path) ?? "" });
    if (fault !== undefined) return `${path}: ${fault}`;
  }
  const { change: again } = yield* rehearse(planTask(asked.task));
  return again === undefined ? undefined : `repeating it would change ${String(again.input.path ?? again.input.from)}`; // prettier-ignore
}

/** Returns a word in the task's values that the instruction does not contain, which means that the parser is wrong. */
function findUnknownValue({ task, text }: ParsedTask): string | undefined {
  const known = new Set([...listWords(text), "links", "anchors", "group", "tab", "sidebartitle", "hidden", "true", "false"]); // prettier-ignore
  // The page is not checked, because an earlier form may have named it.
  return Object.entries(task)
    .filter(([key]) => key !== "kind" && key !== "page")
    .flatMap(([, value]) => (typeof value === "string" ? listWords(value) : []))
    .find((word) => !known.has(word));
}

interface EditedFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

function findEditFault(task: Task, edited: EditedFile): string | undefined {
  const { removes, adds, isReadable } = getAllowance(task, edited);
  const read = (text: string) =>
    (isReadable ? extractReadableText(edited.path, text) : text).split("\n");
  const [oldLines, newLines] = [read(edited.before), read(edited.after)];
  const [removedLines, addedLines] = [
    subtractItems(oldLines, newLines),
    subtractItems(newLines, oldLines),
  ];
  const before = removedLines.flatMap(listWords);
  const after = addedLines.flatMap(listWords);
  const lost = subtractItems(before, after).find((word) => !removes.has(word));
  if (lost !== undefined) return `the word “${lost}” would be lost`;
  const added = subtractItems(after, before).find((word) => !adds.has(word));
  if (added !== undefined) return `the word “${added}” would be added`;
  const isDoubled = countDoubledWords(addedLines, adds) > countDoubledWords(removedLines, new Set([...adds, ...removes])); // prettier-ignore
  return isDoubled && isReadable !== true ? "a word would be repeated" : undefined;
}

/** Returns the items that `others` lacks. Items that occur several times are subtracted one by one. */
function subtractItems(items: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const item of others) counts.set(item, (counts.get(item) ?? 0) + 1);
  return items.filter((item) => {
    const count = counts.get(item) ?? 0;
    counts.set(item, count - 1);
    return count <= 0;
  });
}

/** The words that a recipe may remove or add. */
interface Allowance {
  readonly removes: ReadonlySet<string>;
  readonly adds: ReadonlySet<string>;
  /** Whether only the text that readers see is compared, because addresses may change in any way. */
  readonly isReadable?: true;
}

function getAllowance(task: Task, { before, after, path }: EditedFile): Allowance {
  switch (task.kind) {
    case "rename_term":
      return buildAllowance(
        [task.from, toPlural(task.from), "a an"],
        [task.to, toPlural(task.to), "a an"],
      );
    case "raise_version":
      return buildAllowance([task.from], [task.to]);
    case "rename_division":
      return buildAllowance([task.name], [task.to]);
    case "fix_spelling":
      return buildAllowance([...correctionByTypo.keys()], [...correctionByTypo.values()]);
    case "fill_descriptions":
      return buildAllowance([], [before, "description"]);
    case "set_field":
      return buildAllowance(
        [before.slice(0, findBodyStart(before)), /^\s*#.*$/m.exec(before)?.[0] ?? ""],
        [task.value, task.field],
      );
    case "add_page":
      return buildAllowance([], [task.title, task.description ?? "", task.text ?? "", "title description", ...(path.endsWith(".json") ? [after] : [])]); // prettier-ignore
    case "add_redirect":
      return buildAllowance([], [after]);
    default:
      return { ...buildAllowance([], []), isReadable: true };
  }
}

function buildAllowance(removes: readonly string[], adds: readonly string[]): Allowance {
  return { removes: new Set(removes.flatMap(listWords)), adds: new Set(adds.flatMap(listWords)) };
}

/** Extracts the text that readers see, without addresses, tags and link labels. */
function extractReadableText(path: string, text: string): string {
  if (!/\.mdx?$/.test(path)) return "";
  const plain = text.replaceAll(/^[ \t]*\[[^\]]+\]:.*$/gm, "").replaceAll(/\]\[[^\]]*\]/g, "]");
  const spans = listPageSpans(plain).map(({ start, end }) => plain.slice(start, end));
  return spans.join("\n");
}

const entityPattern = /&(?:quot|amp|lt|gt|#\d+);/g;

function listWords(text: string): string[] {
  return splitWords(text.replaceAll(entityPattern, " "));
}

const repeatedWordPattern =
  /(?<![\p{L}\p{N}])([\p{L}\p{N}]+)[ \t*_`"'[\]()]{1,4}(?=\1(?:e?s)?(?![\p{L}\p{N}]))/giu;

/** Counts the immediate repetitions of any of the words, with only spaces and markup in between. */
function countDoubledWords(lines: readonly string[], words: ReadonlySet<string>): number {
  const found = lines.flatMap((line) => [...line.matchAll(repeatedWordPattern)]);
  return found.filter(([, word = ""]) => words.has(word.toLowerCase())).length;
}

/** A tool call that changed a file, or was rejected because too many files would have changed. */
export interface Change {
  readonly tool: string;
  readonly path: string;
  /** The file's content; undefined for a new file, or if only the tool knows it. */
  readonly before: string | undefined;
  /** The limit on changed files, if the change was rejected because it would have exceeded the limit. */
  readonly maxFiles?: number;
}

/** The result of running a plan as far as possible without changing anything. */
interface Rehearsal {
  /** The plan's first change, which is not made. */
  readonly change?: ToolCall;
  /** The reason why the plan cannot be carried out. */
  readonly refusal?: OctavoError;
}

/** Runs a plan up to its first change. */
function* rehearse(plan: Plan<unknown>): Plan<Rehearsal> {
  try {
    let step = plan.next([]);
    while (step.done !== true) {
      const change = step.value.find(isMutatingCall);
      if (change !== undefined) return { change };
      step = plan.next(yield step.value);
    }
    return {};
  } catch (error) {
    if (isOctavoError(error, "invalid_input")) return { refusal: error };
    throw error;
  }
}

/** Runs a plan and adds each of its changes to the journal, which lists them in order. */
function* recordChanges(plan: Plan<string>, journal: Change[]): Plan<string> {
  let step = plan.next([]);
  while (step.done !== true) {
    const calls = step.value;
    const answers = yield calls;
    calls.forEach((call, index) => journal.push(...toChanges(call, answers[index] ?? {})));
    step = plan.next(answers);
  }
  return step.value;
}

function toChanges(call: ToolCall, answer: ToolAnswer): Change[] {
  if (!isMutatingCall(call)) return [];
  const { tool, before, input } = call;
  const change = { tool, path: String(input.path ?? input.to), before };
  const error = findAnswerError(answer);
  if (error === undefined) return [change];
  const max = /at most ([\d,.]+) may change/.exec(error)?.[1];
  return max === undefined ? [] : [{ ...change, maxFiles: Number(max.replaceAll(/\D/g, "")) }];
}

/**
 * Restores the content of changed files, deletes new files, and undoes moves and deletions with all of their effects.
 */
function* undoChanges(journal: readonly Change[]): Plan<void> {
  const changes = journal.filter(({ maxFiles }) => maxFiles === undefined);
  const firstChanges = [...Map.groupBy(changes, ({ path }) => path).values()].map(([own]) => own);
  const calls = firstChanges.flatMap((first): ToolCall[] => {
    const { tool, path, before } = first ?? {};
    if (before !== undefined) return [{ tool: "write", input: { path, content: before } }];
    return tool === "write" ? [{ tool: "delete", input: { path } }] : [];
  });
  const pageChanges = changes.filter(({ tool }) => tool === "move" || tool === "delete");
  calls.push(...pageChanges.toReversed().map(({ path }) => ({ tool: "undo", input: { path } })));
  if (calls.length > 0) yield calls;
}

/**
 * Creates the plan for each kind of task. The plan carries out the task and returns its report in Markdown. It throws
 * `invalid_input` for names that the site does not have. Repeating a task must change nothing.
 */
const recipes: { readonly [Kind in Task["kind"]]: (task: TaskOf<Kind>) => Plan<string> } = {
  ...pageAddressRecipes,
  ...pageFieldRecipes,
  ...wordRecipes,
  fix_links: repairLinks,
  rename_division: renameDivision,
};

function planTask(task: Task): Plan<string> {
  const recipe = recipes[task.kind] as (task: Task) => Plan<string>;
  return recipe(task);
}
