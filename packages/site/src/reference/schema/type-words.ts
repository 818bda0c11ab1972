import type { Resolve, ResolvedSchema } from "./resolve-schema.ts";

/** The maximum nesting depth of types, as in `string[][][]`. */
const maxDepth = 3;
/** The maximum number of options of a choice to show. The others become `…`. */
export const maxShownOptions = 6;

/** Formats the type of a value for readers, such as `string<date-time>`, `enum<string> | null` or `integer[]`. */
export function formatType(schema: ResolvedSchema, resolve: Resolve, depth = 0): string {
  const types = schema.type ?? inferTypes(schema);
  const words = types
    .filter((type) => type !== "null")
    .map((type) =>
      type === "array" ? formatArrayType(schema, resolve, depth) : formatTypeName(type, schema),
    );
  if (words.length === 0) words.push(...formatChoiceTypes(schema, resolve, depth));
  const shownTypes = new Set(words.length === 0 ? ["any"] : words);
  if (types.includes("null")) shownTypes.add("null");
  return [...shownTypes].join(" | ");
}

/** Reports whether the value is the content of a file rather than text. */
export function isFile(schema: ResolvedSchema): boolean {
  if (schema.format === "binary" || schema.format === "base64") return true;
  const mediaType = schema.contentMediaType;
  if (mediaType === undefined) return false;
  return !/^(?:text\/|application\/(?:[\w.+-]*json|xml)\b)/i.test(mediaType);
}

/** Returns the types that the keywords of a schema without a type imply. */
function inferTypes(schema: ResolvedSchema): readonly string[] {
  const { additionalProperties, patternProperties } = schema;
  const isObject = schema.properties.size > 0 || additionalProperties || patternProperties;
  if (isObject) return ["object"];
  if (schema.items !== undefined || schema.prefixItems !== undefined) return ["array"];
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  return [...new Set(values.map((value) => inferType(value)))];
}

function inferType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

function formatTypeName(type: string, schema: ResolvedSchema): string {
  if (schema.enum !== undefined) return `enum<${type}>`;
  if (type === "string" && isFile(schema)) return "file";
  return schema.format === undefined || type === "object" ? type : `${type}<${schema.format}>`;
}

function formatArrayType(schema: ResolvedSchema, resolve: Resolve, depth: number): string {
  if (schema.items === undefined || depth >= maxDepth) return "array";
  const item = formatType(resolve(schema.items), resolve, depth + 1);
  return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
}

function formatChoiceTypes(schema: ResolvedSchema, resolve: Resolve, depth: number): string[] {
  const [choice] = schema.choices;
  if (choice === undefined) return [];
  if (depth >= maxDepth) return ["any"];
  const words = choice.options
    .slice(0, maxShownOptions)
    .map((option) => formatType(resolve(option), resolve, depth + 1));
  return choice.options.length > maxShownOptions ? [...words, "…"] : words;
}
