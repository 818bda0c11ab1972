import { notesOf } from "../notes.ts";
import type { Field, Shape, ShapeChoice } from "../schema/shape.ts";
import { fillIn, type ApiWords } from "../words.ts";

/** Lines of a schema's fields as nested lists. */
export function shapeLines(shape: Shape, words: ApiWords, level = 0): string[] {
  const indent = "  ".repeat(level);
  if (shape.repeats !== undefined) {
    return [`${indent}- ${fillIn(words.repeats, inlineCode(shape.repeats))}`];
  }
  if (shape.isCut) return [`${indent}- ${words.notShown}`];
  return [
    ...shape.fields.flatMap((field) => fieldLines(field, words, level)),
    ...(shape.moreFields === 0 ? [] : [`${indent}- ${fillIn(words.more, `${shape.moreFields}`)}`]),
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
  const said = [oneLine(description ?? ""), ...noteTexts(shape, words)].filter(
    (text) => text !== "",
  );
  const rest = said.length === 0 ? "" : `: ${said.join(" ")}`;
  const line = `${"  ".repeat(level)}- ${shown} (${marks.join(", ")})${rest}`;
  return [line, ...shapeLines(shape, words, level + 1)];
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
        : `, ${fillIn(words.when, inlineCode(mark.property), inlineCode(mark.value))}`;
    const said = [oneLine(shape.schema.description ?? ""), ...noteTexts(shape, words)]
      .filter((text) => text !== "")
      .join(" ");
    const type = title === shape.type ? "" : ` (${shape.type})`;
    lines.push(`${indent}  - ${oneLine(title)}${type}${when}${said === "" ? "" : `: ${said}`}`);
    lines.push(...shapeLines(shape, words, level + 2));
  }
  if (moreOptions > 0) lines.push(`${indent}  - ${fillIn(words.more, String(moreOptions))}`);
  return lines;
}

/** Type, description and notes of a schema that is a whole body. */
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
  if (notes.moreValues > 0) texts.push(fillIn(words.more, String(notes.moreValues)));
  const patterns = notes.patterns.map((pattern) => fillIn(words.pattern, inlineCode(pattern)));
  const limits = [...notes.limits, ...patterns];
  if (limits.length > 0) texts.push(`${oneLine(limits.join(", "))}.`);
  if (notes.default !== undefined) put(words.default, notes.default);
  if (notes.example !== undefined) put(words.example, notes.example);
  if (notes.isFreeForm) texts.push(words.anyFields);
  return texts;
}

/** A text within a line of a list. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

export function inlineCode(text: string): string {
  const line = oneLine(text);
  const fence = line.includes("`") ? "``" : "`";
  const pad = fence === "``" || line === "" ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}
