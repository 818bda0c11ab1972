import type { OctavoError } from "@octavo/site/core";
import { isOctavoError } from "@octavo/site/core";
import { parseInstruction } from "./instruction/parse-instruction.ts";
import type { ParsedTask } from "./instruction/parse-instruction.ts";
import { quoteValue } from "./instruction/quotes.ts";
import { findRefusal, createRefusal } from "./instruction/refusal.ts";
import type { Refusal } from "./instruction/refusal.ts";
import { isBareValue } from "./instruction/slots.ts";
import { findBrokenInvariant } from "./invariants.ts";
import { createJournal, rehearse, undoChanges } from "./plan.ts";
import type { Journal, Plan } from "./plan.ts";
import { createTooManyFilesError } from "./site-tools.ts";
import { planTask } from "./tasks/recipes.ts";
import { joinParagraphs } from "./tasks/report-text.ts";

/**
 * Carries out an instruction form by form, checks each result, and returns the summary in Markdown. Throws
 * `invalid_input` if a part is not a form, cannot be done, or did what it may not do. The error lists forms that this
 * site allows, and the files are restored to their state before the first form.
 */
export function* runInstruction(instruction: string): Plan<string> {
  const journal = createJournal();
  try {
    const summaries: string[] = [];
    for (const asked of parseInstruction(instruction))
      summaries.push(yield* runForm(asked, journal));
    return joinParagraphs(...summaries);
  } catch (error) {
    yield* undoChanges(journal);
    const refusal = findRefusal(error);
    if (refusal === undefined) throw error;
    throw createRefusal({ ...refusal, ...(yield* workingForms(refusal)) });
  }
}

function* runForm(asked: ParsedTask, journal: Journal): Plan<string> {
  const from = journal.changes.length;
  try {
    const summary = yield* journal.record(planTask(asked.task));
    const changes = journal.changes.slice(from);
    if (changes.length === 0) return summary;
    const max = changes.find(({ maxFiles }) => maxFiles !== undefined)?.maxFiles;
    if (max !== undefined)
      throw createTooManyFilesError([...new Set(changes.map(({ path }) => path))], max);
    const broken = yield* findBrokenInvariant(asked, changes);
    if (broken === undefined) return summary;
    throw createRefusal({
      reason: `${broken}; this is a bug in builtin/recipes`,
      send: [],
      isUnderstood: true,
    });
  } catch (error) {
    throw isOctavoError(error, "invalid_input") ? explain(error, asked) : error;
  }
}

/** The maximum number of forms to show, and to try for that. */
const [maxShown, maxTried] = [5, 10];
/** The number of slots that may be corrected one after another. */
const maxCorrections = 3;

/**
 * Returns the forms to send that work on this site, with missing names replaced by existing ones: one for each of
 * several forms, or every alternative of a single one. Forms that would change nothing are dropped if others would
 * change something.
 */
function* workingForms({
  send,
  isChoice = false,
}: Refusal): Plan<Pick<Refusal, "send" | "isChoice">> {
  const isOne = isChoice || send.length === 1;
  const working: WorkingForm[] = [];
  for (const form of send.slice(0, maxTried)) {
    const found = yield* formsFor(form, {
      corrections: maxCorrections,
      choices: isOne ? maxTried : 1,
    });
    working.push(...found);
  }
  const useful = working.filter(({ isUseful }) => isUseful);
  const shown = isOne && useful.length > 0 ? useful : working;
  const texts = new Set(shown.map(({ text }) => text));
  return { send: [...texts].slice(0, maxShown), isChoice: isOne };
}

interface WorkingForm {
  readonly text: string;
  /** The form would change something. */
  readonly isUseful: boolean;
}

/** Returns the form itself if it works, or its variants with values that work. */
function* formsFor(
  text: string,
  { corrections, choices }: { readonly corrections: number; readonly choices: number },
): Plan<readonly WorkingForm[]> {
  const [asked] = parseInstruction(text);
  if (asked === undefined) return [];
  const { change, refusal } = yield* rehearse(planTask(asked.task));
  if (refusal === undefined) return [{ text, isUseful: change !== undefined }];
  if (corrections === 0) return [];
  const found: WorkingForm[] = [];
  for (const other of listChoices(refusal, asked).slice(0, choices)) {
    found.push(...(yield* formsFor(other, { corrections: corrections - 1, choices: 1 })));
  }
  return found;
}

/** Adds the accepted forms to the refusal of a form, if other values would work. */
function explain(error: OctavoError, asked: ParsedTask): OctavoError {
  const { reason } = error.details;
  if (typeof reason !== "string" || findRefusal(error) !== undefined) return error;
  return createRefusal({
    reason,
    send: listChoices(error, asked),
    isChoice: true,
    isUnderstood: true,
  });
}

function listChoices({ details }: OctavoError, asked: ParsedTask): readonly string[] {
  const { slot, choices, send } = details;
  if (Array.isArray(send)) return send.map(String);
  return Array.isArray(choices) ? choices.map((choice) => withValue(asked, String(slot), String(choice))) : []; // prettier-ignore
}

/** The words before a slot that is appended to a form. */
const additions: Readonly<Record<string, string>> = {
  scope: "in",
  product: "for",
  group: "to the group",
  path: "at",
  target: "and redirect to",
};

function withValue({ text, values }: ParsedTask, slot: string, value: string): string {
  const written = isBareValue(slot, value) ? value : quoteValue(value);
  const place = values.get(slot);
  if (place === undefined) return `${text} ${additions[slot] ?? ""} ${written}`;
  return text.slice(0, place.start) + written + text.slice(place.end);
}
