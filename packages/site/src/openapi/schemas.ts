import type { Schema } from "./endpoint.ts";
import {
  entriesOf,
  arrayOf,
  memberOf,
  numberOf,
  recordOf,
  stringOf,
  stringItemsOf,
} from "./plain-value.ts";
import type { PlainRecord } from "./plain-value.ts";
import { pointerKeys, pointerTo } from "./pointer.ts";
import type { References } from "./references.ts";

/** Keys of the schemas that something refers to. */
export type SchemaKeys = Set<string>;

interface Component {
  readonly schema: Schema;
  readonly names: SchemaKeys;
  /** As JSON. */
  readonly length: number;
}

const stringKeys = [
  "title",
  "description",
  "format",
  "pattern",
  "contentMediaType",
  "contentEncoding",
];
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
const schemaListKeys = ["allOf", "oneOf", "anyOf", "prefixItems"];
const schemaMapKeys = ["properties", "patternProperties"];
const componentPattern = /^\/components\/schemas\/([^/]+)$/;

/**
 * Reads the schemas of one document in the words of 3.1. A schema that others refer to is read once,
 * however many operations lead to it.
 */
export class SchemaReader {
  readonly #references: References;
  readonly #shownKeys: readonly string[];
  readonly #components = new Map<string, Component>();
  /** Key to the pointer where the schema stands, and back. */
  readonly #pointers = new Map<string, string>();
  readonly #keys = new Map<string, string>();

  /** @param shownKeys whose values readers see behind a name (`api.params.post`) */
  constructor(references: References, shownKeys: readonly string[]) {
    this.#references = references;
    this.#shownKeys = shownKeys;
  }

  /** A schema as it is written at a place; the keys it refers to join `names`. Undefined where there is none. */
  read(value: unknown, pointer: string, names: SchemaKeys): Schema | undefined {
    if (value === true) return {};
    if (value === false) return { not: {} };
    const record = recordOf(value);
    return record && this.#object(record, pointer, names);
  }

  /**
   * The schemas that `names` lead to, nearest first, together at most `bytes` as JSON. What has no room is
   * there by name only, so that every `$ref` finds something.
   */
  collect(names: SchemaKeys, bytes: number): { schemas: Record<string, Schema>; isCut: boolean } {
    const schemas: Record<string, Schema> = {};
    const found = new Set(names);
    let left = bytes;
    let isCut = false;
    // A set that grows while it is walked is walked to its end.
    for (const name of found) {
      const component = this.#component(name);
      left -= component.length;
      if (left < 0) isCut = true;
      schemas[name] = left < 0 ? {} : component.schema;
      if (left >= 0) for (const next of component.names) found.add(next);
    }
    return { schemas, isCut };
  }

  /** The key of a schema of `components`; undefined where there is none of that name. */
  keyOfComponent(name: string): string | undefined {
    const pointer = pointerTo("/components/schemas", name);
    return this.#references.at(pointer) === undefined ? undefined : this.#keyOf(pointer);
  }

  #component(key: string): Component {
    const known = this.#components.get(key);
    if (known) return known;
    const pointer = this.#pointers.get(key) ?? "";
    const names: SchemaKeys = new Set();
    const schema = this.read(this.#references.at(pointer), pointer, names) ?? {};
    const component = { schema, names, length: JSON.stringify(schema).length };
    this.#components.set(key, component);
    return component;
  }

  /** The name that readers know a schema by: its key in `components`, else the last part of its place. */
  #keyOf(pointer: string): string {
    const known = this.#keys.get(pointer);
    if (known !== undefined) return known;
    const last = pointerKeys(pointer).at(-1) ?? "";
    // `__proto__` as a key would not stay one.
    const isFree =
      last !== "__proto__" && !this.#pointers.has(last) && !this.#isTakenByComponent(last, pointer);
    const key = isFree ? last : pointer;
    this.#keys.set(pointer, key);
    this.#pointers.set(key, pointer);
    return key;
  }

  /** Whether the name belongs to a component that stands elsewhere. */
  #isTakenByComponent(name: string, pointer: string): boolean {
    if (componentPattern.test(pointer)) return false;
    return this.#references.at(pointerTo("/components/schemas", name)) !== undefined;
  }

  #object(record: PlainRecord, pointer: string, names: SchemaKeys): Schema {
    const schema: Record<string, unknown> = {};
    const put = (key: string, value: unknown) => {
      if (value !== undefined) schema[key] = value;
    };
    const child = (value: unknown, at: string) => this.read(value, at, names);
    put("$ref", this.#reference(record, pointer, names));
    put("type", typesOf(record));
    for (const key of stringKeys) put(key, stringOf(memberOf(record, key)));
    for (const key of numberKeys) put(key, numberOf(memberOf(record, key)));
    for (const key of booleanKeys) if (memberOf(record, key) === true) schema[key] = true;
    for (const key of ["default", "const"]) put(key, memberOf(record, key));
    if (Array.isArray(record["enum"])) schema["enum"] = record["enum"];
    put("examples", examplesOf(record));
    putBounds(record, schema);
    for (const key of schemaMapKeys)
      put(key, this.#map(memberOf(record, key), pointerTo(pointer, key), names));
    if (Array.isArray(record["required"])) schema["required"] = stringItemsOf(record["required"]);
    for (const key of schemaListKeys)
      put(key, this.#list(memberOf(record, key), pointerTo(pointer, key), names));
    this.#putItems(record, schema, { pointer, names });
    put("not", child(memberOf(record, "not"), pointerTo(pointer, "not")));
    const others = memberOf(record, "additionalProperties");
    if (others === true) schema["additionalProperties"] = true;
    else if (others !== false) {
      put("additionalProperties", child(others, pointerTo(pointer, "additionalProperties")));
    }
    put("discriminator", this.#discriminator(record, pointer, names));
    const mint = memberOf(record, "x-mint");
    put("pre", unlessEmpty(stringItemsOf(memberOf(mint, "pre"))));
    const shown = this.#shownKeys.flatMap((key) => badgesOf(key, memberOf(record, key)));
    put("post", unlessEmpty([...shown, ...stringItemsOf(memberOf(mint, "post"))]));
    return schema;
  }

  #reference(record: PlainRecord, pointer: string, names: SchemaKeys): string | undefined {
    const reference = stringOf(memberOf(record, "$ref"));
    if (reference === undefined) return undefined;
    const target = this.#references.target(reference, pointer);
    if (target === undefined) return undefined;
    const key = this.#keyOf(target);
    names.add(key);
    return key;
  }

  #map(value: unknown, pointer: string, names: SchemaKeys): Record<string, Schema> | undefined {
    if (!recordOf(value)) return undefined;
    const schemas: Record<string, Schema> = {};
    for (const [key, member] of entriesOf(value)) {
      const schema = this.read(member, pointerTo(pointer, key), names);
      if (schema) schemas[key] = schema;
    }
    return schemas;
  }

  #list(value: unknown, pointer: string, names: SchemaKeys): Schema[] | undefined {
    if (!Array.isArray(value)) return undefined;
    return value.flatMap((item, index) => this.read(item, pointerTo(pointer, index), names) ?? []);
  }

  /** A list under `items` is what older drafts say for `prefixItems`. */
  #putItems(
    record: PlainRecord,
    schema: Record<string, unknown>,
    at: { readonly pointer: string; readonly names: SchemaKeys },
  ): void {
    const items = memberOf(record, "items");
    const pointer = pointerTo(at.pointer, "items");
    if (Array.isArray(items)) schema["prefixItems"] = this.#list(items, pointer, at.names);
    else {
      const read = this.read(items, pointer, at.names);
      if (read) schema["items"] = read;
    }
  }

  #discriminator(
    record: PlainRecord,
    pointer: string,
    names: SchemaKeys,
  ): Schema["discriminator"] | undefined {
    const discriminator = memberOf(record, "discriminator");
    const propertyName = stringOf(memberOf(discriminator, "propertyName"));
    if (propertyName === undefined) return undefined;
    const mapping: Record<string, string> = {};
    for (const [value, target] of entriesOf(memberOf(discriminator, "mapping"))) {
      const key = this.#mappedKey(stringOf(target), pointerTo(pointer, "discriminator"));
      if (key !== undefined) mapping[value] = key;
      if (key !== undefined) names.add(key);
    }
    return { propertyName, mapping };
  }

  /** A mapping names a schema by a reference or by its bare name. */
  #mappedKey(target: string | undefined, pointer: string): string | undefined {
    if (target === undefined) return undefined;
    const named = this.keyOfComponent(target);
    if (named !== undefined) return named;
    const found = this.#references.target(target, pointer);
    return found === undefined ? undefined : this.#keyOf(found);
  }
}

function unlessEmpty(texts: readonly string[]): readonly string[] | undefined {
  return texts.length === 0 ? undefined : texts;
}

/** What is shown of a value: a text or number as it is, `true` as its key, a list item by item. */
function badgesOf(key: string, value: unknown): string[] {
  if (value === true) return [key];
  return (Array.isArray(value) ? value : [value]).flatMap((item) =>
    typeof item === "number" ? [String(item)] : (stringOf(item) ?? []),
  );
}

/** 3.0 says `nullable` beside a type, 3.1 has it among the types. */
function typesOf(record: PlainRecord): string[] | undefined {
  const type = memberOf(record, "type");
  const types = typeof type === "string" ? [type] : stringItemsOf(type);
  if (memberOf(record, "nullable") === true && !types.includes("null")) types.push("null");
  return types.length === 0 ? undefined : types;
}

/** A single `example`, a list of 3.1, or named ones where only a media type may have them. */
function examplesOf(record: PlainRecord): unknown[] | undefined {
  const example = memberOf(record, "example");
  const examples = memberOf(record, "examples");
  const found: unknown[] = example === undefined ? [] : [example];
  for (const item of arrayOf(examples)) found.push(item);
  for (const [, named] of entriesOf(examples)) found.push(memberOf(named, "value") ?? named);
  return found.length === 0 ? undefined : found;
}

/** In 3.0 `exclusiveMinimum: true` changes what `minimum` means. */
function putBounds(record: PlainRecord, schema: Record<string, unknown>): void {
  for (const [exclusive, inclusive] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const exclusiveValue = memberOf(record, exclusive);
    const bound = exclusiveValue === true ? schema[inclusive] : numberOf(exclusiveValue);
    if (bound === undefined) continue;
    schema[exclusive] = bound;
    if (exclusiveValue === true) delete schema[inclusive];
  }
}
