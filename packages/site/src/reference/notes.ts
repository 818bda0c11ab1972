import type { Schema } from "../openapi/index.ts";
import type { ResolvedSchema } from "./schema/resolve-schema.ts";
import type { Shape } from "./schema/shape.ts";
import { fill, type ApiWords, type Template } from "../markup/index.ts";

/** Values of an enumeration: enough for all countries or currencies. */
const maxValues = 300;
const maxValueLength = 200;

/** What a schema says about a value besides its type and its fields. */
export interface Notes {
  /** As JSON; strings without quotes. */
  readonly default?: string;
  readonly constant?: string;
  readonly values: readonly string[];
  readonly moreValues: number;
  /** In words: `1 to 100`, `at most 20 characters`. */
  readonly limits: readonly string[];
  /** Regular expressions. */
  readonly patterns: readonly string[];
  readonly example?: string;
  readonly isFreeForm: boolean;
}

export function notesOf({ schema, item, ...shape }: Shape, words: ApiWords): Notes {
  const values = schema.enum ?? item?.enum ?? [];
  const example = schema.examples?.[0] ?? item?.examples?.[0];
  const isScalar = shape.fields.length === 0 && shape.choices.length === 0;
  return {
    ...(schema.default === undefined ? {} : { default: valueText(schema.default) }),
    ...(schema.const === undefined ? {} : { constant: valueText(schema.const) }),
    values: values.slice(0, maxValues).map((value) => valueText(value)),
    moreValues: Math.max(values.length - maxValues, 0),
    limits: [...limitsOf(schema, words), ...(item === undefined ? [] : limitsOf(item, words))],
    patterns: [schema, item].flatMap((part) =>
      part?.pattern === undefined ? [] : valueText(part.pattern),
    ),
    ...(example === undefined || !isScalar ? {} : { example: valueText(example) }),
    isFreeForm: (item ?? schema).additionalProperties === true,
  };
}

/** A value as readers would write it; strings have no quotes. */
export function valueText(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}

function limitsOf(schema: ResolvedSchema, words: ApiWords): string[] {
  const limits = [
    rangeOf(schema, words),
    counted(schema.minLength, schema.maxLength, words.characters, words),
    counted(schema.minItems, schema.maxItems, words.items, words),
    counted(schema.minProperties, schema.maxProperties, words.fields, words),
    schema.uniqueItems === true ? words.distinct : "",
    schema.multipleOf === undefined
      ? ""
      : fill(words.multipleOf, { factor: String(schema.multipleOf) }),
    schema.contentEncoding === undefined
      ? ""
      : fill(words.encoded, { encoding: schema.contentEncoding }),
  ];
  return limits.filter((limit) => limit !== "");
}

type Bounds = Pick<Schema, "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum">;

function rangeOf(schema: Bounds, words: ApiWords): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (minimum !== undefined && maximum !== undefined) {
    return fill(words.between, { min: String(minimum), max: String(maximum) });
  }
  const phrases: readonly (readonly [number | undefined, Template<"limit">])[] = [
    [minimum, words.atLeast],
    [exclusiveMinimum, words.above],
    [maximum, words.atMost],
    [exclusiveMaximum, words.below],
  ];
  return phrases
    .filter(([bound]) => bound !== undefined)
    .map(([bound, saying]) => fill(saying, { limit: String(bound) }))
    .join(", ");
}

function counted(
  min: number | undefined,
  max: number | undefined,
  unit: Template<"count">,
  words: ApiWords,
): string {
  if (min === undefined && max === undefined) return "";
  if (min === max) return fill(unit, { count: String(min) });
  const range = rangeOf(
    {
      ...(min === undefined ? {} : { minimum: min }),
      ...(max === undefined ? {} : { maximum: max }),
    },
    words,
  );
  return fill(unit, { count: range });
}
