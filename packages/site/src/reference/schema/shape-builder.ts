import { limits } from "../../core/index.ts";
import type { Parameter, Schema } from "../../openapi/index.ts";
import type { Resolve, ResolvedSchema, SchemaChoice } from "./resolve-schema.ts";
import {
  createFieldIdPart,
  hasDetails,
  hasParts,
  isWithin,
  maxAnchorLength,
  maxDepth,
  maxOptions,
  noteLimits,
  Omissions,
  type DeferredPart,
  type Direction,
  type Field,
  type Shape,
  type ShapeChoice,
  type ShapeOption,
} from "./shape.ts";
import { formatType, maxShownOptions } from "./type-words.ts";

interface ShapeOptions {
  readonly direction: Direction;
  /** The prefix of the ids of its fields. */
  readonly anchor: string;
}

/** Estimated bytes of a field's HTML without its description, and of the element that opens a part. */
const fieldBytes = 320;
const hiddenFieldBytes = 8;
const openerBytes = 200;
/** Bytes of the markup of a value. */
const valueBytes = 14;

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** The context in which a shape is built. */
interface Position {
  readonly options: ShapeOptions;
  readonly ancestors: Ancestors | undefined;
  readonly depth: number;
  readonly room: Room;
}

interface Task extends Position {
  readonly shape: Mutable<Shape>;
  readonly schema: ResolvedSchema;
  /** The number of properties, or of options of `choice`, before those of the task. */
  readonly from?: number;
  /** The choice to which the task is limited. */
  readonly choice?: SchemaChoice;
}

/** The number of bytes of HTML that may still be added to the page or to its parts. */
interface Room {
  remainingBytes: number;
  readonly isDeferred: boolean;
}

/** The room for one page's schemas. Defaults to the limits of a page. */
interface SchemaRoom {
  readonly schemaBytes?: number;
  readonly deferredBytes?: number;
}

/** Keys of the enclosing schemas, innermost first. */
interface Ancestors {
  readonly key: string;
  readonly outer: Ancestors | undefined;
}

/**
 * Builds the shapes of one page. They are filled level by level across the whole page until the page is full, so the
 * deepest fields are deferred first. A named schema is deferred once, however many fields use it, and always within
 * deferred parts, so that parts grow with the description, not with the number of paths through it.
 */
export class ShapeBuilder {
  readonly #resolve: Resolve;
  readonly #tasks: Task[] = [];
  /** The omitted content. Complete after `fill`. */
  readonly omissions = new Omissions();
  readonly #parts: DeferredPart[] = [];
  readonly #titles = new Set<string>();
  readonly #partsByKey = new Map<
    string | ResolvedSchema | SchemaChoice,
    Map<string, DeferredPart>
  >();
  readonly #notesBySchema = new Map<ResolvedSchema, DeferredPart>();
  readonly #sizes = new Map<ResolvedSchema, NoteSize>();
  readonly #pageRoom: Room;
  readonly #deferredRoom: Room;

  constructor(
    resolve: Resolve,
    {
      schemaBytes = limits.schemaBytes,
      deferredBytes = limits.deferredSchemaBytes,
    }: SchemaRoom = {},
  ) {
    this.#resolve = resolve;
    this.#pageRoom = { remainingBytes: schemaBytes, isDeferred: false };
    this.#deferredRoom = { remainingBytes: deferredBytes, isDeferred: true };
  }

  /** The parts outside the page, by number. Complete after `fill`. */
  get parts(): readonly DeferredPart[] {
    return this.#parts;
  }

  /** Returns a shape that `fill` completes. */
  createShape(schema: Schema, options: ShapeOptions): Shape {
    return this.#createShape(this.#resolve(schema), this.#createPosition(options), true);
  }

  /** Returns the field of a parameter or a header; its id begins with the anchor of `options`. */
  createParameterField(parameter: Omit<Parameter, "location">, options: ShapeOptions): Field {
    const { name, schema, isRequired, isDeprecated } = parameter;
    const anchor = `${options.anchor}-${createFieldIdPart(name)}`;
    const resolved = this.#resolve(schema);
    const description = parameter.description ?? resolved.description;
    const isReplaced = parameter.description !== undefined && resolved.description !== undefined;
    const other = isReplaced && resolved.description !== description ? [resolved.description] : [];
    const describedSchema = {
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
      shape: this.#createShape(describedSchema, this.#createPosition({ ...options, anchor })),
    };
  }

  /** Fills the shapes. Must be called once, after the last call to `createShape` and before any shape is read. */
  fill(): void {
    for (const task of this.#tasks) this.#expand(task);
  }

  #createPosition(options: ShapeOptions): Position {
    return { options, ancestors: undefined, depth: 0, room: this.#pageRoom };
  }

  /** Creates a shape. With `isBody`, the shape describes a whole body, whose examples are not among its notes. */
  #createShape(schema: ResolvedSchema, position: Position, isBody = false): Shape {
    const { options, ancestors, depth, room } = position;
    const items = this.#listItems(schema, options.anchor);
    const sizes = [schema, ...items].map((part) =>
      this.#measure(isBody ? removeObjectExamples(part) : part),
    );
    for (const { shown } of sizes) room.remainingBytes -= shown;
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
    const more = sizes.reduce((sum, { more }) => sum + more, 0);
    if (more > 0) this.#deferNotes(shape, more, options);
    if (!hasParts(content)) return shape;
    room.remainingBytes -= openerBytes;
    this.#tasks.push({ shape, schema: content, options, ancestors, depth, room });
    return shape;
  }

  /** Measures a schema's text and values once, both as notes show them and in full. */
  #measure(schema: ResolvedSchema): NoteSize {
    const cached = this.#sizes.get(schema);
    if (cached !== undefined) return cached;
    const { description = "", otherDescriptions, title = "", pattern = "" } = schema;
    const others = [schema.default, schema.const].filter((value) => value !== undefined);
    const single = [...(schema.examples ?? []), ...others];
    let shown = description.length + title.length;
    for (const text of otherDescriptions) shown += text.length;
    let more = Math.max(pattern.length - noteLimits.patternLength, 0);
    const add = (value: unknown, isVisible: boolean) => {
      const { length } = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
      const visible = isVisible ? Math.min(length, noteLimits.valueLength) : 0;
      shown += isVisible ? visible + valueBytes : 0;
      more += isVisible ? length - visible : length + valueBytes;
    };
    for (const value of single) add(value, true);
    for (const [at, value] of schema.enum?.entries() ?? []) add(value, at < noteLimits.values);
    // The part repeats the notes that the page shows.
    const size = { shown, more: more === 0 ? 0 : shown + more };
    this.#sizes.set(schema, size);
    return size;
  }

  #deferNotes(shape: Mutable<Shape>, bytes: number, options: ShapeOptions): void {
    const existing = this.#notesBySchema.get(shape.schema);
    if (existing === undefined && bytes > this.#deferredRoom.remainingBytes) {
      this.omissions.add("values", options.anchor);
      return;
    }
    if (existing === undefined) this.#deferredRoom.remainingBytes -= bytes;
    shape.wholeNotes = existing ?? this.#addPart("notes", shape, options);
    this.#notesBySchema.set(shape.schema, shape.wholeNotes);
  }

  #addPart(
    kind: DeferredPart["kind"],
    shape: Shape,
    { anchor }: Pick<ShapeOptions, "anchor">,
  ): DeferredPart {
    const anchorName = anchor.slice(0, maxAnchorLength);
    const { name = anchorName } = shape;
    const all = [name, `${name} (${anchorName})`, `${anchorName} (${this.#parts.length})`];
    const title = all.find((text) => !this.#titles.has(text)) ?? anchorName;
    if (kind === "fields") this.#titles.add(title);
    const part = { number: this.#parts.length, title, kind, shape };
    this.#parts.push(part);
    return part;
  }

  #listItems(schema: ResolvedSchema, anchor: string): ResolvedSchema[] {
    const items: ResolvedSchema[] = [];
    for (let next = schema.items; next !== undefined;) {
      const item = this.#resolve(next);
      // A list that contains itself has no other items.
      if (items.includes(item)) break;
      if (items.length === maxDepth) {
        this.omissions.add("lists", anchor);
        break;
      }
      items.push(item);
      next = item.items;
    }
    return items;
  }

  #expand(task: Task): void {
    const { shape, schema, ancestors, depth, room } = task;
    const isRest = task.from !== undefined;
    const repeatedKey = schema.keys.find((key) => isOpen(key, ancestors));
    if (repeatedKey !== undefined && !isRest) {
      shape.repeats = schema.name ?? repeatedKey;
      return;
    }
    const isOwnPart = room.isDeferred && schema.keys.length > 0 && depth > 0;
    if (!isRest && (depth >= maxDepth || isOwnPart || room.remainingBytes <= 0)) {
      this.#defer(task);
      return;
    }
    const inside = { ...task, ancestors: addKeys(schema.keys, ancestors), depth: depth + 1 };
    if (task.choice !== undefined) {
      shape.choices = [this.#createChoice(task.choice, inside)];
      return;
    }
    this.#addFields(inside);
    if (shape.deferred === undefined) shape.choices = this.#createChoices(inside);
  }

  /** Moves the content of a shape to a part, unless another shape has already moved it. */
  #defer({ shape, schema, options }: Task): void {
    const existing = this.#partsByKey.get(getPartKey(schema))?.get(options.direction);
    if (existing === undefined && this.#deferredRoom.remainingBytes <= 0) {
      shape.isCut = true;
      this.omissions.add("room", options.anchor);
      return;
    }
    shape.deferred = existing ?? this.#addFieldsPart(schema, options);
  }

  #addFieldsPart(schema: ResolvedSchema, options: ShapeOptions): DeferredPart {
    const shape = { ...this.#createEmptyShape(schema), ...(schema.name && { name: schema.name }) };
    const part = this.#addPart("fields", shape, options);
    const key = getPartKey(schema);
    const byDirection = this.#partsByKey.get(key) ?? new Map<string, DeferredPart>();
    this.#partsByKey.set(key, byDirection.set(options.direction, part));
    this.#tasks.push({ ...this.#createPosition(options), shape, schema, room: this.#deferredRoom });
    return part;
  }

  #createEmptyShape(schema: ResolvedSchema): Mutable<Shape> {
    const none = { items: [], texts: [], fields: [], choices: [], moreFields: 0, isCut: false };
    return { schema, type: "", ...none };
  }

  #addFields(task: Task): void {
    const { shape, schema, room, from = 0 } = task;
    const fields: Field[] = [];
    const required = new Set(schema.required);
    const all = listProperties(schema);
    for (const [index, { name, kind, property }] of all.entries()) {
      if (index < from) continue;
      if (room.remainingBytes <= 0) {
        this.#deferRest(task, index, all.length);
        break;
      }
      const field = this.#createField(name, kind, {
        property,
        isRequired: required.has(name),
        task,
      });
      if (field !== undefined) fields.push(field);
    }
    shape.fields = fields;
  }

  /** Moves the fields starting at `from`, and the choices, to a part; omits them if the parts are also full. */
  #deferRest(task: Task, from: number, count: number): void {
    const { shape, options, room } = task;
    if (room.isDeferred || this.#deferredRoom.remainingBytes <= 0) {
      shape.moreFields = count - from;
      this.omissions.add("room", options.anchor);
      return;
    }
    const rest = this.#createEmptyShape(shape.schema);
    shape.deferred = this.#addPart("moreFields", rest, options);
    this.#tasks.push({ ...task, shape: rest, depth: 0, room: this.#deferredRoom, from });
  }

  #createField(
    name: string,
    kind: Field["kind"],
    input: { readonly property: Schema; readonly isRequired: boolean; readonly task: Task },
  ): Field | undefined {
    const { property, isRequired, task } = input;
    const { options, room } = task;
    const schema = this.#resolve(property);
    // Visiting a field that is not shown has a cost too.
    room.remainingBytes -= hiddenFieldBytes;
    if (!isWithin(schema, options.direction)) return undefined;
    room.remainingBytes -= fieldBytes;
    const anchor = `${options.anchor}-${createFieldIdPart(name)}`;
    return {
      name,
      kind,
      anchor,
      isRequired,
      isDeprecated: schema.deprecated === true,
      ...(schema.description === undefined ? {} : { description: schema.description }),
      shape: this.#createShape(schema, { ...task, options: { ...options, anchor } }),
    };
  }

  #createChoices(task: Task): ShapeChoice[] {
    const choices: ShapeChoice[] = [];
    for (const choice of task.schema.choices) {
      const shapeChoice = this.#createChoice(choice, task);
      const isNamedByType = !choice.isExtended && choice.options.length <= maxShownOptions;
      if (isNamedByType && !shapeChoice.options.some(({ shape }) => hasDetails(shape))) continue;
      choices.push(shapeChoice);
    }
    return choices;
  }

  #createChoice(choice: SchemaChoice, task: Task): ShapeChoice {
    const { kind, options, isExtended } = choice;
    const { from = 0 } = task.choice === undefined ? {} : task;
    const base = isExtended ? task.schema.properties : undefined;
    const end = Math.min(from + maxOptions, options.length);
    const shownOptions = options.slice(from, end).map((option, index) => {
      task.room.remainingBytes -= fieldBytes;
      const suffix = `${kind === "oneOf" ? "one" : "any"}-of-${from + index}`;
      return this.#createOption({ option, suffix, base }, task);
    });
    const more = end === options.length ? undefined : this.#deferOptions(choice, end, task);
    const moreOptions = more === undefined ? options.length - end : 0;
    return { kind, options: shownOptions, moreOptions, ...(more === undefined ? {} : { more }) };
  }

  /** Moves the options starting at `from` to a part, unless another use of the choice has already moved them. */
  #deferOptions(
    choice: SchemaChoice,
    from: number,
    { schema, options }: Task,
  ): DeferredPart | undefined {
    const key = `${options.direction} ${from}`;
    const parts = this.#partsByKey.get(choice) ?? new Map<string, DeferredPart>();
    const existing = parts.get(key);
    if (existing !== undefined) return existing;
    if (this.#deferredRoom.remainingBytes <= 0) {
      this.omissions.add("room", options.anchor);
      return undefined;
    }
    const shape = { ...this.#createEmptyShape(schema), ...(schema.name && { name: schema.name }) };
    const part = this.#addPart("fields", shape, options);
    this.#partsByKey.set(choice, parts.set(key, part));
    const room = this.#deferredRoom;
    this.#tasks.push({ ...this.#createPosition(options), shape, schema, room, choice, from });
    return part;
  }

  /** Creates an option. `base` contains properties that the option repeats because it extends the enclosing schema. */
  #createOption(
    input: {
      readonly option: Schema;
      readonly suffix: string;
      readonly base: ResolvedSchema["properties"] | undefined;
    },
    task: Task,
  ): ShapeOption {
    const { suffix, base } = input;
    const resolved = this.#resolve(input.option);
    const schema = base === undefined ? resolved : removeRepeatedProperties(resolved, base);
    const anchor = `${task.options.anchor}-${suffix}`;
    const shape = this.#createShape(schema, { ...task, options: { ...task.options, anchor } });
    const mark = findMark(schema, task.schema);
    return {
      title: schema.title ?? schema.name ?? mark?.value ?? shape.type,
      anchor,
      ...(mark === undefined ? {} : { mark }),
      shape,
    };
  }
}

/** The size of a schema's text and values, in bytes. */
interface NoteSize {
  readonly shown: number;
  /** The full size, if notes show only part; otherwise 0. */
  readonly more: number;
}

/** Returns a key that is the same for all schemas that share a part, which are those with the same names and fields. */
function getPartKey(schema: ResolvedSchema): string | ResolvedSchema {
  const { keys, properties, choices } = schema;
  if (keys.length === 0) return schema;
  return JSON.stringify([keys, [...properties.keys()], choices.length]);
}

interface ListedProperty {
  readonly name: string;
  readonly kind: Field["kind"];
  readonly property: Schema;
}

function listProperties(schema: ResolvedSchema): readonly ListedProperty[] {
  const { prefixItems = [], patternProperties = {}, additionalProperties: others } = schema;
  return [
    ...Array.from(schema.properties, ([name, property]) => ({
      name,
      kind: "name" as const,
      property,
    })),
    ...prefixItems.map((property, index) => ({
      name: `${index}`,
      kind: "index" as const,
      property,
    })),
    ...Object.entries(patternProperties).map(([name, property]) => ({
      name,
      kind: "pattern" as const,
      property,
    })),
    ...(typeof others === "object"
      ? [{ name: "key", kind: "anyName" as const, property: others }]
      : []),
  ];
}

/** Returns the examples of a parameter, then the examples of its schema. Returns an empty object if there are none. */
function pickExamples(
  { examples }: Pick<Parameter, "examples">,
  schema: ResolvedSchema,
): Pick<ResolvedSchema, "examples"> {
  const ownValues = examples.map(({ value }) => value);
  const ownJson = new Set(ownValues.map((value) => JSON.stringify(value)));
  const others = (schema.examples ?? []).filter((value) => !ownJson.has(JSON.stringify(value)));
  return ownValues.length + others.length === 0 ? {} : { examples: [...ownValues, ...others] };
}

/** Describes named examples of a parameter in Markdown; the values themselves are listed beside the type. */
function describeExamples({ examples }: Pick<Parameter, "examples">): string[] {
  return examples.flatMap(({ name, summary, description, value }) => {
    if (summary === undefined && description === undefined && examples.length === 1) return [];
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    const isCode = text.length < 100 && !/[`\n]/.test(text) && text.trim() !== "";
    const valueText = isCode ? ` (\`${text}\`)` : "";
    return [[`**${summary ?? name}**${valueText}`, description].filter(Boolean).join("\n\n")];
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

function removeObjectExamples(schema: ResolvedSchema): ResolvedSchema {
  if (schema.examples?.every(isScalar) !== false) return schema;
  return { ...schema, examples: schema.examples.filter(isScalar) };
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object";
}

function isOpen(key: string, ancestors: Ancestors | undefined): boolean {
  for (let ancestor = ancestors; ancestor !== undefined; ancestor = ancestor.outer) {
    if (ancestor.key === key) return true;
  }
  return false;
}

function addKeys(keys: readonly string[], ancestors: Ancestors | undefined): Ancestors | undefined {
  let innermost = ancestors;
  for (const key of keys) innermost = { key, outer: innermost };
  return innermost;
}

function removeRepeatedProperties(
  schema: ResolvedSchema,
  base: ResolvedSchema["properties"],
): ResolvedSchema {
  const newProperties = [...schema.properties].filter(
    ([name, property]) => base.get(name) !== property,
  );
  return { ...schema, properties: new Map(newProperties) };
}

/**
 * Finds the mark of an option. If the description does not map a value to the option, the option's name is the value.
 */
function findMark(option: ResolvedSchema, choice: ResolvedSchema): ShapeOption["mark"] {
  const { discriminator } = choice;
  if (discriminator === undefined || option.name === undefined) return undefined;
  const { propertyName, mapping } = discriminator;
  const mapped = Object.entries(mapping).find(([, name]) => name === option.name);
  return { property: propertyName, value: mapped?.[0] ?? option.name };
}
