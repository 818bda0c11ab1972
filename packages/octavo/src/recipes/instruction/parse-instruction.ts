import { getBaseName, OctavoError } from "@octavo/site/core";
import { forms, type Form, type Scope, type ScopePart, type Task } from "./forms.ts";
import { createRefusal, listNearestKinds } from "./refusal.ts";
import { getCanonicalWord, tokenizeInstruction, type Token } from "./tokens.ts";

/** An instruction, or a part of one, that matches a form completely. */
export interface ParsedTask {
  readonly task: Task;
  /** The part of the instruction from which the task was parsed. */
  readonly text: string;
  /** The positions of the slot values in `text`. */
  readonly values: ReadonlyMap<string, { readonly start: number; readonly end: number }>;
}

/** The maximum number of characters in an instruction. The API has the same limit. */
const maxInstructionLength = 20_000;
/** The maximum number of tokens in one form. A longer text is rejected without being compared with every wording. */
const maxTokens = 100;
const maxForms = 50;
/**
 * Matches the message with which the service rejects a change that added errors to the site. A recipe would only repeat
 * the change.
 */
const returnedChangePattern =
  /^Your changes brought \d+ errors? that (?:were|was) not there before\.[^\n]*/;

/** Optional filler words. */
const fillerWords: ReadonlySet<string> = new Set(["a", "an", "the", "please"]);

const wordings: readonly { readonly form: Form; readonly parts: readonly WordingPart[] }[] =
  forms.flatMap((form) => form.wordings.map((wording) => ({ form, parts: readWording(wording) })));

/**
 * Parses an instruction into tasks, in order. Throws `invalid_input` with a message for the author if any part does not
 * completely match a form. If no form matches, the message names the most similar kinds of task.
 */
export function parseInstruction(instruction: string): readonly ParsedTask[] {
  if (returnedChangePattern.test(instruction)) {
    throw new OctavoError(
      "invalid_input",
      `I cannot do this: the change adds errors to the site that I cannot fix.${instruction.replace(returnedChangePattern, "").slice(0, 2_000)}`,
    );
  }
  if (instruction.length > maxInstructionLength) {
    throw createRefusal({
      reason: `the instruction is longer than ${maxInstructionLength} characters`,
    });
  }
  const sentences = cutIntoForms(tokenizeInstruction(instruction));
  if (sentences.length === 0)
    throw createRefusal({ reason: "the instruction does not ask for anything" });
  if (sentences.length > maxForms) {
    throw createRefusal({
      reason: `the instruction asks for more than ${maxForms} tasks`,
    });
  }
  const tasks: ParsedTask[] = [];
  for (const tokens of sentences) {
    const found = interpretSentence(tokens, instruction, tasks);
    if (typeof found === "string") {
      const nearest = listNearestKinds(sentences.flat().slice(0, maxTokens));
      throw createRefusal({ reason: found, nearest });
    }
    tasks.push(...found);
  }
  return tasks;
}

/**
 * Splits tokens into sentences. The result is either a single form that spans several lines, or one element for each
 * line or sentence.
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

/**
 * Matches a sentence with one form, or with several that are joined by words such as `and`. Returns the reason if it
 * cannot be understood.
 */
function interpretSentence(
  tokens: readonly Token[],
  instruction: string,
  earlier: readonly ParsedTask[],
): readonly ParsedTask[] | string {
  const text = shorten(instruction.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end));
  const clauses = matchClauses(removeCourtesy(tokens), maxClauses);
  if (clauses === undefined) return `I do not understand “${text}”`;
  const tasks: ParsedTask[] = [];
  for (const clause of clauses) {
    const fault = findValueFault(clause.filled);
    if (fault !== undefined) return `in “${text}” ${fault}`;
    const page = findPageOf([...earlier, ...tasks].at(-1)?.task);
    if (clause.form.isAboutPrevious === true && page === undefined)
      return `in “${text}” it is not clear which page is meant`;
    tasks.push(createParsedTask(clause, page, instruction));
  }
  const scoped = tasks.filter(({ task }) => scopedKinds.has(task.kind));
  const hasScope = scoped.filter(({ task }) => "scope" in task).length;
  return hasScope > 0 && hasScope < scoped.length
    ? `in “${text}” it is not clear whether the part of the site applies to all tasks`
    : tasks;
}

/** A part of a sentence that matches a form. */
interface Clause {
  readonly form: Form;
  readonly filled: SlotValues;
  readonly tokens: readonly Token[];
}

const maxClauses = 6;
const courtesyPattern = /^(?:please|can|could|would|you)$/i;
const connectivePattern = /^(?:and|then|also|afterwards|finally|next)$/i;
const scopedKinds: ReadonlySet<Task["kind"]> = new Set(["fix_links", "fix_spelling", "fill_descriptions", "rename_term", "raise_version"]); // prettier-ignore

/** Removes the words of a polite request: `Could you fix the broken links?` */
function removeCourtesy(tokens: readonly Token[]): readonly Token[] {
  const start = tokens.findIndex(
    ({ kind, text }) => kind !== "word" || !courtesyPattern.test(text),
  );
  const last = tokens.at(-1);
  if (start < 1 || last?.kind !== "word" || !/[^?]\?$/.test(last.text)) return tokens.slice(Math.max(start, 0)); // prettier-ignore
  return [...tokens.slice(start, -1), { ...last, text: last.text.slice(0, -1), end: last.end - 1 }];
}

/** Splits a sentence into clauses that each match a form. The first clause is as long as possible. */
function matchClauses(tokens: readonly Token[], max: number): readonly Clause[] | undefined {
  if (tokens.length === 0 || tokens.length > maxTokens || max === 0) return undefined;
  const whole = matchForm(tokens);
  if (whole !== undefined) return [{ ...whole, tokens }];
  for (let at = tokens.length - 1; at > 0; at--) {
    const token = tokens[at];
    const isConnective = token?.kind === "word" && connectivePattern.test(token.text);
    if (!isConnective && token?.hasComma !== true) continue;
    const rest = tokens.slice(at);
    const next = rest.findIndex(
      ({ kind, text }) => kind !== "word" || !connectivePattern.test(text),
    );
    const first = next === -1 ? undefined : matchForm(tokens.slice(0, at));
    const others = first && matchClauses(rest.slice(next), max - 1);
    if (first && others) return [{ ...first, tokens: tokens.slice(0, at) }, ...others];
  }
  return undefined;
}

/** Returns the page to which `its` refers after a task: if the task moves or adds the page, its new path. */
function findPageOf(task: Task | undefined): string | undefined {
  if (task?.kind === "move_page") return task.to.endsWith("/") ? `${task.to}${getBaseName(task.page)}` : task.to; // prettier-ignore
  if (task?.kind === "add_page") return task.path;
  return task?.kind === "set_field" ? task.page : undefined;
}

/** Builds the task from a form's slot values. `previous` is the page of the previous task, if it has one. */
function createParsedTask(
  { form, filled, tokens }: Clause,
  previous: string | undefined,
  instruction: string,
): ParsedTask {
  const start = tokens[0]?.start ?? 0;
  const values = [...filled].map(
    ([slot, token]) => [slot, { start: token.start - start, end: token.end - start }] as const,
  );
  const text = (slot: string) => readSlot(filled, slot);
  const scope = filled.get("scope");
  const { parts = [] } = (scope && readScope(scope.parts ?? [scope])) ?? {};
  const task = form.task({
    text,
    getFilledSlots: <Slot extends string>(...slots: Slot[]) => {
      const filledSlots = slots.filter((slot) => text(slot) !== "");
      return Object.fromEntries(filledSlots.map((slot) => [slot, text(slot)])) as Partial<Record<Slot, string>>; // prettier-ignore
    },
    // An unquoted value is marked as a path with a slash, because a single word could also be a title.
    page: (slot) =>
      filled.get(slot)?.kind === "word" ? text(slot).replace(/^(?=[^/]+$)/, "/") : text(slot),
    has: (slot) => filled.has(slot),
    scopeField: parts.length === 0 ? {} : { scope: { parts } },
    previous: previous ?? "",
  });
  return { task, text: instruction.slice(start, tokens.at(-1)?.end), values: new Map(values) };
}

function matchForm(tokens: readonly Token[]): Omit<Clause, "tokens"> | undefined {
  for (const { form, parts } of wordings) {
    const filled = matchWording(parts, tokens);
    if (filled !== undefined && isFieldValue(filled)) return { form, filled };
  }
  return undefined;
}

/** Matches fields whose values are often written without quotation marks. */
const unquotedFieldPattern = /^(?:icon|iconType|mode|tag|version|(?:sidebar)?title|hidden|noindex|searchable|deprecated|rss|public)$/i; // prettier-ignore
/** Matches fields whose values are names or titles. */
const titleFieldPattern = /^(?:(?:sidebar)?title|tag)$/i;

/** Reports whether a value without quotation marks can be the value of its field, rather than part of a request. */
function isFieldValue(filled: SlotValues): boolean {
  const [field, value] = [filled.get("field"), filled.get("value")];
  if (field === undefined || value?.kind !== "word") return true;
  if (value.article !== undefined || !unquotedFieldPattern.test(field.text)) return false;
  const isTitle = /^\p{Lu}/u.test(value.text);
  return titleFieldPattern.test(field.text) ? isTitle : value.parts === undefined;
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

function readSlot(filled: SlotValues, slot: string): string {
  return filled.get(slot)?.text.trim() ?? "";
}

const maxValueLength = 1_000;
/** Pairs of slots, the second of which contains the replacement for the first. */
const slotPairs = [
  ["old", "new"],
  ["from", "to"],
  ["group", "new"],
  ["tab", "new"],
] as const;

/** Explains why a slot value is invalid. Returns undefined if all values are valid. */
function findValueFault(filled: SlotValues): string | undefined {
  for (const [slot, { text }] of filled) {
    if (slot === "text") continue;
    if (text.includes("\n")) return "a value must be on one line";
    if (text.length > maxValueLength)
      return `a value may have at most ${maxValueLength} characters`;
  }
  const isSame = slotPairs.some(([from, to]) => filled.has(from) && readSlot(filled, from) === readSlot(filled, to)); // prettier-ignore
  return isSame ? "both names are the same" : undefined;
}

/** A part of a form's wording. */
type WordingPart =
  /** `words` are alternatives. If the list is empty, the word is an optional filler such as an article. */
  | { readonly type: "word"; readonly words: readonly string[] }
  | {
      readonly type: "slot";
      readonly name: string;
      readonly kind: string;
      readonly isQuoted: boolean;
    }
  | { readonly type: "option"; readonly parts: readonly WordingPart[] };

/** The tokens in the slots of a form, keyed by slot. Options without a slot are keyed by their last word. */
type SlotValues = ReadonlyMap<string, Token>;

/**
 * Parses a wording. It consists of words (`to|in` for either), `<slots>` that take a path, a name or a quoted value,
 * `"<slots>"` that take only a quoted value, and `[options]`, which may come in any order if adjacent. `<name:kind>` is
 * filled like a slot named `kind`, but takes no quoted value.
 */
function readWording(wording: string): readonly WordingPart[] {
  const pieces = wording.match(/\[|\]|"?<[a-z:]+>"?|[^\s[\]]+/g) ?? [];
  const stack: WordingPart[][] = [[]];
  for (const piece of pieces) {
    const current = stack.at(-1) ?? [];
    const [, name, kind = name] = /<([a-z]+)(?::([a-z]+))?>/.exec(piece) ?? [];
    if (piece === "[") stack.push([]);
    else if (piece === "]") stack.at(-2)?.push({ type: "option", parts: stack.pop() ?? [] });
    else if (name !== undefined && kind !== undefined)
      current.push({ type: "slot", name, kind, isQuoted: piece.startsWith('"') });
    else
      current.push({
        type: "word",
        words: isFillerWord(piece) ? [] : piece.split("|").map(getCanonicalWord),
      });
  }
  return stack[0] ?? [];
}

/** Matches tokens against a wording. Returns undefined unless all tokens fit. */
function matchWording(
  parts: readonly WordingPart[],
  tokens: readonly Token[],
): SlotValues | undefined {
  const remaining = tokens.filter(({ kind, text }) => kind !== "word" || text !== "please");
  const matchable = remaining.flatMap((token, index): Token[] => {
    if (isArticle(remaining, index)) return [];
    const article = isArticle(remaining, index - 1) ? remaining[index - 1]?.text : undefined;
    return [article === undefined ? token : { ...token, article }];
  });
  return matchParts(parts, matchable, new Map());
}

function isFillerWord(word: string): boolean {
  return fillerWords.has(word.toLowerCase());
}

/**
 * Reports whether a token is a filler word. At the end, or before `to` and similar words, such a word is a name
 * instead.
 */
function isArticle(tokens: readonly Token[], index: number): boolean {
  const [token, next] = tokens.slice(index, index + 2);
  if (token?.kind !== "word" || !isFillerWord(token.text)) return false;
  if (next === undefined || next.hasComma === true) return false;
  return next.kind !== "word" || !connectingWords.has(getCanonicalWord(next.text));
}

const connectingWords: ReadonlySet<string> = new Set("to with in at and also including".split(" "));

function matchParts(
  parts: readonly WordingPart[],
  tokens: readonly Token[],
  filled: SlotValues,
): SlotValues | undefined {
  const [part, ...rest] = parts;
  const [token, ...others] = tokens;
  if (part === undefined) return token === undefined ? filled : undefined;
  if (part.type === "option") return matchOptions(parts, tokens, filled);
  if (part.type === "word" && part.words.length === 0) return matchParts(rest, tokens, filled);
  if (token === undefined) return undefined;
  if (part.type === "word") {
    const fits = token.kind === "word" && part.words.includes(getCanonicalWord(token.text));
    return fits ? matchParts(rest, others, filled) : undefined;
  }
  for (let count = Math.min(tokens.length, maxWords[part.kind] ?? 1); count > 0; count--) {
    const value = joinTokens(tokens.slice(0, count));
    const isFilled = value !== undefined && fitsSlot(part, value);
    const found = isFilled && matchParts(rest, tokens.slice(count), new Map([...filled, [part.name, value]])); // prettier-ignore
    if (found) return found;
  }
  return undefined;
}

/**
 * Joins the tokens of a multi-word value, including the articles and commas between them. A single token is returned
 * unchanged. Returns undefined if a sentence ends within the value.
 */
function joinTokens(tokens: readonly Token[]): Token | undefined {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (first === undefined || last === undefined || first === last) return first;
  if (tokens.some(({ kind }) => kind === "end")) return undefined;
  const others = tokens.slice(1).map(({ text, article, hasComma }) => {
    return `${hasComma === true ? "," : ""} ${article === undefined ? "" : `${article} `}${text}`;
  });
  return { ...first, kind: "word", text: [first.text, ...others].join(""), end: last.end, parts: tokens }; // prettier-ignore
}

/** Matches adjacent options, each at most once and in any order. */
function matchOptions(
  parts: readonly WordingPart[],
  tokens: readonly Token[],
  filled: SlotValues,
): SlotValues | undefined {
  const end = parts.findIndex(({ type }) => type !== "option");
  const options = parts.slice(0, end === -1 ? parts.length : end);
  const rest = parts.slice(options.length);
  for (const option of options) {
    if (option.type !== "option" || tokens.length === 0) continue;
    const others = options.filter((other) => other !== option);
    const flag = findFlag(option.parts, tokens[0]);
    const found = matchParts(
      [...option.parts, ...others, ...rest],
      tokens,
      new Map([...filled, ...flag]),
    );
    if (found !== undefined) return found;
  }
  return matchParts(rest, tokens, filled);
}

/**
 * Returns the entry for an option without a slot: its last word as the key, and the given token. Returns an empty list
 * for other options.
 */
function findFlag(parts: readonly WordingPart[], token: Token | undefined): [string, Token][] {
  const last = parts.at(-1);
  const isFlag = last?.type === "word" && parts.every(({ type }) => type === "word");
  return isFlag && token !== undefined ? [[last.words[0] ?? "", token]] : [];
}

function fitsSlot(part: Extract<WordingPart, { type: "slot" }>, token: Token): boolean {
  if (part.kind === "scope") return readScope(token.parts ?? [token]) !== undefined;
  if (token.kind === "value")
    return part.kind === part.name && isQuotedValue(part.name, token.text);
  // The preceding article could be the first word of the value.
  if (part.kind === "words" && token.article !== undefined) return false;
  return !part.isQuoted && isBareValue(part.kind, token.text);
}

const pathSource = String.raw`/?[\p{L}\p{N}_@~-][\p{L}\p{N}_.@~-]*(?:/[\p{L}\p{N}_.@~-]+)*`;
const pathPattern = new RegExp(`^${pathSource}/?$`, "u");
/** Matches a page's path. It has no trailing slash, because a slash would indicate a folder. */
const pagePattern = new RegExp(
  `^(?!(?:its?|this|that|them|all|every|each|everything)$)${pathSource}$`,
  "u",
);
/**
 * Matches a path that is unambiguous because it contains a slash or an extension. A single word may mean something
 * else.
 */
const filePattern = new RegExp(String.raw`^(?=.*/|.*\.mdx?$)${pathSource}$`, "u");
const targetPattern = new RegExp(String.raw`^${pathSource}(?:#[^\s#]+)?$|^https?://\S+$`, "u");
const namePattern = /^[\p{L}\p{N}][\p{L}\p{N}_.-]*$/u;
/** Matches a field of the frontmatter, such as `og:image`. */
const fieldPattern = /^[\p{L}][\p{L}\p{N}_.-]*(?::[\p{L}\p{N}_.-]+)*$/u;
/** Matches a name next to the word `group` or `tab`, without words that could belong to the instruction. */
const divisionNamePattern =
  /^(?!.*(?:^| )(?:to|and|then|with|called|its)(?: |$))[\p{L}\p{N}][^"“”«»`:]*$/iu;
const capital = String.raw`[\p{Lu}\p{N}][\p{L}\p{N}+&/.'’-]*`;
/**
 * Matches a new name without quotation marks. Its main words must be capitalized, because uncapitalized words could
 * belong to another clause of the instruction: `to Payments and move it up`.
 */
const capitalizedWordsPattern = new RegExp(String.raw`^(?!(?:title|sentence|upper|lower|camel) ?case$)${capital}(?: (?:(?:of|for|and|&|in|with|up|out|off|your|via|vs) )?(?:(?:the|an?) )?${capital})*$`, "u"); // prettier-ignore

/** The maximum number of words in a value without quotation marks. */
const maxWords: Readonly<Record<string, number>> = { scope: 12, division: 5, words: 6 };

/** The patterns of unquoted values. All other slots take only quoted values. */
const bareValuePatterns: Readonly<Record<string, RegExp>> = {
  scope: pathPattern,
  page: pagePattern,
  file: filePattern,
  path: pathPattern,
  source: pathPattern,
  target: targetPattern,
  group: namePattern,
  tab: namePattern,
  division: divisionNamePattern,
  words: capitalizedWordsPattern,
  field: fieldPattern,
  word: /^(?!(?:something|none|nothing|null|default|empty|blank|upper|lower|mixed)$)[a-z\d][\w.-]*$/i,
  from: /^v?\d[\w.+-]*$/,
  to: /^v?\d[\w.+-]*$/,
  product: namePattern,
};

export function isBareValue(slot: string, word: string): boolean {
  return bareValuePatterns[slot]?.test(word) === true;
}

/** Slots whose quoted values must have the same form as unquoted ones, because they do not contain free text. */
const pathSlots: ReadonlySet<string> = new Set(["path", "source", "field"]);
const pairPattern = /^[\w:-]*\w:\s+\S/;

function isQuotedValue(slot: string, text: string): boolean {
  if (slot === "pair") return pairPattern.test(text);
  return text !== "" && (!pathSlots.has(slot) || isBareValue(slot, text));
}

const sitePattern = /^(?:docs?|documentation|site|website|manual|everything)$/i;
const wholeSitePattern = /^(?:(?:whole|entire|complete|full|all|every) )*(?:of )?(?:docs?|documentation|site|website|manual|pages?|files?|everything)$/i; // prettier-ignore
const pagesLeadPattern =
  /^(?:all|every|each)? ?(?:pages?|files?|docs?) (?:in|of|under|below|within|inside)$/i;
const pathNounPattern =
  /^(?:folder|directory|page|pages|files?|docs|version|translations?|guide)$/i;
const divisionNounPattern = /^(?:groups?|sections?|tabs?)$/i;
const pluralNounPattern = /^(?:groups|sections|tabs|folders)$/i;
const conjunctionPattern = /^(?:and|&)$/i;
/**
 * Matches words that are not interpreted as folder names, because they denote parts of pages or belong to another
 * clause.
 */
const reservedPattern = /^(?:code|headings?|titles?|descriptions?|frontmatter|prose|text|tables?|lists?|links?|comments?|navigation|sidebar|quotes?|examples?|bold|italics?|it|that|this|these|those|which|where|here|there|order|case|general|full|place)$/i; // prettier-ignore

/**
 * Parses a part of a site: `guides`, `fr and es`, `the French pages`, `all pages in the folder guides`, `the API tab`.
 * The scope of the whole site has no parts. Returns undefined if the words do not name a part of a site.
 */
function readScope(tokens: readonly Token[]): Scope | undefined {
  if (tokens.every(({ kind }) => kind === "word") && wholeSitePattern.test(toText(tokens)))
    return { parts: [] };
  const lead = [3, 2].find((count) => pagesLeadPattern.test(toText(tokens.slice(0, count)))) ?? 0;
  const items: Token[][] = [[]];
  for (const token of tokens.slice(lead)) {
    const isJoining = token.kind === "word" && conjunctionPattern.test(token.text);
    if (isJoining || (token.hasComma === true && items.at(-1)?.length !== 0)) items.push([]);
    if (!isJoining) items.at(-1)?.push(token);
  }
  const { noun, names } = takeSharedNoun(items);
  const parts = names.flatMap((name) => readScopePart(name, noun) ?? []);
  return parts.length === names.length ? { parts } : undefined;
}

/** Separates the items of a list from the noun that applies to all: `the groups A and B`, `the fr and es pages`. */
function takeSharedNoun(items: readonly (readonly Token[])[]): {
  readonly noun: string;
  readonly names: readonly (readonly Token[])[];
} {
  const [first = [], ...others] = items;
  const last = items.at(-1) ?? [];
  const [leading = "", trailing = ""] = [first[0], last.at(-1)].map((token) =>
    token?.kind === "word" ? token.text : "",
  );
  if (others.length === 0) return { noun: "", names: items };
  if (pluralNounPattern.test(leading))
    return { noun: leading.slice(0, -1), names: [first.slice(1), ...others] };
  const names = [...items.slice(0, -1), last.slice(0, -1)];
  if (last.length > 1 && pluralNounPattern.test(trailing))
    return { noun: trailing.slice(0, -1), names };
  if (last.length > 1 && /^(?:pages|files|docs)$/i.test(trailing)) return { noun: trailing, names };
  return { noun: "", names: items };
}

function toText(tokens: readonly Token[]): string {
  return tokens.map(({ text }) => text).join(" ");
}

/** Parses one item of a scope. `noun` is the noun that the whole list shares, if any. */
function readScopePart(tokens: readonly Token[], noun: string): ScopePart | undefined {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (first === undefined || last === undefined) return undefined;
  if (divisionNounPattern.test(noun)) return readDivision(tokens, noun);
  if (isNoun(first, tokens, divisionNounPattern)) return readDivision(tokens.slice(1), first.text);
  if (isNoun(last, tokens, divisionNounPattern))
    return readDivision(tokens.slice(0, -1), last.text);
  if (isNoun(first, tokens, pathNounPattern)) return readPath(tokens.slice(1), first.text);
  if (isNoun(last, tokens, pathNounPattern)) return readPath(tokens.slice(0, -1), last.text);
  return readPath(tokens, noun);
}

/** Reports whether a token is a noun that states the kind of the name next to it. */
function isNoun(token: Token, tokens: readonly Token[], pattern: RegExp): boolean {
  return tokens.length > 1 && token.kind === "word" && pattern.test(token.text);
}

function readDivision(tokens: readonly Token[], noun: string): ScopePart | undefined {
  const name = toText(tokens);
  const isQuoted = tokens.length === 1 && tokens[0]?.kind === "value";
  const isBare = tokens.every(({ kind }) => kind === "word") && isBareValue("division", name);
  return isQuoted || isBare ? { kind: /^tabs?$/i.test(noun) ? "tab" : "group", name } : undefined;
}

function readPath([path, ...others]: readonly Token[], noun: string): ScopePart | undefined {
  if (path === undefined || others.length > 0 || path.text === "") return undefined;
  const isReserved = reservedPattern.test(path.text) || sitePattern.test(path.text);
  if (path.kind !== "value" && (isReserved || !isBareValue("scope", path.text))) return undefined;
  return { kind: "path", name: path.text.replace(/\/?$/, getEnding(noun, path.text)) };
}

/** Returns the path ending that a noun implies: `the folder guides` does not mean the page `guides`. */
function getEnding(noun: string, path: string): string {
  if (/^(?:folder|directory)$/i.test(noun)) return "/";
  if (/^page$/i.test(noun) && !/\.mdx?$/i.test(path)) return ".mdx";
  return path.endsWith("/") ? "/" : "";
}
