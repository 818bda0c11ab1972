import { parseCssColor } from "../markup/index.ts";
import { isRecordProp, type Props, type PropValue } from "../page/index.ts";

/**
 * Functions that read attributes in every notation that authors use, e.g. `cols={2}` and `cols="2"`, `required` and
 * `required="true"`, `color="FF713C"` and `color="#ff713c"`. Invalid values are treated as missing.
 */

/** Returns a string or a number as trimmed text. Returns undefined for a blank string and for other types. */
export function readTextProp(props: Props, name: string): string | undefined {
  const value = props[name];
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" ? undefined : text;
}

/** Reads an on/off attribute. Returns undefined if it is missing, or if its value is neither on nor off. */
export function readFlagProp(props: Props, name: string): boolean | undefined {
  const value = props[name];
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return value !== 0;
  if (typeof value !== "string") return undefined;
  const text = value.trim().toLowerCase();
  if (text === "" || text === "true" || text === name.toLowerCase()) return true;
  return text === "false" ? false : undefined;
}

/** Reads an integer, clamped to the range from `min` to `max`. */
export function readNumberProp(
  props: Props,
  name: string,
  range: { readonly min: number; readonly max: number },
): number | undefined {
  const text = readTextProp(props, name);
  if (text === undefined) return undefined;
  const value = Number.parseInt(text, 10);
  if (Number.isNaN(value)) return undefined;
  return Math.min(Math.max(value, range.min), range.max);
}

/** Reads a list of strings. A single string is treated as a list with one item. */
export function readListProp(props: Props, name: string): readonly string[] {
  const value = props[name];
  const values: readonly PropValue[] = Array.isArray(value) ? value : [value ?? null];
  const texts: string[] = [];
  for (const entry of values) {
    if (typeof entry === "number") texts.push(String(entry));
    if (typeof entry === "string" && entry.trim() !== "") texts.push(entry.trim());
  }
  return texts;
}

/** Reads the author's class names in either spelling (`class` or `className`). */
export function readClassProp(props: Props): string | undefined {
  return readTextProp(props, "className") ?? readTextProp(props, "class");
}

export function readColorProp(props: Props, name: string): string | undefined {
  return parseCssColor(props[name]);
}

const declarationName = /^(?:--[\w-]{1,60}|[a-z-]{2,40})$/;
const declarationValue = /^[\w\s.,%#()+*/-]{1,200}$/;
/** Matches CSS functions that can load resources. */
const loadingFunction = /(?:url|image|image-set|src|attr)\s*\(/i;
/** Matches the properties for which React does not add `px` to numbers. */
const unitlessProperty =
  /^(?:--|opacity|z-index|order|flex|flex-grow|flex-shrink|line-height|font-weight)/;

function writeDeclaration(name: string, value: PropValue | undefined): string | undefined {
  const property = name.startsWith("--")
    ? name
    : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  let text = typeof value === "string" ? value.trim() : "";
  if (typeof value === "number")
    text = value === 0 || unitlessProperty.test(property) ? `${value}` : `${value}px`;
  if (!declarationName.test(property) || !declarationValue.test(text)) return undefined;
  return loadingFunction.test(text) ? undefined : `${property}:${text}`;
}

/**
 * Reads the author's `style`, which is an object or text. Removes everything that could load resources or inject
 * markup.
 */
export function readStyleProp(props: Props): string | undefined {
  const style = props.style;
  const declarations: string[] = [];
  for (const [name, value] of listStyleEntries(style)) {
    const text = writeDeclaration(name, value);
    if (text !== undefined) declarations.push(text);
  }
  return declarations.length === 0 ? undefined : declarations.join(";");
}

function listStyleEntries(style: PropValue | undefined): Iterable<readonly [string, PropValue]> {
  if (typeof style === "string") {
    return style.split(";").map((part) => {
      const colon = part.indexOf(":");
      return [part.slice(0, Math.max(colon, 0)).trim(), part.slice(colon + 1)] as const;
    });
  }
  return isRecordProp(style) ? Object.entries(style) : [];
}
