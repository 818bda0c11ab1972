import type { Schema } from "../openapi/index.ts";
import type { ResolvedSchema } from "./schema/resolve-schema.ts";
import type { Shape } from "./schema/shape.ts";
import type { ApiWords, Template } from "../markup/index.ts";

/** The most values shown of an enumeration: enough for all countries or currencies. */
const maxValues = 300;
const maxValueLength = 200;
/** The most characters shown of a pattern. Generous, because a pattern is useless without its end. */
const maxPatternLength = 2_000;

/** The facts that a schema states about a value besides its type and its fields. */
export interface Notes {
  /** The default as JSON; strings have no quotes. */
  readonly default?: string;
  readonly constant?: string;
  readonly values: readonly string[];
  readonly moreValues: number;
  /** Limits such as `1 to 100` or `at most 20 characters`. */
  readonly limits: readonly Limit[];
  /** Regular expressions. */
  readonly patterns: readonly string[];
  readonly example?: string;
  readonly isFreeForm: boolean;
}

/** A limit in words around values, which are code. A value may itself be such a limit. */
interface Limit {
  readonly template: string;
  readonly values: Readonly<Record<string, string | Limit>>;
}

/** Formats a limit; `fill` puts formatted values into its words. */
export function formatLimit<Text extends string>(
  { template, values }: Limit,
  write: {
    readonly code: (value: string) => Text;
    readonly fill: (template: LimitTemplate, values: Readonly<Record<string, Text>>) => Text;
  },
): Text {
  const written = Object.entries(values).map(([name, value]): [string, Text] => [
    name,
    typeof value === "string" ? write.code(value) : formatLimit(value, write),
  ]);
  return write.fill(template as LimitTemplate, Object.fromEntries(written));
}

type LimitTemplate = Template<string>;

export function createNotes({ schema, item, ...shape }: Shape, words: ApiWords): Notes {
  const values = schema.enum ?? item?.enum ?? [];
  const example = schema.examples?.[0] ?? item?.examples?.[0];
  const isScalar = shape.fields.length === 0 && shape.choices.length === 0;
  return {
    ...(schema.default === undefined ? {} : { default: formatValue(schema.default) }),
    ...(schema.const === undefined ? {} : { constant: formatValue(schema.const) }),
    values: values.slice(0, maxValues).map((value) => formatValue(value)),
    moreValues: Math.max(values.length - maxValues, 0),
    limits: [...listLimits(schema, words), ...(item === undefined ? [] : listLimits(item, words))],
    patterns: [schema, item].flatMap((part) =>
      part?.pattern === undefined ? [] : shortened(part.pattern, maxPatternLength),
    ),
    ...(example === undefined || !isScalar ? {} : { example: formatValue(example) }),
    isFreeForm: (item ?? schema).additionalProperties === true,
  };
}

/** Formats a value as readers would write it; strings have no quotes. */
function formatValue(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return shortened(text, maxValueLength);
}

function shortened(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

function listLimits(schema: ResolvedSchema, words: ApiWords): Limit[] {
  const limits = [
    ...listRanges(schema, words),
    ...counted(schema.minLength, schema.maxLength, words.characters, words),
    ...counted(schema.minItems, schema.maxItems, words.items, words),
    ...counted(schema.minProperties, schema.maxProperties, words.fields, words),
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
  const single = bounds.flatMap(([bound, template]) =>
    bound === undefined ? [] : [{ template, values: { limit: String(bound) } }],
  );
  if (!isBetween) return single;
  const values = { min: String(minimum), max: String(maximum) };
  return [{ template: words.between, values }, ...single];
}

function counted(
  min: number | undefined,
  max: number | undefined,
  template: Template<"count">,
  words: ApiWords,
): Limit[] {
  if (min === undefined && max === undefined) return [];
  if (min === max) return [{ template, values: { count: String(min) } }];
  const bounds = {
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  };
  return listRanges(bounds, words).map((range) => ({ template, values: { count: range } }));
}
