import type { Schema } from "../../openapi/index.ts";

export type NamedSchemas = Readonly<Record<string, Schema>>;

/** A schema in which `$ref` is resolved, `allOf` is merged, and a choice of one option is replaced by that option. */
export interface ResolvedSchema extends Omit<
  Schema,
  "$ref" | "allOf" | "oneOf" | "anyOf" | "properties" | "subtypes"
> {
  /** The key of the schema, which readers see as its name. */
  readonly name?: string;
  /**
   * Keys that identify the schema, so that a schema that contains itself can be detected. Schemas with the same key are
   * the same. Empty for an inline schema.
   */
  readonly keys: readonly string[];
  /** The properties in the order of the description. Properties of merged schemas are at the position of the merge. */
  readonly properties: ReadonlyMap<string, Schema>;
  readonly choices: readonly SchemaChoice[];
  /** Descriptions besides `description`, from the schemas to which the schema refers or from which it is merged. */
  readonly otherDescriptions: readonly string[];
}

export interface SchemaChoice {
  readonly kind: "oneOf" | "anyOf";
  readonly options: readonly Schema[];
  /** Whether the options extend the schema, and thus repeat its properties. */
  readonly isExtended?: true;
}

/** A schema that is part of the result. The part with the lowest level takes precedence. */
interface Part {
  readonly schema: Schema;
  readonly level: number;
  /** Whether it is the schema itself under a different name, rather than one of several merged schemas. */
  readonly isWhole: boolean;
}

/** The maximum number of parts of one schema, which limits chains of `allOf` and `$ref`. */
const maxParts = 100;

/** Resolves a schema. Never throws. A `$ref` that is circular or has no target adds nothing. */
export type Resolve = (schema: Schema) => ResolvedSchema;

/** The number of schemas and properties that may still be merged for one page. A real page needs a few thousand. */
export interface MergeSteps {
  remaining: number;
  /** Whether part of a schema was omitted, because it had too many parts or no steps were left. */
  isExceeded: boolean;
}

const maxMergeSteps = 200_000;

export function createMergeSteps(): MergeSteps {
  return { remaining: maxMergeSteps, isExceeded: false };
}

/**
 * Creates a resolver for the schemas of one page. It resolves each schema only once, because a page full of references
 * has few distinct schemas, and merges the same schemas only once. When no steps are left, a schema has only its own
 * properties.
 */
export function createResolver(
  schemas: NamedSchemas,
  steps: MergeSteps = createMergeSteps(),
): Resolve {
  const byName = new Map<string, ResolvedSchema>();
  const bySchema = new Map<Schema, ResolvedSchema>();
  const merges: Merges = { steps, root: { next: new Map() } };
  return (schema) => {
    const { $ref, ...otherKeys } = schema;
    const isReference = $ref !== undefined && Object.keys(otherKeys).length === 0;
    const cached = isReference ? byName.get($ref) : bySchema.get(schema);
    const resolved = cached ?? new Resolution(schemas, merges).resolve(schema);
    if (isReference) byName.set($ref, resolved);
    else bySchema.set(schema, resolved);
    return resolved;
  };
}

/**
 * A node of a trie that maps sequences of schemas to merged schemas. Schemas that extend each other share sequences.
 */
interface MergeNode {
  readonly next: Map<Schema, MergeNode>;
  merged?: Schema;
}

interface Merges {
  readonly steps: MergeSteps;
  readonly root: MergeNode;
}

/** Returns the schema whose values satisfy all `schemas`. Returns the same object for the same schemas. */
function mergeAll(schemas: readonly Schema[], { root }: Merges): Schema {
  let node = root;
  for (const schema of schemas) {
    const next = node.next.get(schema) ?? { next: new Map<Schema, MergeNode>() };
    node.next.set(schema, next);
    node = next;
  }
  node.merged ??= { allOf: schemas };
  return node.merged;
}

class Resolution {
  readonly #schemas: NamedSchemas;
  readonly #merges: Merges;
  readonly #seenSchemas = new Set<Schema>();
  readonly #parts: Part[] = [];
  readonly #refs: string[] = [];
  /** The names by which references refer to the whole schema. The first is its name. */
  readonly #names: string[] = [];
  readonly #choices: SchemaChoice[] = [];
  #isNullable = false;

  constructor(schemas: NamedSchemas, merges: Merges) {
    this.#schemas = schemas;
    this.#merges = merges;
  }

  resolve(schema: Schema): ResolvedSchema {
    this.#add({ schema, level: 0, isWhole: true });
    const parts = this.#parts.toSorted((a, b) => a.level - b.level);
    const merged: Record<string, unknown> = {};
    for (const { schema, isWhole } of parts) {
      for (const [key, value] of Object.entries(schema)) {
        if (key === "title" && !isWhole) continue;
        if (!separatelyMergedKeys.has(key) && !(key in merged)) merged[key] = value;
      }
    }
    const type = this.#mergeTypes(parts);
    const items = this.#mergeItems(parts);
    const [name] = this.#names;
    return {
      ...(merged as Partial<Schema>),
      ...(type === undefined ? {} : { type }),
      ...(items === undefined ? {} : { items }),
      ...(name === undefined ? {} : { name }),
      otherDescriptions: listOtherDescriptions(parts),
      ...mergeExamples(parts),
      required: this.#parts.flatMap(({ schema }) => schema.required ?? []),
      keys: this.#listKeys(),
      properties: this.#mergeProperties(),
      choices: this.#choices,
    };
  }

  #add(part: Part): void {
    const { schema, level, isWhole } = part;
    if (this.#seenSchemas.has(schema)) return;
    const { steps } = this.#merges;
    if (this.#parts.length >= (steps.remaining > 0 ? maxParts : 1)) {
      steps.isExceeded = true;
      return;
    }
    steps.remaining--;
    this.#seenSchemas.add(schema);
    this.#parts.push(part);
    const members = schema.allOf ?? [];
    const isAlias = isWhole && members.length === 1 && schema.properties === undefined;
    if (schema.$ref !== undefined) this.#follow(schema.$ref, level, isWhole);
    for (const member of members) {
      this.#add({ schema: member, level: level + 1, isWhole: isAlias });
    }
    for (const kind of ["oneOf", "anyOf"] as const) this.#addChoice(kind, part);
    this.#addSubtypes(part);
  }

  /** Adds the schemas that extend this one as a choice, unless this schema is itself one of these options. */
  #addSubtypes({ schema: { subtypes }, isWhole }: Part): void {
    if (subtypes === undefined || !isWhole) return;
    const options = subtypes.filter(({ $ref = "" }) => Object.hasOwn(this.#schemas, $ref));
    if (options.length === 0 || options.some(({ $ref = "" }) => this.#names.includes($ref))) return;
    this.#choices.push({ kind: "anyOf", options, isExtended: true });
  }

  #follow(name: string, level: number, isWhole: boolean): void {
    // The keys are untrusted, so inherited members such as `constructor` must not be found.
    const target = Object.hasOwn(this.#schemas, name) ? this.#schemas[name] : undefined;
    if (target === undefined || this.#refs.includes(name)) return;
    this.#refs.push(name);
    if (isWhole) this.#names.push(name);
    this.#add({ schema: target, level: level + 1, isWhole });
  }

  /** Returns the schema's keys. A schema that is merged from others has a separate key. */
  #listKeys(): readonly string[] {
    if (this.#names.length > 0 || this.#refs.length === 0) return this.#names;
    return [`allOf ${this.#refs.join(" ")}`];
  }

  /** Adds a choice. `X` or null becomes a nullable `X`, and a choice of one option becomes that option. */
  #addChoice(kind: SchemaChoice["kind"], { schema, level, isWhole }: Part): void {
    const all = schema[kind];
    if (all === undefined) return;
    // The base lists its options and is merged into one of them, so there is nothing left to choose.
    if (!isWhole && all.some(({ $ref }) => $ref !== undefined && this.#names.includes($ref)))
      return;
    const options = all.filter((option) => !isNull(option));
    if (options.length < all.length) this.#isNullable = true;
    const [only] = options;
    if (options.length > 1) this.#choices.push({ kind, options });
    else if (only) this.#add({ schema: only, level: level + 1, isWhole });
  }

  /** Merges the types. `nullable` beside `allOf` is read as the sole type `null`, which is added to the other types. */
  #mergeTypes(parts: readonly Part[]): readonly string[] | undefined {
    const types = parts.map(({ schema }) => schema.type).filter((type) => type !== undefined);
    const mainType = types.find((type) => !isNullType(type));
    const isNullable = this.#isNullable || (types[0] !== undefined && isNullType(types[0]));
    if (!isNullable) return mainType;
    return [...(mainType ?? []).filter((type) => type !== "null"), "null"];
  }

  /** Merges the properties. A property that several parts describe must satisfy all of these descriptions. */
  #mergeProperties(): ReadonlyMap<string, Schema> {
    const properties = new Map<string, Schema>();
    for (const { schema } of this.#parts) {
      for (const [name, property] of Object.entries(schema.properties ?? {})) {
        this.#merges.steps.remaining--;
        const existing = properties.get(name);
        const isNew = existing === undefined || existing === property;
        properties.set(name, isNew ? property : mergeAll([property, existing], this.#merges));
      }
    }
    return properties;
  }

  #mergeItems(parts: readonly Part[]): Schema | undefined {
    const all = parts.map(({ schema }) => schema.items).filter((items) => items !== undefined);
    const [first, ...others] = new Set(all);
    return first === undefined || others.length === 0
      ? first
      : mergeAll([first, ...others], this.#merges);
  }
}

/** Keys that have their own merge rules. */
const separatelyMergedKeys: ReadonlySet<string> = new Set([
  "$ref",
  "allOf",
  "oneOf",
  "anyOf",
  "examples",
  "items",
  "properties",
  "required",
  "subtypes",
  "type",
]);

function mergeExamples(parts: readonly Part[]): Pick<Schema, "examples"> {
  const examples = parts.flatMap(({ schema }) => schema.examples ?? []);
  if (examples.length === 0) return {};
  const distinct = new Map(examples.map((value) => [JSON.stringify(value), value]));
  return { examples: [...distinct.values()] };
}

function listOtherDescriptions(parts: readonly Part[]): readonly string[] {
  if (parts.length === 1) return [];
  const all = parts.map(({ schema }) => schema.description).filter((text) => text !== undefined);
  return [...new Set(all)].slice(1);
}

function isNullType(type: readonly string[]): boolean {
  return type.length === 1 && type[0] === "null";
}

function isNull(schema: Schema): boolean {
  if (schema.type !== undefined) return isNullType(schema.type);
  if (schema.enum !== undefined) return schema.enum.length === 1 && schema.enum[0] === null;
  return schema.const === null;
}
