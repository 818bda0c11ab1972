import { limits } from "../../core/index.ts";
import type { Content, Schema } from "../../openapi/index.ts";
import type { Resolve, ResolvedSchema } from "../schema/resolve-schema.ts";
import { isWithin } from "../schema/shape.ts";
import type { Direction } from "../schema/shape.ts";
import { isFile } from "../schema/type-words.ts";

export interface ExampleOptions {
  readonly resolve: Resolve;
  readonly direction: Direction;
  /** Whether optional properties are omitted from generated examples. */
  readonly requiredOnly: boolean;
  readonly steps: ExampleSteps;
}

/** The number of properties that may still be visited for all examples of one page. */
export interface ExampleSteps {
  remaining: number;
}

/** The placeholder for the bytes of a file. */
export const fileExample = "<file>";

const maxDepth = 8;
/** The maximum number of values in one example. Once it is reached, lists and objects stay empty. */
const maxValues = 1_000;
/** The maximum number of properties that are visited for one example, whether shown or not. */
const maxSteps = 20_000;
const maxPageSteps = 5 * maxSteps;

/** Creates one page's budget, in proportion to the maximum bytes of HTML for the page's schemas. */
export function createExampleSteps(schemaBytes: number = limits.schemaBytes): ExampleSteps {
  return { remaining: Math.ceil((maxPageSteps * schemaBytes) / limits.schemaBytes) };
}

/**
 * Returns the first authored example. If there is none, generates one from the schema. Returns undefined if there is no
 * schema either.
 */
export function getExample(content: Content, options: ExampleOptions): unknown {
  const [authored] = content.examples;
  if (authored !== undefined) return authored.value;
  return content.schema && generateExample(content.schema, options);
}

/** Generates a value that matches the schema as well as possible. The same schema always produces the same value. */
export function generateExample(schema: Schema, options: ExampleOptions): unknown {
  return new ExampleBuilder(options).build(options.resolve(schema), outermost);
}

/** The values that contain the value being generated: their number and the keys of their schemas. */
interface Ancestors {
  readonly depth: number;
  readonly keys: readonly string[];
}

const outermost: Ancestors = { depth: 0, keys: [] };

class ExampleBuilder {
  readonly #options: ExampleOptions;
  #remainingValues = maxValues;
  #remainingSteps = maxSteps;

  constructor(options: ExampleOptions) {
    this.#options = options;
  }

  build(schema: ResolvedSchema, ancestors: Ancestors): unknown {
    this.#remainingValues--;
    const authored = findGivenValue(schema);
    if (authored !== undefined) return authored;
    const innerAncestors = {
      depth: ancestors.depth + 1,
      keys: [...ancestors.keys, ...schema.keys],
    };
    const type = schema.type?.find((name) => name !== "null");
    if (type === "array" || (type === undefined && schema.items))
      return this.#buildList(schema, innerAncestors);
    if (type === "object" || schema.properties.size > 0)
      return this.#buildObject(schema, innerAncestors);
    if (schema.choices.length > 0) return this.#buildChoice(schema, innerAncestors);
    if (type === undefined)
      return schema.additionalProperties ? this.#buildObject(schema, innerAncestors) : null;
    return generateScalar(type, schema);
  }

  #buildList(schema: ResolvedSchema, ancestors: Ancestors): unknown[] {
    const itemSchemas = schema.prefixItems ?? (schema.items === undefined ? [] : [schema.items]);
    const values: unknown[] = [];
    for (const itemSchema of itemSchemas) {
      const item = this.#options.resolve(itemSchema);
      if (this.#mustStop(item, ancestors)) continue;
      values.push(this.build(item, ancestors));
    }
    return values;
  }

  #buildObject(schema: ResolvedSchema, ancestors: Ancestors): unknown {
    const entries: [string, unknown][] = [];
    const required = new Set(schema.required);
    for (const [name, property] of schema.properties) {
      if (
        this.#remainingValues <= 0 ||
        this.#remainingSteps-- <= 0 ||
        this.#options.steps.remaining-- <= 0
      )
        break;
      const isRequired = required.has(name);
      const resolved = this.#options.resolve(property);
      if (!this.#isShown(resolved, isRequired) || this.#mustStop(resolved, ancestors)) continue;
      entries.push([name, this.build(resolved, ancestors)]);
    }
    const { additionalProperties: others } = schema;
    if (typeof others === "object" && entries.length === 0) {
      const value = this.#options.resolve(others);
      if (!this.#mustStop(value, ancestors)) entries.push(["key", this.build(value, ancestors)]);
    }
    const ownProperties = Object.fromEntries(entries);
    return schema.choices.length === 0
      ? ownProperties
      : this.#mergeObjects(ownProperties, this.#buildChoice(schema, ancestors));
  }

  #mergeObjects(ownProperties: object, optionValue: unknown): unknown {
    const isObject =
      typeof optionValue === "object" && optionValue !== null && !Array.isArray(optionValue);
    return isObject ? { ...ownProperties, ...optionValue } : ownProperties;
  }

  /** Returns an example of the first option, including the value of its discriminator. */
  #buildChoice(schema: ResolvedSchema, ancestors: Ancestors): unknown {
    const [option] = schema.choices[0]?.options ?? [];
    if (option === undefined) return null;
    const resolved = this.#options.resolve(option);
    if (this.#mustStop(resolved, ancestors)) return null;
    const value = this.build(resolved, ancestors);
    const property = schema.discriminator?.propertyName;
    if (property === undefined || resolved.name === undefined) return value;
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, property))
      return value;
    const marks = Object.entries(schema.discriminator?.mapping ?? {});
    const mark = marks.find(([, name]) => name === resolved.name)?.[0];
    return mark === undefined ? value : { ...value, [property]: mark };
  }

  #isShown(schema: ResolvedSchema, isRequired: boolean): boolean {
    const { direction, requiredOnly } = this.#options;
    if (!isWithin(schema, direction)) return false;
    return isRequired || !(requiredOnly || schema.deprecated === true);
  }

  /** Reports whether nesting must end: the schema contains itself, or the limit of depth or of values is reached. */
  #mustStop({ keys }: ResolvedSchema, ancestors: Ancestors): boolean {
    return (
      this.#remainingValues <= 0 ||
      ancestors.depth > maxDepth ||
      keys.some((key) => ancestors.keys.includes(key))
    );
  }
}

function findGivenValue(schema: ResolvedSchema): unknown {
  return schema.examples?.[0] ?? schema.const ?? schema.default ?? schema.enum?.[0];
}

const examplesByFormat: Readonly<Record<string, string>> = {
  "date-time": "2024-05-14T09:30:00Z",
  date: "2024-05-14",
  time: "09:30:00Z",
  duration: "P3D",
  email: "ada@example.com",
  "idn-email": "ada@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com",
  url: "https://example.com",
  "uri-reference": "/path",
  uuid: "5f0c9a3e-6b1d-4c8e-9a72-d41f6be03c57",
  byte: "T2N0YXZv",
};

function generateScalar(type: string, schema: ResolvedSchema): unknown {
  switch (type) {
    case "boolean":
      return true;
    case "integer":
    case "number":
      return generateNumber(schema);
    case "null":
      return null;
    default:
      if (isFile(schema)) return fileExample;
      return Object.hasOwn(examplesByFormat, schema.format ?? "")
        ? examplesByFormat[schema.format ?? ""]
        : "<string>";
  }
}

function generateNumber({
  minimum,
  exclusiveMinimum,
  maximum,
  exclusiveMaximum,
  multipleOf,
}: ResolvedSchema) {
  const step = multipleOf !== undefined && multipleOf > 0 ? multipleOf : 1;
  const min = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + step);
  const max = maximum ?? (exclusiveMaximum === undefined ? undefined : exclusiveMaximum - step);
  if (min !== undefined) return min;
  return max !== undefined && max < step ? max : step;
}

/**
 * Maximum length, in characters, of a request's value as formatted JSON. The limit is low because the sample in each
 * language repeats the value.
 */
const maxJsonLength = 6_000;

/** The limits of lists and strings, applied step by step until the value is short enough. */
const thinningSteps: readonly Thinning[] = [
  { items: 3, characters: 400, depth: 12 },
  { items: 1, characters: 120, depth: 8 },
  { items: 1, characters: 40, depth: 4 },
];

interface Thinning {
  readonly items: number;
  readonly characters: number;
  readonly depth: number;
}

/** Returns the value, shortened as far as necessary. The result is deterministic. */
export function fitJson(value: unknown, maxCharacters = maxJsonLength): unknown {
  if (value === undefined || isShort(value, maxCharacters)) return value;
  for (const step of thinningSteps) {
    const thinned = shrinkValue(value, step, step.depth);
    if (isShort(thinned, maxCharacters)) return thinned;
  }
  return Array.isArray(value) ? [] : {};
}

function isShort(value: unknown, maxCharacters: number): boolean {
  return (JSON.stringify(value, null, 2) ?? "").length <= maxCharacters;
}

function shrinkValue(value: unknown, step: Thinning, depth: number): unknown {
  if (typeof value === "string" && value.length > step.characters) {
    return `${value.slice(0, step.characters).toWellFormed()}…`;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return depth === 0
      ? []
      : value.slice(0, step.items).map((item) => shrinkValue(item, step, depth - 1));
  }
  if (depth === 0) return {};
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    shrinkValue(item, step, depth - 1),
  ]);
  return Object.fromEntries(entries) as unknown;
}
