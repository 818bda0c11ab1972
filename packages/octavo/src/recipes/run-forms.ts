import { isOctavoError } from "@octavo/site/core";
import type { OctavoError } from "@octavo/site/core";
import type { Asked } from "./instruction/parse-instruction.ts";
import { inQuotes } from "./instruction/quotes.ts";
import { refuse } from "./instruction/refusal.ts";
import { isBareValue } from "./instruction/slots.ts";
import { brokenInvariant } from "./invariants.ts";
import { createJournal, undo } from "./journal.ts";
import type { Journal } from "./journal.ts";
import type { Plan } from "./plan.ts";
import { tooManyFiles } from "./site-tools.ts";
import { planFor } from "./tasks/recipes.ts";
import { tellParts } from "./tasks/telling.ts";

/**
 * Does what was asked for, one form after the other, checks what came of each, and gives back the summary of all, in
 * Markdown. Throws where one cannot be done, or where what it did is not what it may do; the files are then what they
 * were before the first.
 */
export function* runForms(forms: readonly Asked[]): Plan<string> {
  const journal = createJournal();
  const told: string[] = [];
  for (const asked of forms) {
    try {
      told.push(yield* runForm(asked, journal));
    } catch (error) {
      yield* undo(journal);
      throw isOctavoError(error, "invalid_input") ? explain(error, asked) : error;
    }
  }
  return tellParts(...told);
}

function* runForm(asked: Asked, journal: Journal): Plan<string> {
  const from = journal.changes.length;
  const summary = yield* journal.record(planFor(asked.task));
  const changes = journal.changes.slice(from);
  if (changes.length === 0) return summary;
  const max = changes.find(({ maxFiles }) => maxFiles !== undefined)?.maxFiles;
  if (max !== undefined) throw tooManyFiles([...new Set(changes.map(({ path }) => path))], max);
  const broken = yield* brokenInvariant(asked, changes);
  if (broken === undefined) return summary;
  throw refuse({ reason: `${broken}; that is an error of mine`, send: [], isUnderstood: true });
}

/** The most forms that are shown. */
const maxChoices = 5;

/** The refusal of what is a form: with the form as it could be sent, where there are values that would do. */
function explain(error: OctavoError, asked: Asked): OctavoError {
  const { reason, slot, choices, send } = error.details;
  if (typeof reason !== "string") return error;
  const given = Array.isArray(choices) ? choices.map(String).slice(0, maxChoices) : [];
  const forms = Array.isArray(send)
    ? send.map(String)
    : given.map((choice) => withValue(asked, String(slot), choice));
  return refuse({ reason, send: forms, isChoice: true, isUnderstood: true });
}

/** How a slot that was left out is written at the end of a form. */
const additions: Readonly<Record<string, string>> = {
  scope: "in",
  group: "to the group",
  path: "at",
  target: "and redirect to",
};

function withValue({ text, values }: Asked, slot: string, value: string): string {
  const written = isBareValue(slot, value) ? value : inQuotes(value);
  const place = values.get(slot);
  if (place === undefined) return `${text} ${additions[slot] ?? ""} ${written}`;
  return text.slice(0, place.start) + written + text.slice(place.end);
}
