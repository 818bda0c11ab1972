import { limits } from "../../core/index.ts";
import type { Parameter, Schema } from "../../openapi/index.ts";
import { createFieldSlug } from "../../text/index.ts";
import type { Resolve, ResolvedSchema } from "./resolve-schema.ts";
import { formatType, maxWords } from "./type-words.ts";

/** A schema as a page shows it, cut to the space that the page has. */
export interface Shape {
  readonly schema: ResolvedSchema;
  /** The schema of the items of a list. For nested lists, one schema per level, the innermost last. */
  readonly items: readonly ResolvedSchema[];
  /** Descriptions from merged and referenced schemas and from items, besides that of the schema or the field. */
  readonly texts: readonly string[];
  readonly type: string;
  /** The name of the object or of the objects in the list. */
  readonly name?: string;
  readonly fields: readonly Field[];
  /** The number of fields that are not shown. */
  readonly moreFields: number;
  readonly choices: readonly ShapeChoice[];
  /** The name of the enclosing schema that this one repeats, if any. Its fields are then not shown again. */
  readonly repeats?: string;
  /** Whether its fields are omitted because the page is full or they are nested too deeply. */
  readonly isCut: boolean;
}

export interface Field {
  readonly name: string;
  /** `name` if the schema names the field. Otherwise any name, a pattern of names, or an index in a list. */
  readonly kind: "name" | "anyName" | "pattern" | "index";
  /** The field's id before it is made unique, such as `body-address-city`. */
  readonly anchor: string;
  readonly isRequired: boolean;
  readonly isDeprecated: boolean;
  readonly description?: string;
  readonly shape: Shape;
}

export interface ShapeChoice {
  readonly kind: "oneOf" | "anyOf";
  readonly options: readonly ShapeOption[];
  readonly moreOptions: number;
}

interface ShapeOption {
  readonly title: string;
  /** The option's id before it is made unique, such as `body-address-one-of-0`. */
  readonly anchor: string;
  /** The discriminator: the property that distinguishes the options, and its value for this option. */
  readonly mark?: { readonly property: string; readonly value: string };
  readonly shape: Shape;
}

/** The direction of a body. Requests omit read-only properties, and responses omit write-only properties. */
export type Direction = "request" | "response" | "both";

/** The maximum number of options that a page shows per choice, and the maximum depth of nested objects. */
const maxOptions = 50;
const maxDepth = 16;

/** The reason why part of a page's schemas is not shown. */
type OmissionCause = "room" | "depth" | "options";

const causes: Readonly<Record<OmissionCause, string>> = {
  room: `A page has space for about ${limits.schemaBytes / 1_000} KB of fields, but this page needs more`,
  depth: `Fields are shown to a depth of ${maxDepth} levels, but this page has deeper fields`,
  options: `Only the first ${maxOptions} options of a choice are shown, but this page has a choice with more options`,
};

const sharedRoom =
  "The schemas of this page are only partly shown, because they refer to each other so often that the pages would become many times larger than their description";

/** Maximum length of an id, because the ids of nested fields contain those of all enclosing fields. */
const maxAnchor = 200;

/** Reports whether a property is sent in this direction. */
export function isWithin(
  schema: Pick<Schema, "readOnly" | "writeOnly">,
  direction: Direction,
): boolean {
  if (direction === "request") return schema.readOnly !== true;
  return direction === "both" || schema.writeOnly !== true;
}

interface ShapeOptions {
  readonly direction: Direction;
  /** The prefix of the ids of the shape's fields. */
  readonly anchor: string;
}

/** Estimated bytes of a field's HTML without its description. */
const fieldBytes = 320;
const hiddenFieldBytes = 8;
/** Bytes of markup per value, and the maximum numbers of values and of bytes per value that are measured. */
const valueBytes = 14;
const maxMeasured = 300;
const maxValueBytes = 1_000;

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

interface Task {
  readonly shape: Mutable<Shape>;
  readonly schema: ResolvedSchema;
  readonly options: ShapeOptions;
  readonly ancestors: Ancestors | undefined;
  readonly depth: number;
}

/** Keys of the enclosing schemas, innermost first. */
interface Ancestors {
  readonly key: string;
  readonly outer: Ancestors | undefined;
}

/**
 * Builds the shapes of one page. They are filled level by level across the whole page until the page is full, so the
 * deepest fields are omitted first.
 */
export class ShapeBuilder {
  readonly #resolve: Resolve;
  readonly #tasks: Task[] = [];
  /** The omissions, which are complete after `fill`. */
  readonly omissions = new Omissions();
  readonly #sizes = new Map<ResolvedSchema, number>();
  #bytesLeft: number;

  /** `bytes` is the size of the HTML for which the page has space. */
  constructor(resolve: Resolve, bytes: number = limits.schemaBytes) {
    this.#resolve = resolve;
    this.#bytesLeft = bytes;
  }

  /** Returns a shape, which `fill` completes. */
  shape(schema: Schema, options: ShapeOptions): Shape {
    return this.#shape(this.#resolve(schema), options, undefined, 0);
  }

  /** Returns the field for a parameter or a header. Its id begins with the anchor of `options`. */
  parameter(parameter: Omit<Parameter, "place">, options: ShapeOptions): Field {
    const { name, schema, isRequired, isDeprecated } = parameter;
    const anchor = `${options.anchor}-${createFieldIdPart(name)}`;
    const resolved = this.#resolve(schema);
    const description = parameter.description ?? resolved.description;
    const isReplaced = parameter.description !== undefined && resolved.description !== undefined;
    const other = isReplaced && resolved.description !== description ? [resolved.description] : [];
    const given = {
      ...resolved,
      ...(description === undefined ? {} : { description }),
      otherDescriptions: [...other, ...resolved.otherDescriptions, ...describeExamples(parameter)],
      ...pickExamples(parameter, resolved),
    };
    return {
      name,
      kind: "name",
      anchor,
      isRequired,
      isDeprecated: isDeprecated || resolved.deprecated === true,
      ...(description === undefined ? {} : { description }),
      shape: this.#shape(given, { ...options, anchor }, undefined, 0),
    };
  }

  /** Fills the shapes. Must be called once, after the last call to `shape` and before any shape is read. */
  fill(): void {
    for (const task of this.#tasks) this.#expand(task);
  }

  #shape(
    schema: ResolvedSchema,
    options: ShapeOptions,
    ancestors: Ancestors | undefined,
    depth: number,
  ): Shape {
    const items = this.#itemsIn(schema);
    for (const part of [schema, ...items]) this.#bytesLeft -= this.#measure(part);
    const content = items.at(-1) ?? schema;
    const shape: Mutable<Shape> = {
      schema,
      items,
      texts: listTexts(schema, items),
      type: formatType(schema, this.#resolve),
      ...(content.name === undefined || !hasParts(content) ? {} : { name: content.name }),
      fields: [],
      moreFields: 0,
      choices: [],
      isCut: false,
    };
    if (hasParts(content)) this.#tasks.push({ shape, schema: content, options, ancestors, depth });
    return shape;
  }

  /** Estimates the bytes of a schema's texts and values. */
  #measure(schema: ResolvedSchema): number {
    const known = this.#sizes.get(schema);
    if (known !== undefined) return known;
    const { description = "", otherDescriptions, title = "" } = schema;
    const values = [
      ...(schema.enum ?? []),
      ...(schema.examples ?? []),
      schema.default,
      schema.const,
    ];
    let size = description.length + title.length;
    for (const text of otherDescriptions) size += text.length;
    for (const value of values.slice(0, maxMeasured)) {
      if (value !== undefined)
        size += Math.min(JSON.stringify(value).length, maxValueBytes) + valueBytes;
    }
    this.#sizes.set(schema, size);
    return size;
  }

  #itemsIn(schema: ResolvedSchema): ResolvedSchema[] {
    const items: ResolvedSchema[] = [];
    for (let next = schema.items; next !== undefined && items.length < maxDepth;) {
      const item = this.#resolve(next);
      // The list contains itself, so there are no other items.
      if (items.includes(item)) break;
      items.push(item);
      next = item.items;
    }
    return items;
  }

  #expand(task: Task): void {
    const { shape, schema, ancestors, depth } = task;
    const open = schema.keys.find((key) => isOpen(key, ancestors));
    if (open !== undefined) {
      shape.repeats = schema.name ?? open;
      return;
    }
    if (depth >= maxDepth || this.#bytesLeft <= 0) {
      shape.isCut = true;
      this.omissions.add(depth >= maxDepth ? "depth" : "room", task.options.anchor);
      return;
    }
    const inside = { ...task, ancestors: withKeys(schema.keys, ancestors), depth: depth + 1 };
    this.#addFields(inside);
    shape.choices = this.#choices(inside);
  }

  #addFields(task: Task): void {
    const { shape, schema } = task;
    const fields: Field[] = [];
    const required = new Set(schema.required);
    const put = (name: string, kind: Field["kind"], property: Schema) => {
      if (this.#bytesLeft <= 0) {
        shape.moreFields++;
        this.omissions.add("room", task.options.anchor);
        return;
      }
      const field = this.#field(name, kind, { property, isRequired: required.has(name), task });
      if (field !== undefined) fields.push(field);
    };
    for (const [name, property] of schema.properties) put(name, "name", property);
    for (const [index, item] of (schema.prefixItems ?? []).entries())
      put(`${index}`, "index", item);
    for (const [pattern, value] of Object.entries(schema.patternProperties ?? {})) {
      put(pattern, "pattern", value);
    }
    const { additionalProperties: others } = schema;
    if (typeof others === "object") put("key", "anyName", others);
    shape.fields = fields;
  }

  #field(
    name: string,
    kind: Field["kind"],
    of: { readonly property: Schema; readonly isRequired: boolean; readonly task: Task },
  ): Field | undefined {
    const { property, isRequired, task } = of;
    const { options, ancestors, depth } = task;
    const schema = this.#resolve(property);
    // Visiting a field costs something even if the field is not shown.
    this.#bytesLeft -= hiddenFieldBytes;
    if (!isWithin(schema, options.direction)) return undefined;
    this.#bytesLeft -= fieldBytes;
    const anchor = `${options.anchor}-${createFieldIdPart(name)}`;
    return {
      name,
      kind,
      anchor,
      isRequired,
      isDeprecated: schema.deprecated === true,
      ...(schema.description === undefined ? {} : { description: schema.description }),
      shape: this.#shape(schema, { ...options, anchor }, ancestors, depth),
    };
  }

  #choices(task: Task): ShapeChoice[] {
    const choices: ShapeChoice[] = [];
    for (const { kind, options, isExtended } of task.schema.choices) {
      const base = isExtended ? task.schema.properties : undefined;
      const shown = options.slice(0, maxOptions).map((option, index) => {
        this.#bytesLeft -= fieldBytes;
        const suffix = `${kind === "oneOf" ? "one" : "any"}-of-${index}`;
        return this.#option({ option, suffix, base }, task);
      });
      const isNamedByType = !isExtended && options.length <= maxWords;
      if (isNamedByType && !shown.some(({ shape }) => hasDetails(shape))) continue;
      if (options.length > shown.length) this.omissions.add("options", task.options.anchor);
      choices.push({ kind, options: shown, moreOptions: options.length - shown.length });
    }
    return choices;
  }

  /** Creates an option. `base` has the properties that the option repeats because it extends the enclosing schema. */
  #option(
    of: {
      readonly option: Schema;
      readonly suffix: string;
      readonly base: ResolvedSchema["properties"] | undefined;
    },
    task: Task,
  ): ShapeOption {
    const { ancestors, depth } = task;
    const { suffix, base } = of;
    const resolved = this.#resolve(of.option);
    const schema = base === undefined ? resolved : withoutRepeated(resolved, base);
    const anchor = `${task.options.anchor}-${suffix}`;
    const shape = this.#shape(schema, { ...task.options, anchor }, ancestors, depth);
    const mark = findMark(schema, task.schema);
    return {
      title: schema.title ?? schema.name ?? mark?.value ?? shape.type,
      anchor,
      ...(mark === undefined ? {} : { mark }),
      shape,
    };
  }
}

/** Returns the examples of a parameter and of its schema, if there are any. */
function pickExamples(
  { examples }: Pick<Parameter, "examples">,
  schema: ResolvedSchema,
): Pick<ResolvedSchema, "examples"> {
  const own = examples.map(({ value }) => value);
  const known = new Set(own.map((value) => JSON.stringify(value)));
  const others = (schema.examples ?? []).filter((value) => !known.has(JSON.stringify(value)));
  return own.length + others.length === 0 ? {} : { examples: [...own, ...others] };
}

/** Describes the named examples of a parameter in Markdown. The values themselves are listed beside the type. */
function describeExamples({ examples }: Pick<Parameter, "examples">): string[] {
  return examples.flatMap(({ name, summary, description, value }) => {
    if (summary === undefined && description === undefined && examples.length === 1) return [];
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    const isCode = text.length < 100 && !/[`\n]/.test(text) && text.trim() !== "";
    const shown = isCode ? ` (\`${text}\`)` : "";
    return [[`**${summary ?? name}**${shown}`, description].filter(Boolean).join("\n\n")];
  });
}

function listTexts(schema: ResolvedSchema, items: readonly ResolvedSchema[]): readonly string[] {
  const texts = items.flatMap(({ description, otherDescriptions }) => [
    ...(description === undefined ? [] : [description]),
    ...otherDescriptions,
  ]);
  const all = new Set([...schema.otherDescriptions, ...texts]);
  if (schema.description !== undefined) all.delete(schema.description);
  return [...all];
}

/** Lists the states with which a shape or its items are marked. */
export function listStates(
  { schema, items }: Shape,
  isDeprecated = false,
): readonly ("deprecated" | "readOnly" | "writeOnly")[] {
  const states = ["deprecated", "readOnly", "writeOnly"] as const;
  return states.filter(
    (state) =>
      (state === "deprecated" && isDeprecated) ||
      [schema, ...items].some((part) => part[state] === true),
  );
}

/** Lists the titles of a shape and its items, except titles that only spell one of `names` differently. */
export function listTitles(
  { schema, items, name }: Shape,
  names: readonly string[],
): readonly string[] {
  const known = new Set([...names, name ?? ""].map((text) => getLetters(text)));
  const titles = [schema, ...items].flatMap(({ title }) => title ?? []);
  return titles.filter((title) => {
    const letters = getLetters(title);
    return !known.has(letters) && known.add(letters);
  });
}

function getLetters(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "") || text;
}

function hasParts(schema: ResolvedSchema): boolean {
  return (
    schema.properties.size > 0 ||
    schema.choices.length > 0 ||
    schema.prefixItems !== undefined ||
    schema.patternProperties !== undefined ||
    typeof schema.additionalProperties === "object"
  );
}

/** The keywords of a schema that its type does not show. */
const details = [
  "description",
  "title",
  "default",
  "const",
  "enum",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "pattern",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "contentMediaType",
  "contentEncoding",
  "pre",
  "post",
] as const;

/** Reports whether an option has more details than its type, which the type of the choice already names. */
function hasDetails({ schema, items }: Shape): boolean {
  if (hasParts(items.at(-1) ?? schema)) return true;
  return [schema, ...items].some(
    (part) => part.otherDescriptions.length > 0 || details.some((key) => part[key] !== undefined),
  );
}

function isOpen(key: string, ancestors: Ancestors | undefined): boolean {
  for (let open = ancestors; open !== undefined; open = open.outer) {
    if (open.key === key) return true;
  }
  return false;
}

function withKeys(
  keys: readonly string[],
  ancestors: Ancestors | undefined,
): Ancestors | undefined {
  let open = ancestors;
  for (const key of keys) open = { key, outer: open };
  return open;
}

function withoutRepeated(
  schema: ResolvedSchema,
  base: ResolvedSchema["properties"],
): ResolvedSchema {
  const own = [...schema.properties].filter(([name, property]) => base.get(name) !== property);
  return { ...schema, properties: new Map(own) };
}

/** Finds the mark of an option. If the discriminator maps no value to the option, the value is the option's name. */
function findMark(option: ResolvedSchema, choice: ResolvedSchema): ShapeOption["mark"] {
  const { discriminator } = choice;
  if (discriminator === undefined || option.name === undefined) return undefined;
  const { propertyName, mapping } = discriminator;
  const mapped = Object.entries(mapping).find(([, name]) => name === option.name);
  return { property: propertyName, value: mapped?.[0] ?? option.name };
}

/** The parts of a page's schemas that the page does not show. */
export class Omissions {
  readonly #anchors = new Map<OmissionCause, Set<string>>();

  /** Records an omission. `anchor` is the id of the field on the page. */
  add(cause: OmissionCause, anchor: string): void {
    const anchors = this.#anchors.get(cause) ?? new Set();
    this.#anchors.set(cause, anchors.add(anchor));
  }

  /** Returns a sentence per cause. `isShared`: the pages of the description share a limit, so each has less space. */
  messages(isShared: boolean): readonly string[] {
    return Array.from(this.#anchors, ([cause, anchors]) => {
      const [first = ""] = anchors;
      const others = anchors.size === 1 ? "" : ` and ${anchors.size - 1} more places`;
      const reason = cause === "room" && isShared ? sharedRoom : causes[cause];
      return `${reason}: something is missing at #${first.slice(0, maxAnchor)}${others}.`;
    });
  }
}

/** Maximum length of one field's part of an id, because ids of nested fields contain those of all enclosing fields. */
const maxIdPartLength = 60;

/** Converts a field's name to its part of an id. The id may also contain the names of enclosing fields. */
export function createFieldIdPart(name: string): string {
  return createFieldSlug(name.slice(0, maxIdPartLength));
}
