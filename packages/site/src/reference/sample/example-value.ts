import type { Content, Schema } from "../../openapi/index.ts";
import type { Resolve, ResolvedSchema } from "../schema/resolve-schema.ts";
import { isWithin, type Direction } from "../schema/shape.ts";
import { isFile } from "../schema/type-words.ts";

export interface ExampleOptions {
  readonly resolve: Resolve;
  readonly direction: Direction;
  /** Optional properties are left out of what is made up. */
  readonly requiredOnly: boolean;
}

/** What stands for the bytes of a file. */
export const fileExample = "<file>";

const deepest = 8;
/** Values of one example. Where it is full, lists and objects stay empty. */
const maxValues = 1_000;
/** Properties that are looked at, shown or not. */
const maxSteps = 20_000;

/** The first example that the author gave, else one made of the schema; undefined where nothing is known. */
export function exampleOf(content: Content, options: ExampleOptions): unknown {
  const [given] = content.examples;
  if (given !== undefined) return given.value;
  return content.schema && exampleOfSchema(content.schema, options);
}

/** A value that fits the schema as far as can be made up; the same schema gives the same value. */
export function exampleOfSchema(schema: Schema, options: ExampleOptions): unknown {
  return new ExampleMaker(options).make(options.resolve(schema), outermost);
}

/** What is around a value: how many others, and the keys of their schemas. */
interface Around {
  readonly depth: number;
  readonly keys: readonly string[];
}

const outermost: Around = { depth: 0, keys: [] };

class ExampleMaker {
  readonly #options: ExampleOptions;
  #left = maxValues;
  #steps = maxSteps;

  constructor(options: ExampleOptions) {
    this.#options = options;
  }

  make(schema: ResolvedSchema, around: Around): unknown {
    this.#left--;
    const given = givenValue(schema);
    if (given !== undefined) return given;
    const inside = { depth: around.depth + 1, keys: [...around.keys, ...schema.keys] };
    const type = schema.type?.find((name) => name !== "null");
    if (type === "array" || (type === undefined && schema.items)) return this.#list(schema, inside);
    if (type === "object" || schema.properties.size > 0) return this.#object(schema, inside);
    if (schema.choices.length > 0) return this.#choice(schema, inside);
    if (type === undefined)
      return schema.additionalProperties ? this.#object(schema, inside) : null;
    return scalar(type, schema);
  }

  #list(schema: ResolvedSchema, around: Around): unknown[] {
    const places = schema.prefixItems ?? (schema.items === undefined ? [] : [schema.items]);
    const values: unknown[] = [];
    for (const place of places) {
      const item = this.#options.resolve(place);
      if (this.#isEnough(item, around)) continue;
      values.push(this.make(item, around));
    }
    return values;
  }

  #object(schema: ResolvedSchema, around: Around): unknown {
    const entries: [string, unknown][] = [];
    const required = new Set(schema.required);
    for (const [name, property] of schema.properties) {
      if (this.#left <= 0 || this.#steps-- <= 0) break;
      const isRequired = required.has(name);
      const resolved = this.#options.resolve(property);
      if (!this.#isShown(resolved, isRequired) || this.#isEnough(resolved, around)) continue;
      entries.push([name, this.make(resolved, around)]);
    }
    const { additionalProperties: others } = schema;
    if (typeof others === "object" && entries.length === 0) {
      const value = this.#options.resolve(others);
      if (!this.#isEnough(value, around)) entries.push(["key", this.make(value, around)]);
    }
    const own = Object.fromEntries(entries);
    return schema.choices.length === 0 ? own : this.#merged(own, this.#choice(schema, around));
  }

  #merged(own: object, chosen: unknown): unknown {
    const isObject = typeof chosen === "object" && chosen !== null && !Array.isArray(chosen);
    return isObject ? { ...own, ...chosen } : own;
  }

  /** The first option, with the value that marks it. */
  #choice(schema: ResolvedSchema, around: Around): unknown {
    const [option] = schema.choices[0]?.options ?? [];
    if (option === undefined) return null;
    const resolved = this.#options.resolve(option);
    if (this.#isEnough(resolved, around)) return null;
    const value = this.make(resolved, around);
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

  /** A schema within itself, and what is too deep or too much, ends the example. */
  #isEnough({ keys }: ResolvedSchema, around: Around): boolean {
    return (
      this.#left <= 0 || around.depth > deepest || keys.some((key) => around.keys.includes(key))
    );
  }
}

function givenValue(schema: ResolvedSchema): unknown {
  return schema.examples?.[0] ?? schema.const ?? schema.default ?? schema.enum?.[0];
}

const byFormat: Readonly<Record<string, string>> = {
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

function scalar(type: string, schema: ResolvedSchema): unknown {
  switch (type) {
    case "boolean":
      return true;
    case "integer":
    case "number":
      return number(schema);
    case "null":
      return null;
    default:
      if (isFile(schema)) return fileExample;
      return Object.hasOwn(byFormat, schema.format ?? "")
        ? byFormat[schema.format ?? ""]
        : "<string>";
  }
}

function number({
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
