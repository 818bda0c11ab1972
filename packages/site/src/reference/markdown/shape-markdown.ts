import { notesOf, writeLimit } from "../notes.ts";
import type { Field, Shape, ShapeChoice } from "../schema/shape.ts";
import { fill, type ApiWords } from "../../markup/index.ts";

/** Lines of a schema's fields as nested lists. */
export function shapeLines(shape: Shape, words: ApiWords, level = 0): string[] {
  const indent = "  ".repeat(level);
  if (shape.repeats !== undefined) {
    return [`${indent}- ${fill(words.repeats, { parent: inlineCode(shape.repeats) })}`];
  }
  if (shape.isCut) return [`${indent}- ${words.notShown}`];
  return [
    ...shape.fields.flatMap((field) => fieldLines(field, words, level)),
    ...(shape.moreFields === 0
      ? []
      : [`${indent}- ${fill(words.more, { count: `${shape.moreFields}` })}`]),
    ...shape.choices.flatMap((choice) => choiceLines(choice, words, level)),
  ];
}

export function fieldLines(field: Field, words: ApiWords, level = 0): string[] {
  const { name, kind, shape, isRequired, isDeprecated, description } = field;
  const shown =
    kind === "anyName" ? words.anyName : inlineCode(kind === "index" ? `[${name}]` : name);
  const marks = [
    shape.type,
    isRequired ? words.required : "",
    isDeprecated ? words.deprecated : "",
    shape.schema.readOnly === true ? words.readOnly : "",
    shape.schema.writeOnly === true ? words.writeOnly : "",
    ...(shape.schema.pre ?? []),
    ...(shape.schema.post ?? []),
  ].filter((mark) => mark !== "");
  const said = entryText(shape, description, { words, level });
  const line = `${"  ".repeat(level)}- ${shown} (${marks.join(", ")})${said}`;
  return [line, ...shapeLines(shape, words, level + 1)];
}

/** The author's description of an entry, after its name, and the schema's notes, on a line of their own. */
function entryText(
  shape: Shape,
  description: string | undefined,
  { words, level }: { readonly words: ApiWords; readonly level: number },
): string {
  const text = oneLine(description ?? "");
  const notes = noteTexts(shape, words).join(" ");
  if (text === "" || notes === "") return text + notes === "" ? "" : `: ${text}${notes}`;
  return `: ${text}\n${"  ".repeat(level + 1)}${notes}`;
}

function choiceLines(
  { kind, options, moreOptions }: ShapeChoice,
  words: ApiWords,
  level: number,
): string[] {
  const indent = "  ".repeat(level);
  const lines = [`${indent}- ${kind === "oneOf" ? words.oneOf : words.anyOf}:`];
  for (const { title, mark, shape } of options) {
    const when =
      mark === undefined
        ? ""
        : `, ${fill(words.when, { property: inlineCode(mark.property), value: inlineCode(mark.value) })}`;
    const said = entryText(shape, shape.schema.description, { words, level: level + 1 });
    const type = title === shape.type ? "" : ` (${shape.type})`;
    lines.push(`${indent}  - ${oneLine(title)}${type}${when}${said}`);
    lines.push(...shapeLines(shape, words, level + 2));
  }
  if (moreOptions > 0)
    lines.push(`${indent}  - ${fill(words.more, { count: String(moreOptions) })}`);
  return lines;
}

/** Type, description, notes and fields of the schema of a whole body. */
export function rootLines(shape: Shape, words: ApiWords): string[] {
  const notes = noteTexts(shape, words).join(" ");
  const head = [shape.type === "object" ? "" : inlineCode(shape.type), notes];
  const text = shape.schema.description?.trim() ?? "";
  const lines = shapeLines(shape, words);
  return [
    ...[...head, text].filter((part) => part !== ""),
    ...(lines.length === 0 ? [] : [lines.join("\n")]),
  ];
}

function noteTexts(shape: Shape, words: ApiWords): string[] {
  const notes = notesOf(shape, words);
  const texts: string[] = [];
  const put = (word: string, ...values: readonly string[]) =>
    texts.push(`${word}: ${values.map((value) => inlineCode(value)).join(", ")}.`);
  if (notes.constant !== undefined) put(words.constant, notes.constant);
  if (notes.values.length > 0) put(words.options, ...notes.values);
  if (notes.moreValues > 0) texts.push(fill(words.more, { count: String(notes.moreValues) }));
  const patterns = notes.patterns.map((pattern) =>
    fill(words.matches, { pattern: inlineCode(pattern) }),
  );
  const written = notes.limits.map((limit) => writeLimit(limit, { code: inlineCode, fill }));
  const limits = [...written, ...patterns];
  if (limits.length > 0) texts.push(`${oneLine(limits.join(", "))}.`);
  if (notes.default !== undefined) put(words.default, notes.default);
  if (notes.example !== undefined) put(words.example, notes.example);
  if (notes.isFreeForm) texts.push(words.anyFields);
  return texts;
}

/** A text for one line of a list. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

export function inlineCode(text: string): string {
  const line = oneLine(text);
  const fence = line.includes("`") ? "``" : "`";
  const pad = fence === "``" || line === "" ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}
