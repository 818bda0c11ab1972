import { OctavoError } from "@octavo/site/core";
import { matchWording, readWording } from "./form.ts";
import type { SlotValues, WordingPart } from "./form.ts";
import { forms } from "./forms.ts";
import type { FormName } from "./forms.ts";
import { findNearestForms } from "./nearest-form.ts";
import { findValueFault, readTask } from "./read-task.ts";
import { createRefusal } from "./refusal.ts";
import type { Task } from "./task.ts";
import { tokenizeInstruction } from "./tokens.ts";
import type { Token } from "./tokens.ts";

/** An instruction, or a part of one, that matches a form completely. */
export interface ParsedTask {
  readonly task: Task;
  /** The original text. */
  readonly text: string;
  /** The positions of the slot values in `text`. */
  readonly values: ReadonlyMap<string, { readonly start: number; readonly end: number }>;
}

/** The API's own limit, in characters. */
const maxLength = 20_000;
/** The maximum number of tokens in one form. A longer text is rejected without comparing it with every wording. */
const maxTokens = 100;
const maxForms = 50;
/** How the service returns a change that added errors to the site. A recipe would only repeat the change. */
const returned = /^Your changes brought \d+ errors? that (?:were|was) not there before\.[^\n]*/;

const wordings: readonly { readonly name: FormName; readonly parts: readonly WordingPart[] }[] =
  forms.flatMap(({ name, wordings: own }) =>
    own.map((wording) => ({ name, parts: readWording(wording) })),
  );

/**
 * Parses an instruction into tasks, in order. Throws `invalid_input` with a message for the author if any part does not
 * completely match a form; the message suggests an accepted instruction, and nothing is changed.
 */
export function parseInstruction(instruction: string): readonly ParsedTask[] {
  if (returned.test(instruction)) {
    throw new OctavoError(
      "invalid_input",
      `I cannot do this: the change adds errors to the site that I cannot fix.${instruction.replace(returned, "").slice(0, 2_000)}`,
    );
  }
  if (instruction.length > maxLength) {
    throw createRefusal({
      reason: `the instruction is longer than ${maxLength} characters`,
      send: [],
    });
  }
  const sentences = cutIntoForms(tokenizeInstruction(instruction));
  if (sentences.length === 0)
    throw createRefusal({ reason: "the instruction asks for nothing", send: [] });
  if (sentences.length > maxForms) {
    throw createRefusal({
      reason: `the instruction asks for more than ${maxForms} things`,
      send: [],
    });
  }
  const understood = sentences.map((tokens) => understand(tokens, instruction));
  const fault = understood.find((found) => "fault" in found);
  if (fault === undefined) return understood.filter((found) => "task" in found);
  const send = understood.flatMap((found, index) =>
    "task" in found ? [found.text] : findNearestForms(sentences[index] ?? [], instruction, isForm),
  );
  throw createRefusal({ reason: fault.fault, send });
}

/** Splits tokens into forms: one form over several lines, or one for each line or sentence. */
function cutIntoForms(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const whole = tokens.filter(({ kind, isLine }) => kind !== "end" || isLine !== true);
  const last = whole.at(-1)?.kind === "end" ? whole.slice(0, -1) : whole;
  if (last.every(({ kind }) => kind !== "end") && matchForm(last) !== undefined) return [last];
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === "end") parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts.filter((part) => part.length > 0);
}

/** Matches tokens with a form, or explains why they match none. */
function understand(
  tokens: readonly Token[],
  instruction: string,
): ParsedTask | { readonly fault: string } {
  const start = tokens[0]?.start ?? 0;
  const text = instruction.slice(start, tokens.at(-1)?.end);
  const found = matchForm(tokens);
  if (found === undefined) return { fault: `I do not understand “${shorten(text)}”` };
  const fault = findValueFault(found.filled);
  if (fault !== undefined) return { fault: `in “${shorten(text)}” ${fault}` };
  const values = [...found.filled].map(
    ([slot, token]): [string, { start: number; end: number }] => [
      slot,
      { start: token.start - start, end: token.end - start },
    ],
  );
  return { task: readTask(found.name, found.filled), text, values: new Map(values) };
}

function matchForm(tokens: readonly Token[]): { name: FormName; filled: SlotValues } | undefined {
  if (tokens.length > maxTokens) return undefined;
  for (const { name, parts } of wordings) {
    const filled = matchWording(parts, tokens);
    if (filled !== undefined) return { name, filled };
  }
  return undefined;
}

function isForm(text: string): boolean {
  const tokens = tokenizeInstruction(text);
  const found = matchForm(tokens);
  return found !== undefined && findValueFault(found.filled) === undefined;
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
