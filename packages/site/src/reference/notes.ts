import type { Schema } from "../openapi/index.ts";
import type { ResolvedSchema } from "./schema/resolve-schema.ts";
import { noteLimits, type Shape } from "./schema/shape.ts";
import type { ApiWords, Template } from "../markup/index.ts";

const noLimits = { values: Infinity, valueLength: Infinity, patternLength: Infinity };

/** The constraints and facts that a schema states about a value, besides its type and fields. */
export interface Notes {
  /** The default value as JSON, except that strings have no quotation marks. */
  readonly default?: string;
  readonly constant?: string;
  readonly values: readonly string[];
  readonly moreValues: number;
  /** Limits, such as `1 to 100` or `at most 20 characters`. */
  readonly limits: readonly Limit[];
  /** Regular expressions. */
  readonly patterns: readonly string[];
  readonly examples: readonly string[];
  readonly isFreeForm: boolean;
}

/** A limit: a template of words, and the values to insert, which are code or are themselves limits. */
interface Limit {
  readonly template: string;
  readonly values: Readonly<Record<string, string | Limit>>;
}

/** Formats a limit. `fill` inserts formatted values into the words of its template. */
export function formatLimit<Text extends string>(
  { template, values }: Limit,
  write: {
    readonly code: (value: string) => Text;
    readonly fill: (template: LimitTemplate, values: Readonly<Record<string, Text>>) => Text;
  },
): Text {
  const formattedValues = Object.entries(values).map(([name, value]): [string, Text] => [
    name,
    typeof value === "string" ? write.code(value) : formatLimit(value, write),
  ]);
  return write.fill(template as LimitTemplate, Object.fromEntries(formattedValues));
}

type LimitTemplate = Template<string>;

/**
 * Creates the notes of a shape. With `isBody`, the shape describes a whole body, whose examples are shown beside the
 * text unless they are scalars. With `isWhole`, values and text are neither shortened nor omitted.
 */
export function createNotes(
  shape: Shape,
  words: ApiWords,
  { isBody = false, isWhole = false }: { isBody?: boolean; isWhole?: boolean } = {},
): Notes {
  const limits = isWhole ? noLimits : noteLimits;
  const { schema, items } = shape;
  const parts = [schema, ...items];
  const values = parts.flatMap((part) => part.enum ?? []);
  const constants = parts.flatMap((part) => (part.const === undefined ? [] : [part.const]));
  const defaults = parts.flatMap((part) => (part.default === undefined ? [] : [part.default]));
  const examples = parts.flatMap((part) => part.examples ?? []);
  const shownExamples = isBody ? examples.filter((value) => typeof value !== "object") : examples;
  const write = (value: unknown) => formatValue(value, limits.valueLength);
  return {
    ...(defaults.length === 0 ? {} : { default: defaults.map(write).join(", ") }),
    ...(constants.length === 0 ? {} : { constant: constants.map(write).join(", ") }),
    values: values.slice(0, limits.values).map(write),
    moreValues: Math.max(values.length - limits.values, 0),
    limits: [
      ...parts.flatMap((part) => listLimits(part, words)),
      ...parts.flatMap((part) => listFormats(part, shape.type)),
    ],
    patterns: parts.flatMap((part) =>
      part.pattern === undefined ? [] : shortenText(part.pattern, limits.patternLength),
    ),
    examples: [...new Set(shownExamples.map(write))],
    isFreeForm: (items.at(-1) ?? schema).additionalProperties === true,
  };
}

/** Returns the format of a value, unless its type shows it. */
function listFormats({ format }: ResolvedSchema, type: string): Limit[] {
  if (format === undefined || type.includes(`<${format}>`)) return [];
  if (format === "binary" || format === "base64") return [];
  return [{ template: "{format}", values: { format } }];
}

/** Formats a value as readers would write it. Strings have no quotation marks, unless they would be invisible. */
function formatValue(value: unknown, maxLength: number): string {
  const isText = typeof value === "string" && value.trim() !== "";
  return shortenText(isText ? value : (JSON.stringify(value) ?? ""), maxLength);
}

function shortenText(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

function listLimits(schema: ResolvedSchema, words: ApiWords): Limit[] {
  const limits = [
    ...listRanges(schema, words),
    ...listCountLimits(
      schema.minLength,
      schema.maxLength,
      [words.oneCharacter, words.characters],
      words,
    ),
    ...listCountLimits(schema.minItems, schema.maxItems, [words.oneItem, words.items], words),
    ...listCountLimits(
      schema.minProperties,
      schema.maxProperties,
      [words.oneField, words.fields],
      words,
    ),
  ];
  if (schema.uniqueItems === true) limits.push({ template: words.distinct, values: {} });
  if (schema.multipleOf !== undefined) {
    const values = { factor: String(schema.multipleOf) };
    limits.push({ template: words.multipleOf, values });
  }
  const { contentMediaType: mediaType } = schema;
  if (mediaType !== undefined) limits.push({ template: "{mediaType}", values: { mediaType } });
  if (schema.contentEncoding !== undefined) {
    limits.push({ template: words.encoded, values: { encoding: schema.contentEncoding } });
  }
  return limits;
}

type Bounds = Pick<Schema, "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum">;

function listRanges(schema: Bounds, words: ApiWords): Limit[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const isBetween = minimum !== undefined && maximum !== undefined;
  const bounds: readonly (readonly [number | undefined, Template<"limit">])[] = [
    [isBetween ? undefined : minimum, words.atLeast],
    [exclusiveMinimum, words.above],
    [isBetween ? undefined : maximum, words.atMost],
    [exclusiveMaximum, words.below],
  ];
  const singleLimits = bounds.flatMap(([bound, template]) =>
    bound === undefined ? [] : [{ template, values: { limit: String(bound) } }],
  );
  if (!isBetween) return singleLimits;
  const values = { min: String(minimum), max: String(maximum) };
  return [{ template: words.between, values }, ...singleLimits];
}

function listCountLimits(
  min: number | undefined,
  max: number | undefined,
  [one, several]: readonly [one: Template<"count">, several: Template<"count">],
  words: ApiWords,
): Limit[] {
  if (min === undefined && max === undefined) return [];
  const template = (min ?? max) === 1 && (max ?? min) === 1 ? one : several;
  if (min === max) return [{ template, values: { count: String(min) } }];
  const bounds = {
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  };
  return listRanges(bounds, words).map((range) => ({ template, values: { count: range } }));
}
