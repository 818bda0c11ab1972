import { getBaseName, OctavoError } from "@octavo/site/core";
import { matchWording, readWording, type SlotValues, type WordingPart } from "./form.ts";
import { forms, type FormName } from "./forms.ts";
import { createRefusal } from "./refusal.ts";
import { readScope } from "./slots.ts";
import type { Scope, Task } from "./task.ts";
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
  const understood: ParsedTask[] = [];
  for (const tokens of sentences) {
    const found = understand(tokens, instruction, understood);
    if ("fault" in found)
      throw createRefusal({ reason: found.fault, nearest: listNearestKinds(sentences.flat()) });
    understood.push(...found.tasks);
  }
  return understood;
}

const maxNearest = 3;
/** Words in wordings that do not indicate the kind of task. */
const joining: ReadonlySet<string> = new Set("to in at with from the a all and as than not that lack one them".split(" ")); // prettier-ignore

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

type Understood = { readonly tasks: readonly ParsedTask[] } | { readonly fault: string };

/** Matches a sentence with one form, or with several that are joined by `and` or `then`; or explains why it does not. */
function understand(
  tokens: readonly Token[],
  instruction: string,
  earlier: readonly ParsedTask[],
): Understood {
  const text = instruction.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end);
  const clauses = matchClauses(withoutCourtesy(tokens), maxClauses);
  if (clauses === undefined) return { fault: `I do not understand “${shorten(text)}”` };
  const tasks: ParsedTask[] = [];
  for (const clause of clauses) {
    const fault = findValueFault(clause.filled);
    if (fault !== undefined) return { fault: `in “${shorten(text)}” ${fault}` };
    const page = findPageOf([...earlier, ...tasks].at(-1)?.task);
    if (clause.name === "set_its_field" && page === undefined)
      return { fault: `in “${shorten(text)}” it is not clear which page is meant` };
    tasks.push(createParsedTask(clause, page, instruction));
  }
  const scoped = tasks.filter(({ task }) => scopedKinds.has(task.kind));
  const hasScope = scoped.filter(({ task }) => "scope" in task).length;
  return hasScope > 0 && hasScope < scoped.length
    ? { fault: `in “${shorten(text)}” the part of the site may be meant for each of the tasks` }
    : { tasks };
}

/** A part of a sentence that matches a form. */
interface Clause {
  readonly name: FormName;
  readonly filled: SlotValues;
  readonly tokens: readonly Token[];
}

const maxClauses = 6;
const courtesy = /^(?:please|can|could|would|you)$/i;
const connective = /^(?:and|then|also|afterwards|finally|next)$/i;
const scopedKinds: ReadonlySet<Task["kind"]> = new Set(["fix_links", "fix_spelling", "fill_descriptions", "rename_term", "raise_version"]); // prettier-ignore

/** Removes the words of a polite request: `Could you fix the broken links?` */
function withoutCourtesy(tokens: readonly Token[]): readonly Token[] {
  const start = tokens.findIndex(({ kind, text }) => kind !== "word" || !courtesy.test(text));
  const last = tokens.at(-1);
  if (start < 1 || last?.kind !== "word" || !/[^?]\?$/.test(last.text)) return tokens.slice(Math.max(start, 0)); // prettier-ignore
  return [...tokens.slice(start, -1), { ...last, text: last.text.slice(0, -1), end: last.end - 1 }];
}

/** Matches the longest first part that leaves a rest of whole forms. */
function matchClauses(tokens: readonly Token[], max: number): readonly Clause[] | undefined {
  if (tokens.length === 0 || tokens.length > maxTokens || max === 0) return undefined;
  const whole = matchForm(tokens);
  if (whole !== undefined) return [{ ...whole, tokens }];
  for (let at = tokens.length - 1; at > 0; at--) {
    const token = tokens[at];
    const isConnective = token?.kind === "word" && connective.test(token.text);
    if (!isConnective && token?.hasComma !== true) continue;
    const rest = tokens.slice(at);
    const next = rest.findIndex(({ kind, text }) => kind !== "word" || !connective.test(text));
    const first = next === -1 ? undefined : matchForm(tokens.slice(0, at));
    const others = first && matchClauses(rest.slice(next), max - 1);
    if (first && others) return [{ ...first, tokens: tokens.slice(0, at) }, ...others];
  }
  return undefined;
}

/** Returns the page that `its` refers to after a task: by its new path, if the task moves or adds it. */
function findPageOf(task: Task | undefined): string | undefined {
  if (task?.kind === "move_page") return task.to.endsWith("/") ? `${task.to}${getBaseName(task.page)}` : task.to; // prettier-ignore
  if (task?.kind === "add_page") return task.path;
  return task?.kind === "set_field" ? task.page : undefined;
}

function createParsedTask(
  { name, filled, tokens }: Clause,
  page: string | undefined,
  instruction: string,
): ParsedTask {
  const start = tokens[0]?.start ?? 0;
  const values = [...filled].map(([slot, token]): [string, { start: number; end: number }] => [
    slot,
    { start: token.start - start, end: token.end - start },
  ]);
  const text = instruction.slice(start, tokens.at(-1)?.end);
  return { task: readTask(name, filled, page), text, values: new Map(values) };
}

function matchForm(tokens: readonly Token[]): { name: FormName; filled: SlotValues } | undefined {
  for (const { name, parts } of wordings) {
    const filled = matchWording(parts, tokens);
    if (filled !== undefined && isFieldValue(filled)) return { name, filled };
  }
  return undefined;
}

/** Fields whose values are often written without quotation marks, and those that are names or titles. */
const plainFields = /^(?:icon|iconType|mode|tag|version|(?:sidebar)?title|hidden|noindex|searchable|deprecated|rss|public)$/i; // prettier-ignore
const titleFields = /^(?:(?:sidebar)?title|tag)$/i;

/** Reports whether a value without quotation marks can be that of the field. In other fields, it could be a request. */
function isFieldValue(filled: SlotValues): boolean {
  const [field, value] = [filled.get("field"), filled.get("value")];
  if (field === undefined || value?.kind !== "word") return true;
  if (value.article !== undefined || !plainFields.test(field.text)) return false;
  const isTitle = /^\p{Lu}/u.test(value.text);
  return titleFields.test(field.text) ? isTitle : value.parts === undefined;
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

/** Builds the task from a form's slot values. */
function readTask(name: FormName, filled: SlotValues, previous: string | undefined): Task {
  return readers[name]({
    text: (slot) => readSlot(filled, slot),
    given: (key, slot) => optional(key, readSlot(filled, slot)),
    page: (slot) => readPagePath(filled.get(slot)),
    has: (slot) => filled.has(slot),
    scoped: optionalScope(filled.get("scope")),
    previous: previous ?? "",
  });
}

interface Values {
  readonly text: (slot: string) => string;
  /** Returns `{ [key]: text }`, or an empty object if the slot is empty. */
  readonly given: <Key extends string>(key: Key, slot: string) => { readonly [K in Key]?: string };
  /** Reads a page's title or path. */
  readonly page: (slot: string) => string;
  readonly has: (slot: string) => boolean;
  readonly scoped: { readonly scope?: Scope };
  /** The page that the previous task of the instruction is about. */
  readonly previous: string;
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
    const to = has("folder") ? toFolder(text("path")) : text("path");
    return { kind: "move_page", page: page("page"), to };
  },
  move_page_into: ({ text, page }) => ({
    kind: "move_page",
    page: page("page"),
    to: toFolder(text("path")),
  }),
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
  set_field: (values) => settingField(values),
  add_field: (values) => ({ ...settingField(values), was: "" }),
  set_its_field: (values) => ({ ...settingField(values), page: values.previous }),
  hide_page: ({ page }) => ({ kind: "set_field", page: page("page"), field: "hidden", value: "true" }), // prettier-ignore
  show_page: ({ page }) => ({ kind: "set_field", page: page("page"), field: "hidden", value: "false" }), // prettier-ignore
  add_redirect: ({ text, page }) => ({
    kind: "add_redirect",
    from: text("source"),
    to: page("target"),
  }),
  rename_group: ({ text }) => renamingDivision("group", text),
  rename_tab: ({ text }) => renamingDivision("tab", text),
};

function renamingDivision(division: "group" | "tab", text: Values["text"]) {
  return { kind: "rename_division", division, name: text(division), to: text("new") } as const;
}

function toFolder(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}

function settingField({ text, page, has }: Values) {
  const [, field = "sidebarTitle", value = ""] = /^(\S+):\s+(.*)$/s.exec(text("pair")) ?? [];
  return {
    kind: "set_field",
    page: has("title") ? text("title") : page("page"),
    field: has("field") ? text("field") : field,
    value: has("pair") ? value : text("value"),
    ...(has("was") ? { was: text("was") } : {}),
  } as const;
}

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

function optionalScope(token: Token | undefined): { readonly scope?: Scope } {
  const scope = token && readScope(token.parts ?? [token]);
  return scope === undefined || scope.parts.length === 0 ? {} : { scope };
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
