/** What a file of unknown contents holds, asked for by kind. Nothing here throws or follows prototypes. */
export type PlainRecord = Readonly<Record<string, unknown>>;

export function recordOf(value: unknown): PlainRecord | undefined {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? (value as PlainRecord) : undefined;
}

/** A member of an object; undefined where there is none of its own. */
export function memberOf(value: unknown, key: string): unknown {
  const record = recordOf(value);
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The members of an object, none for everything else. One named `__proto__` is left out: it would not stay a member. */
export function entriesOf(value: unknown): [string, unknown][] {
  const record = recordOf(value);
  if (!record) return [];
  return Object.entries(record).filter(([key]) => key !== "__proto__");
}

export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text with something in it, without blanks around it. Numbers and the like are no texts. */
export function stringOf(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" ? undefined : text;
}

export function stringItemsOf(value: unknown): string[] {
  return arrayOf(value).filter((item) => typeof item === "string");
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
