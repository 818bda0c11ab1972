import { limits } from "../../core/index.ts";
import type { Schema } from "../../openapi/index.ts";
import { createFieldSlug } from "../../text/index.ts";
import type { ResolvedSchema } from "./resolve-schema.ts";

/** A schema as a page shows it, cut to the space that the page has. */
export interface Shape {
  readonly schema: ResolvedSchema;
  /** The schema of the items of a list. For nested lists, one schema per level, the innermost last. */
  readonly items: readonly ResolvedSchema[];
  /**
   * Descriptions from merged and referenced schemas and from items, besides the description of the schema or the field.
   */
  readonly texts: readonly string[];
  readonly type: string;
  /** The name of the object or of the objects in the list. */
  readonly name?: string;
  readonly fields: readonly Field[];
  readonly choices: readonly ShapeChoice[];
  /** The name of the enclosing schema that this one repeats, if any. Its fields are then not shown again. */
  readonly repeats?: string;
  /** The fields and choices for which the page has no room: all of them, or those after `fields`. */
  readonly deferred?: DeferredPart;
  /** All values and text of the schema, if notes on the page shorten them. */
  readonly wholeNotes?: DeferredPart;
  /** The number of fields that are omitted because the part is also full. */
  readonly moreFields: number;
  /** Whether all fields are omitted because the part is also full. */
  readonly isCut: boolean;
}

/**
 * A part of a page's schemas that is outside the page: readers load it when they open it, and the Markdown file
 * contains it. Several shapes of the same schema share a part.
 */
export interface DeferredPart {
  /** Its position among the page's parts. */
  readonly number: number;
  /** The schema's name or the anchor of its first use; unique on the page. */
  readonly title: string;
  readonly kind: "fields" | "moreFields" | "notes";
  readonly shape: Shape;
}

export interface Field {
  readonly name: string;
  /** How the schema identifies the field: by a name, by any name, by a pattern of names, or by an index in a list. */
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
  /** The part that begins with the options after these. */
  readonly more?: DeferredPart;
  /** The number of options that are omitted because the parts are full. */
  readonly moreOptions: number;
}

export interface ShapeOption {
  readonly title: string;
  /** The option's id before it is made unique, such as `body-address-one-of-0`. */
  readonly anchor: string;
  /** The discriminator: the property that distinguishes the options, and its value for this option. */
  readonly mark?: { readonly property: string; readonly value: string };
  readonly shape: Shape;
}

/** The direction of a body. Requests omit read-only properties, and responses omit write-only properties. */
export type Direction = "request" | "response" | "both";

/** The maximum depth of nested objects in one part, and of nested lists. */
export const maxDepth = 16;

/** The maximum number of options of one choice in a page or part; the others are in the next part. */
export const maxOptions = 50;

/** The reason that part of a page's schemas is not shown. */
type OmissionCause = "room" | "values" | "lists";

const maxKilobytes = (limits.schemaBytes + limits.deferredSchemaBytes) / 1_000;

const causes: Readonly<Record<OmissionCause, string>> = {
  room: `The schemas of this page need more than the ${maxKilobytes} KB that a page and its expandable parts can hold, so fields are omitted`,
  values: `The schemas of this page need more than the ${maxKilobytes} KB that a page and its expandable parts can hold, so values are shortened`,
  lists: `Lists within lists are shown to ${maxDepth} levels, so deeper levels are omitted`,
};

const sharedRoom =
  "The schemas of this page refer to each other so often that complete pages would be many times larger than their description, so they are only partly shown";

/** The maximum number of locations in a message about omissions. */
const maxListedAnchors = 10;

/** The maximum length of an id: ids of nested fields contain those of all enclosing fields. */
export const maxAnchorLength = 200;

/** Reports whether a property is sent in this direction. */
export function isWithin(
  schema: Pick<Schema, "readOnly" | "writeOnly">,
  direction: Direction,
): boolean {
  if (direction === "request") return schema.readOnly !== true;
  return direction === "both" || schema.writeOnly !== true;
}

/**
 * The maximum number of values and characters in a page's notes: enough for all countries, and for any usual pattern.
 */
export const noteLimits = { values: 300, valueLength: 1_000, patternLength: 2_000 } as const;

/** Reports whether a schema has fields or options. */
export function hasParts(schema: ResolvedSchema): boolean {
  return (
    schema.properties.size > 0 ||
    schema.choices.length > 0 ||
    schema.prefixItems !== undefined ||
    schema.patternProperties !== undefined ||
    typeof schema.additionalProperties === "object"
  );
}

/** The keys of a schema that its type does not show. */
const detailKeys = [
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

/** Reports whether an option has more details than its type, which the choice's own type already names. */
export function hasDetails({ schema, items }: Shape): boolean {
  if (hasParts(items.at(-1) ?? schema)) return true;
  return [schema, ...items].some(
    (part) =>
      part.otherDescriptions.length > 0 || detailKeys.some((key) => part[key] !== undefined),
  );
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
  const knownLetters = new Set([...names, name ?? ""].map((text) => getLetters(text)));
  const titles = [schema, ...items].flatMap(({ title }) => title ?? []);
  return titles.filter((title) => {
    const letters = getLetters(title);
    return !knownLetters.has(letters) && knownLetters.add(letters);
  });
}

function getLetters(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "") || text;
}

/** The parts of one page's schemas that are not shown. */
export class Omissions {
  readonly #anchors = new Map<OmissionCause, Set<string>>();

  /** Records an omission. `anchor` is the id of the field on the page. */
  add(cause: OmissionCause, anchor: string): void {
    const anchors = this.#anchors.get(cause) ?? new Set();
    this.#anchors.set(cause, anchors.add(anchor));
  }

  /**
   * Returns a sentence per cause. With `isShared`, the pages of the description share a limit, so each has less space.
   */
  formatMessages(isShared: boolean): readonly string[] {
    return Array.from(this.#anchors, ([cause, anchors]) => {
      const listedAnchors = [...anchors]
        .slice(0, maxListedAnchors)
        .map((anchor) => `#${anchor.slice(0, maxAnchorLength)}`);
      const others = anchors.size - listedAnchors.length;
      const more = others === 0 ? "" : ` and ${others} more`;
      const reason = cause !== "lists" && isShared ? sharedRoom : causes[cause];
      return `${reason} at ${listedAnchors.join(", ")}${more}.`;
    });
  }
}

/** Maximum length of one field's part of an id, because ids of nested fields contain those of all enclosing fields. */
const maxIdPartLength = 60;

/** Converts a field's name to its part of an id. The id may also contain the names of enclosing fields. */
export function createFieldIdPart(name: string): string {
  return createFieldSlug(name.slice(0, maxIdPartLength));
}
