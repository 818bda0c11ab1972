import { OctavoError } from "@octavo/site/core";
import { matchWording, readWording, type SlotValues, type WordingPart } from "./form.ts";
import { forms, type FormName } from "./forms.ts";
import { createRefusal } from "./refusal.ts";
import type { Task } from "./task.ts";
import { getCanonicalWord, tokenizeInstruction, type Token } from "./tokens.ts";

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
/** The maximum number of tokens in one form. A longer text is rejected without being compared with every wording. */
const maxTokens = 100;
const maxForms = 50;
/**
 * The message with which the service returns a change that added errors to the site. A recipe would only repeat the
 * change.
 */
const returned = /^Your changes brought \d+ errors? that (?:were|was) not there before\.[^\n]*/;

const wordings: readonly { readonly name: FormName; readonly parts: readonly WordingPart[] }[] =
  forms.flatMap(({ name, wordings: own }) =>
    own.map((wording) => ({ name, parts: readWording(wording) })),
  );

/**
 * Parses an instruction into tasks, in order. Throws `invalid_input` with a message for the author if any part does not
 * completely match a form. The message names the most similar kinds of task, and nothing is changed.
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
    });
  }
  const sentences = cutIntoForms(tokenizeInstruction(instruction));
  if (sentences.length === 0)
    throw createRefusal({ reason: "the instruction does not ask for anything" });
  if (sentences.length > maxForms) {
    throw createRefusal({
      reason: `the instruction asks for more than ${maxForms} things`,
    });
  }
  const understood = sentences.map((tokens) => understand(tokens, instruction));
  const fault = understood.find((found) => "fault" in found);
  if (fault === undefined) return understood.filter((found) => "task" in found);
  throw createRefusal({ reason: fault.fault, nearest: listNearestKinds(sentences.flat()) });
}

const maxNearest = 3;
/** Words in wordings that do not indicate the kind of task. */
const joining: ReadonlySet<string> = new Set(["to", "in", "at", "with", "from", "the", "a"]);

/** Each kind of task, with the words that identify it. */
const kinds = forms
  .filter((form) => "purpose" in form)
  .map(({ wordings: [shown, ...others], hints }) => ({
    shown: leaveSlotsEmpty(shown),
    words: new Set([shown, ...others].flatMap(listWords).map(getCanonicalWord)),
    hints: new Set(hints.map(getCanonicalWord)),
  }));

function leaveSlotsEmpty(wording: string): string {
  return withoutOptions(wording).replaceAll(/"<[^>]+>"/g, '"…"').replaceAll(/<[^>]+>/g, "…"); // prettier-ignore
}

function listWords(wording: string): string[] {
  const words = withoutOptions(wording).replaceAll(/<[^>]+>/g, "").toLowerCase().match(/[a-z]+/g); // prettier-ignore
  return (words ?? []).filter((word) => !joining.has(word));
}

function withoutOptions(wording: string): string {
  return wording.replaceAll(/ ?\[(?:[^[\]]|\[[^\]]*\])*\]/g, "");
}

const negation = /^(?:don['’]?t|not|never)$/i;

/**
 * Lists the kinds of task that share the most words with an instruction. A hint counts as two words. A negated
 * instruction asks for none of them.
 */
function listNearestKinds(tokens: readonly Token[]): string[] {
  if (tokens.some(({ kind, text }) => kind === "word" && negation.test(text))) return [];
  const asked = tokens
    .slice(0, maxTokens)
    .map(({ text }) => getCanonicalWord(text.replaceAll(/^\W+|\W+$/g, "")));
  const count = (words: ReadonlySet<string>) => new Set(asked.filter((word) => words.has(word))).size; // prettier-ignore
  return kinds
    .map(({ shown, words, hints }) => ({ shown, score: count(words) + 2 * count(hints) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, maxNearest)
    .map(({ shown }) => shown);
}

/**
 * Splits tokens into forms. The result is either one form over several lines, or one form for each line or sentence.
 */
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

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

/** Builds the task from a form's slot values. */
function readTask(name: FormName, filled: SlotValues): Task {
  return readers[name]({
    text: (slot) => readSlot(filled, slot),
    given: (key, slot) => optional(key, readSlot(filled, slot)),
    page: (slot) => readPagePath(filled.get(slot)),
    has: (slot) => filled.has(slot),
    scoped: optionalScope(readSlot(filled, "scope")),
  });
}

interface Values {
  readonly text: (slot: string) => string;
  /** Returns `{ [key]: text }`, or an empty object if the slot is empty. */
  readonly given: <Key extends string>(key: Key, slot: string) => { readonly [K in Key]?: string };
  /** Reads a page's title or path. */
  readonly page: (slot: string) => string;
  readonly has: (slot: string) => boolean;
  readonly scoped: { readonly scope?: { readonly name: string } };
}

const readers: Readonly<Record<FormName, (values: Values) => Task>> = {
  fix_links: ({ scoped }) => ({ kind: "fix_links", what: "links", ...scoped }),
  fix_anchors: ({ scoped }) => ({ kind: "fix_links", what: "anchors", ...scoped }),
  fill_descriptions: ({ scoped }) => ({ kind: "fill_descriptions", ...scoped }),
  fix_spelling: ({ scoped }) => ({ kind: "fix_spelling", ...scoped }),
  rename_term: (values) => renaming(values),
  rename: (values) => ({ ...renaming(values), isNamed: true }),
  raise_version: ({ text, given, scoped }) => ({
    kind: "raise_version",
    from: text("from"),
    to: text("to"),
    ...given("product", "product"),
    ...scoped,
  }),
  move_page: ({ text, page, has }) => {
    const isFolder = has("folder") && !text("path").endsWith("/");
    return { kind: "move_page", page: page("page"), to: text("path") + (isFolder ? "/" : "") };
  },
  add_page: ({ text, given }) => ({
    kind: "add_page",
    title: text("title"),
    ...given("path", "path"),
    ...given("group", "group"),
    ...given("description", "description"),
    ...given("text", "text"),
  }),
  delete_page: ({ page, has }) => ({
    kind: "delete_page",
    page: page("page"),
    ...(has("target") ? { redirectTo: page("target") } : {}),
  }),
  set_field: ({ text, page, has }) => ({
    kind: "set_field",
    page: page("page"),
    field: has("field") ? text("field") : "sidebarTitle",
    value: text("value"),
  }),
  add_redirect: ({ text, page }) => ({
    kind: "add_redirect",
    from: text("source"),
    to: page("target"),
  }),
  rename_group: ({ text }) => ({
    kind: "rename_division",
    division: "group",
    name: text("group"),
    to: text("new"),
  }),
  rename_tab: ({ text }) => ({
    kind: "rename_division",
    division: "tab",
    name: text("tab"),
    to: text("new"),
  }),
};

function renaming({ text, has, scoped }: Values) {
  return {
    kind: "rename_term",
    from: text("old"),
    to: text("new"),
    inCode: has("code"),
    withPlural: has("plurals"),
    ...scoped,
  } as const;
}

/** Reads an unquoted value as a path, even if it is a single word, and not as a title. */
function readPagePath(token: Token | undefined): string {
  const name = token?.text.trim() ?? "";
  return token?.kind === "word" && !name.includes("/") ? `/${name}` : name;
}

function readSlot(filled: SlotValues, slot: string): string {
  return filled.get(slot)?.text.trim() ?? "";
}

function optional<Key extends string>(key: Key, value: string): { readonly [K in Key]?: string } {
  return (value === "" ? {} : { [key]: value }) as { readonly [K in Key]?: string };
}

function optionalScope(name: string): { readonly scope?: { readonly name: string } } {
  return name === "" ? {} : { scope: { name } };
}

const maxValue = 1_000;
/** Pairs of slots in which the second value replaces the first. */
const pairs = [
  ["old", "new"],
  ["from", "to"],
  ["group", "new"],
  ["tab", "new"],
] as const;

/** Explains why slot values cannot be valid; undefined if they can. */
function findValueFault(filled: SlotValues): string | undefined {
  for (const [slot, { text }] of filled) {
    if (slot === "text") continue;
    if (text.includes("\n")) return "a value must be on one line";
    if (text.length > maxValue) return `a value may have at most ${maxValue} characters`;
  }
  const isSame = pairs.some(([from, to]) => filled.has(from) && readSlot(filled, from) === readSlot(filled, to)); // prettier-ignore
  return isSame ? "both names are the same" : undefined;
}
