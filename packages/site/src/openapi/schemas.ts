import type { Schema } from "./api-subject.ts";
import {
  findDescription,
  toArray,
  listEntries,
  findMember,
  toRecord,
  toStringItems,
  toTrimmedString,
} from "./plain-value.ts";
import type { PlainRecord } from "./plain-value.ts";
import { getPointerName, joinPointer } from "./pointer.ts";
import type { References } from "./document.ts";

/** The maximum number of schema names in a message. */
const maxNamedSchemas = 10;

/** Formats the message for a page with too many schemas; `page` is the kind of content that it shows. */
export function formatOmittedSchemas(page: string, omitted: ReadonlySet<string>): string {
  const names = [...omitted]
    .slice(0, maxNamedSchemas)
    .map((name) => JSON.stringify(name.slice(0, 100)));
  const more = omitted.size > names.length ? ` and ${omitted.size - names.length} more` : "";
  return `This ${page} is larger than one page can show; the page omits these schemas: ${names.join(", ")}${more}.`;
}

/** Keys of schemas, as in `Endpoint.schemas`; the keys of schemas used only as bases begin with `basePrefix`. */
export type SchemaKeys = Set<string>;

/** The key prefix of a base in `allOf`, which adds its own fields to a page, but not the schemas that extend it. */
const basePrefix = "\0base ";

interface Component {
  readonly schema: Schema;
  readonly keys: SchemaKeys;
  /** The length of the schema as JSON. */
  readonly length: number;
}

const stringKeys = ["title", "format", "pattern", "contentMediaType", "contentEncoding"];
const numberKeys = [
  "minimum",
  "maximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
];
const booleanKeys = ["deprecated", "readOnly", "writeOnly", "uniqueItems"];
const schemaListKeys = ["oneOf", "anyOf", "prefixItems"];
const schemaMapKeys = ["properties", "patternProperties"];

/**
 * Reads the schemas of one document and converts them to 3.1. Each schema is read once, regardless of how many
 * operations refer to it.
 */
export class SchemaReader {
  readonly #references: References;
  readonly #shownKeys: readonly string[];
  readonly #components = new Map<string, Component>();
  /** The pointer of each schema by key. `#keys` maps pointers to keys. */
  readonly #pointers = new Map<string, string>();
  readonly #keys = new Map<string, string>();
  #subtypes: ReturnType<typeof collectSubtypes> | undefined;

  /** @param shownKeys keys whose values are shown as badges (`api.params.post`) */
  constructor(references: References, shownKeys: readonly string[]) {
    this.#references = references;
    this.#shownKeys = shownKeys;
  }

  /**
   * Reads the schema at `pointer`, and adds the keys of its references to `keys`. Returns undefined if it is not a
   * schema.
   */
  read(value: unknown, pointer: string, keys: SchemaKeys): Schema | undefined {
    if (value === true) return {};
    if (value === false) return { not: {} };
    const record = toRecord(value);
    return record && this.#readObject(record, pointer, keys);
  }

  /**
   * Collects the schemas that `keys` refer to, directly or indirectly, nearest first, up to a total of `bytes` as JSON.
   * Schemas beyond this limit are empty, so that every `$ref` has a target; `omitted` contains their names.
   */
  collect(
    keys: SchemaKeys,
    bytes: number,
  ): { readonly schemas: Record<string, Schema>; readonly omitted: ReadonlySet<string> } {
    const schemas: Record<string, Schema> = {};
    const found = new Set(keys);
    const omitted = new Set<string>();
    let remainingBytes = bytes;
    // The loop also visits the keys that it adds.
    for (const key of found) {
      const isBase = key.startsWith(basePrefix);
      const name = isBase ? key.slice(basePrefix.length) : key;
      const component = this.#readComponent(name);
      if (!Object.hasOwn(schemas, name)) remainingBytes -= component.length;
      if (remainingBytes < 0 && !Object.hasOwn(schemas, name)) {
        schemas[name] = {};
        omitted.add(name);
      }
      if (remainingBytes < 0) continue;
      schemas[name] = component.schema;
      for (const next of component.keys) found.add(next);
      if (isBase) continue;
      for (const { $ref: next } of component.schema.subtypes ?? []) if (next) found.add(next);
    }
    return { schemas, omitted };
  }

  /** Returns the key of a named schema. Returns undefined if there is no schema with this name. */
  keyOfComponent(name: string): string | undefined {
    const pointer = joinPointer(this.#references.document.containerPointers.schemas, name);
    return this.#references.getValue(pointer) === undefined ? undefined : this.#keyOf(pointer);
  }

  #readComponent(key: string): Component {
    const cached = this.#components.get(key);
    if (cached) return cached;
    const pointer = this.#pointers.get(key) ?? "";
    const keys: SchemaKeys = new Set();
    const schema = this.read(this.#references.getValue(pointer), pointer, keys) ?? {};
    const component = { schema, keys, length: JSON.stringify(schema).length };
    this.#components.set(key, component);
    return component;
  }

  /**
   * Returns the key of a schema, which readers see as its name: the last key of its pointer or, for a whole file, the
   * file's name. If another schema has that key, returns the pointer.
   */
  #keyOf(pointer: string): string {
    const cached = this.#keys.get(pointer);
    if (cached !== undefined) return cached;
    const pointerName = getPointerName(pointer);
    // `__proto__` cannot be a key, because it would not become an own member.
    const isFree =
      pointerName !== "__proto__" &&
      !this.#pointers.has(pointerName) &&
      !this.#isTakenByComponent(pointerName, pointer);
    const key = isFree ? pointerName : pointer;
    this.#keys.set(pointer, key);
    this.#pointers.set(key, pointer);
    return key;
  }

  /** Reports whether a component at a different pointer has this name. */
  #isTakenByComponent(name: string, pointer: string): boolean {
    const componentPointer = joinPointer(this.#references.document.containerPointers.schemas, name);
    return (
      pointer !== componentPointer && this.#references.getValue(componentPointer) !== undefined
    );
  }

  #readObject(record: PlainRecord, pointer: string, keys: SchemaKeys): Schema {
    const schema: Record<string, unknown> = {};
    const put = (key: string, value: unknown) => {
      if (value !== undefined) schema[key] = value;
    };
    const readChild = (value: unknown, at: string) => this.read(value, at, keys);
    put("$ref", this.#readReference(record, pointer, keys));
    put("type", findTypes(record));
    if (findMember(record, "type") === "file") schema["format"] = "binary";
    for (const key of stringKeys) put(key, toTrimmedString(findMember(record, key)));
    put("description", findDescription(record));
    for (const key of numberKeys) put(key, toFiniteNumber(findMember(record, key)));
    for (const key of booleanKeys) if (findMember(record, key) === true) schema[key] = true;
    for (const key of ["default", "const"]) put(key, findMember(record, key));
    if (Array.isArray(record["enum"])) schema["enum"] = record["enum"];
    put("examples", findExamples(record));
    putBounds(record, schema);
    for (const key of schemaMapKeys)
      put(key, this.#readMap(findMember(record, key), joinPointer(pointer, key), keys));
    if (Array.isArray(record["required"])) schema["required"] = toStringItems(record["required"]);
    put("allOf", this.#readAllOf(record, pointer, keys));
    for (const key of schemaListKeys)
      put(key, this.#readList(findMember(record, key), joinPointer(pointer, key), keys));
    this.#putItems(record, schema, { pointer, keys });
    put("not", readChild(findMember(record, "not"), joinPointer(pointer, "not")));
    const others = findMember(record, "additionalProperties");
    if (others === true) schema["additionalProperties"] = true;
    else if (others !== false) {
      put("additionalProperties", readChild(others, joinPointer(pointer, "additionalProperties")));
    }
    put("discriminator", this.#readDiscriminator(record, pointer, keys));
    this.#nameSubtypes(record, schema, pointer);
    put("subtypes", this.#findSubtypes(schema, pointer));
    const mint = findMember(record, "x-mint");
    put("pre", omitEmptyList(toStringItems(findMember(mint, "pre"))));
    const keyBadges = this.#shownKeys.flatMap((key) => listBadges(key, findMember(record, key)));
    put("post", omitEmptyList([...keyBadges, ...toStringItems(findMember(mint, "post"))]));
    return schema;
  }

  #readReference(record: PlainRecord, pointer: string, keys: SchemaKeys): string | undefined {
    const reference = toTrimmedString(findMember(record, "$ref"));
    if (reference === undefined) return undefined;
    const target = this.#references.findTarget(reference, pointer);
    if (target === undefined) return undefined;
    const key = this.#keyOf(target);
    keys.add(key);
    return key;
  }

  #readMap(value: unknown, pointer: string, keys: SchemaKeys): Record<string, Schema> | undefined {
    if (!toRecord(value)) return undefined;
    const schemas: Record<string, Schema> = {};
    for (const [key, member] of listEntries(value)) {
      const schema = this.read(member, joinPointer(pointer, key), keys);
      if (schema) schemas[key] = schema;
    }
    return schemas;
  }

  /**
   * Reads `allOf`. A single member is the schema itself under a different name; if there are several members, each is a
   * base.
   */
  #readAllOf(record: PlainRecord, pointer: string, keys: SchemaKeys): Schema[] | undefined {
    const members = findMember(record, "allOf");
    if (!Array.isArray(members)) return undefined;
    const listPointer = joinPointer(pointer, "allOf");
    const isAlias = members.length === 1 && findMember(record, "properties") === undefined;
    return members.flatMap((member: unknown, index) => {
      const memberKeys: SchemaKeys = new Set();
      const schema = this.read(member, joinPointer(listPointer, index), memberKeys);
      for (const key of memberKeys)
        keys.add(key === schema?.$ref && !isAlias ? basePrefix + key : key);
      return schema ?? [];
    });
  }

  #readList(value: unknown, pointer: string, keys: SchemaKeys): Schema[] | undefined {
    if (!Array.isArray(value)) return undefined;
    return value.flatMap((item, index) => this.read(item, joinPointer(pointer, index), keys) ?? []);
  }

  /** Sets `items`. If `items` is a list, as in older drafts, it becomes `prefixItems`. */
  #putItems(
    record: PlainRecord,
    schema: Record<string, unknown>,
    location: { readonly pointer: string; readonly keys: SchemaKeys },
  ): void {
    const items = findMember(record, "items");
    const pointer = joinPointer(location.pointer, "items");
    if (Array.isArray(items)) schema["prefixItems"] = this.#readList(items, pointer, location.keys);
    else {
      const itemSchema = this.read(items, pointer, location.keys);
      if (itemSchema) schema["items"] = itemSchema;
    }
  }

  #readDiscriminator(
    record: PlainRecord,
    pointer: string,
    keys: SchemaKeys,
  ): Schema["discriminator"] | undefined {
    const discriminator = findMember(record, "discriminator");
    // In Swagger 2.0, `discriminator` is a string.
    const propertyName =
      toTrimmedString(discriminator) ?? toTrimmedString(findMember(discriminator, "propertyName"));
    if (propertyName === undefined) return undefined;
    const mapping: Record<string, string> = {};
    for (const [value, target] of listEntries(findMember(discriminator, "mapping"))) {
      const key = this.#findMappedKey(
        toTrimmedString(target),
        joinPointer(pointer, "discriminator"),
      );
      if (key !== undefined) mapping[value] = key;
      if (key !== undefined) keys.add(key);
    }
    return { propertyName, mapping };
  }

  /** Finds the options of a schema that has a discriminator but does not list its options. */
  #findSubtypes({ discriminator, oneOf, anyOf }: Schema, pointer: string): Schema[] | undefined {
    if (discriminator === undefined || oneOf !== undefined || anyOf !== undefined) return undefined;
    this.#subtypes ??= collectSubtypes(this.#references);
    const found = new Set(Object.values(discriminator.mapping));
    const { schemas } = this.#references.document.containerPointers;
    const bases = new Set([pointer]);
    // The loop also visits the schemas that it adds, and thus finds subtypes of subtypes.
    for (const base of bases) {
      for (const name of this.#subtypes.get(base) ?? []) {
        const subtype = joinPointer(schemas, name);
        bases.add(subtype);
        found.add(this.#keyOf(subtype));
      }
    }
    found.delete(this.#keys.get(pointer) ?? "");
    return found.size === 0 ? undefined : Array.from(found, ($ref) => ({ $ref }));
  }

  /**
   * Adds the values of a discriminator in Swagger 2.0, which are the names of the schemas that extend the given schema.
   */
  #nameSubtypes(record: PlainRecord, schema: Record<string, unknown>, pointer: string): void {
    const name = toTrimmedString(findMember(record, "discriminator"));
    if (name === undefined) return;
    this.#subtypes ??= collectSubtypes(this.#references);
    const names = this.#subtypes.get(pointer);
    const properties = schema["properties"] as Record<string, Schema> | undefined;
    const property = findMember(properties, name) as Schema | undefined;
    if (!names || !properties || !property || property.enum) return;
    properties[name] = { ...property, enum: [getPointerName(pointer), ...names] };
  }

  /** Returns the key of a mapping's target, which is a reference or the bare name of a schema. */
  #findMappedKey(target: string | undefined, pointer: string): string | undefined {
    if (target === undefined) return undefined;
    const componentKey = this.keyOfComponent(target);
    if (componentKey !== undefined) return componentKey;
    const found = this.#references.findTarget(target, pointer);
    return found === undefined ? undefined : this.#keyOf(found);
  }
}

function omitEmptyList(texts: readonly string[]): readonly string[] | undefined {
  return texts.length === 0 ? undefined : texts;
}

/**
 * Returns the badges for a value: the value itself for a string or number, the key for `true`, and one badge per item
 * for a list.
 */
function listBadges(key: string, value: unknown): string[] {
  if (value === true) return [key];
  return (Array.isArray(value) ? value : [value]).flatMap((item) =>
    typeof item === "number" ? [String(item)] : (toTrimmedString(item) ?? []),
  );
}

/** Returns the types of a schema. `nullable` of 3.0 becomes the type `null`; `file` of Swagger 2.0 becomes a string. */
function findTypes(record: PlainRecord): string[] | undefined {
  const type = findMember(record, "type");
  const types =
    typeof type === "string" ? [type === "file" ? "string" : type] : toStringItems(type);
  const isNullable = findMember(record, "nullable") ?? findMember(record, "x-nullable");
  if (isNullable === true && !types.includes("null")) types.push("null");
  return types.length === 0 ? undefined : types;
}

/** Reads a single `example`, the list of 3.1, or named examples, which are valid only in a media type object. */
function findExamples(record: PlainRecord): unknown[] | undefined {
  const example = findMember(record, "example");
  const examples = findMember(record, "examples");
  const found: unknown[] = example === undefined ? [] : [example];
  for (const item of toArray(examples)) found.push(item);
  for (const [, named] of listEntries(examples)) found.push(findMember(named, "value") ?? named);
  return found.length === 0 ? undefined : found;
}

/** Converts `exclusiveMinimum: true` of 3.0, which makes `minimum` exclusive, to a number, and likewise the maximum. */
function putBounds(record: PlainRecord, schema: Record<string, unknown>): void {
  for (const [exclusive, inclusive] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const exclusiveValue = findMember(record, exclusive);
    const bound = exclusiveValue === true ? schema[inclusive] : toFiniteNumber(exclusiveValue);
    if (bound === undefined) continue;
    schema[exclusive] = bound;
    if (exclusiveValue === true) delete schema[inclusive];
  }
}

/** Maps the pointer of each named schema to the names of the schemas that extend it through `allOf`. */
function collectSubtypes(references: References): ReadonlyMap<string, readonly string[]> {
  const { schemas } = references.document.containerPointers;
  const subtypes = new Map<string, string[]>();
  for (const [name, schema] of listEntries(references.getValue(schemas))) {
    const schemaPointer = joinPointer(schemas, name);
    for (const part of toArray(findMember(schema, "allOf"))) {
      const reference = toTrimmedString(findMember(part, "$ref"));
      const base =
        reference === undefined ? undefined : references.findTarget(reference, schemaPointer);
      if (base !== undefined) subtypes.set(base, [...(subtypes.get(base) ?? []), name]);
    }
  }
  return subtypes;
}

function toFiniteNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
