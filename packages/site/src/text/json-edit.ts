import { isJsonList } from "./json.ts";
import type { JsonList, JsonNode, JsonObject, JsonString } from "./json.ts";
import type { TextEdit } from "./text-edit.ts";

/** Edits of single JSON values, which leave every other character of the file unchanged. */

/** A value that can be added. */
export type NewValue = string | Readonly<Record<string, string>>;

/** Returns the edit that replaces a string. */
export function setString({ start, end }: JsonString, value: string): TextEdit {
  return { start, end, text: JSON.stringify(value) };
}

/** Removes items from a list or members from an object, including their commas and line ends. */
export function removeEntries(
  container: JsonList | JsonObject,
  isRemoved: (node: JsonNode) => boolean,
): TextEdit[] {
  const values = isJsonList(container) ? container.value : container.value.values();
  const entries = [...values].toSorted((a, b) => a.start - b.start);
  const firstRemaining = entries.findIndex((entry) => !isRemoved(entry));
  if (firstRemaining === -1)
    return [{ start: container.start + 1, end: container.end - 1, text: "" }];
  const edits: TextEdit[] = [];
  for (const [index, entry] of entries.entries()) {
    if (!isRemoved(entry)) continue;
    const previous = entries[index - 1];
    const next = entries[index + 1];
    const start = index < firstRemaining ? entry.entryStart : (previous?.end ?? entry.entryStart);
    const end = index < firstRemaining ? (next?.entryStart ?? entry.end) : entry.end;
    edits.push({ start, end, text: "" });
  }
  return edits;
}

/** Adds an item at the end of a list, formatted like its neighbors. */
export function appendItem(list: JsonList, value: NewValue): TextEdit {
  const { text } = list.source;
  const style = detectStyle(text);
  const last = list.value.at(-1);
  if (!last) return fillList(list, value, style);
  const gap = getGapBefore(last, list, style);
  const neighbor = text.slice(last.start, last.end);
  const isBlock = neighbor.includes("\n");
  const item = isBlock
    ? writeBlock(value, getIndentAt(text, last.start), style)
    : writeInline(value, neighbor);
  return { start: last.end, end: last.end, text: gap + item };
}

/** Adds a member at the end of an object. Its value is a list with one item. */
export function appendListMember(object: JsonObject, key: string, item: NewValue): TextEdit {
  const { text } = object.source;
  const style = detectStyle(text);
  const indent = getIndentAt(text, object.start);
  const outer = indent + style.unit;
  const list = wrapLine("[", writeBlock(item, outer + style.unit, style), outer, style);
  const member = `${JSON.stringify(key)}:${style.eol === "" ? "" : " "}${list}`;
  const ends = [...object.value.values()].map(({ end }) => end);
  if (ends.length > 0) {
    const start = Math.max(...ends);
    return { start, end: start, text: `,${style.eol}${style.eol === "" ? "" : outer}${member}` };
  }
  const whole = wrapLine("{", member, indent, style);
  return { start: object.start, end: object.end, text: whole };
}

/**
 * Adds the first item of a list, on a separate line unless the item is a string and both brackets are on the same line.
 */
function fillList(list: JsonList, value: NewValue, style: Style): TextEdit {
  const { start, end, source } = list;
  const indent = getIndentAt(source.text, start);
  const item = writeBlock(value, indent + style.unit, style);
  const isSingleLine = typeof value === "string" && !source.text.slice(start, end).includes("\n");
  return { start, end, text: isSingleLine ? `[${item}]` : wrapLine("[", item, indent, style) };
}

/** Returns the text to insert before a new item, which is the text between the last two items. */
function getGapBefore(last: JsonNode, list: JsonList, style: Style): string {
  const { text } = list.source;
  const previous = list.value.at(-2);
  if (previous) return text.slice(previous.end, last.start);
  const inner = text.slice(list.start + 1, last.start);
  return inner === "" && style.eol !== "" ? ", " : `,${inner}`;
}

interface Style {
  /** The line end; an empty string in a file with a single line. */
  readonly eol: string;
  /** One level of indentation. */
  readonly unit: string;
}

function detectStyle(text: string): Style {
  const line = /(\r?\n)([ \t]+)\S/.exec(text);
  if (line) return { eol: line[1] ?? "\n", unit: line[2] ?? "  " };
  return text.trimEnd().includes("\n") ? { eol: "\n", unit: "" } : { eol: "", unit: "" };
}

/** Returns the indentation of the line at `offset`. */
function getIndentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? "";
}

/** Formats brackets around an entry on a separate line. */
function wrapLine(open: "[" | "{", entry: string, indent: string, { eol, unit }: Style): string {
  const close = open === "[" ? "]" : "}";
  return eol === ""
    ? open + entry + close
    : open + eol + indent + unit + entry + eol + indent + close;
}

function writeBlock(value: NewValue, indent: string, { eol, unit }: Style): string {
  if (typeof value === "string" || eol === "") return JSON.stringify(value);
  const inner = indent + unit;
  const lines = Object.entries(value).map(
    ([key, text]) => `${inner}${JSON.stringify(key)}: ${JSON.stringify(text)}`,
  );
  return `{${eol}${lines.join(`,${eol}`)}${eol}${indent}}`;
}

function writeInline(value: NewValue, neighbor: string): string {
  if (typeof value === "string") return JSON.stringify(value);
  const padding = /^\{[ \t]/.test(neighbor) ? " " : "";
  const colon = /":\s/.test(neighbor) ? ": " : ":";
  const comma = /",\s/.test(neighbor) || colon === ": " ? ", " : ",";
  const members = Object.entries(value).map(
    ([key, text]) => JSON.stringify(key) + colon + JSON.stringify(text),
  );
  return `{${padding}${members.join(comma)}${padding}}`;
}
