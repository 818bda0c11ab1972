/** A parsed object with values of unknown types. Functions in this file neither throw nor read inherited members. */
export type PlainRecord = Readonly<Record<string, unknown>>;

export function toRecord(value: unknown): PlainRecord | undefined {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? (value as PlainRecord) : undefined;
}

/** Returns an object's own member. Returns undefined for any value other than an object. */
export function findMember(value: unknown, key: string): unknown {
  const record = toRecord(value);
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

/**
 * Returns the members of an object, except `__proto__`, which would be lost in a copy. The result is empty for any
 * other value.
 */
export function listEntries(value: unknown): [string, unknown][] {
  const record = toRecord(value);
  if (!record) return [];
  return Object.entries(record).filter(([key]) => key !== "__proto__");
}

export function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Trims a string. Returns undefined if the trimmed string is empty or the value is not a string. */
export function toTrimmedString(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" ? undefined : text;
}

export function toStringItems(value: unknown): string[] {
  return toArray(value).filter((item) => typeof item === "string");
}

/** Returns the `description` of an object in Markdown, followed by a link to its `externalDocs`. */
export function findDescription(value: unknown): string | undefined {
  const description = toTrimmedString(findMember(value, "description"));
  const docs = findMember(value, "externalDocs");
  const address = toTrimmedString(findMember(docs, "url"));
  if (address === undefined) return description;
  const text = toTrimmedString(findMember(docs, "description")) ?? address;
  const link = /[\s<>]/.test(address)
    ? text
    : `[${text.replaceAll(/[[\]]/g, "\\$&")}](<${address}>)`;
  return description === undefined ? link : `${description}\n\n${link}`;
}
