import { isModelName } from "./models.ts";

/** A setting of models: one value for each that is named, and one for the others. */
export interface PerModel<Value> {
  /** Undefined where nothing is set for the others. */
  readonly others: Value | undefined;
  /** By `provider/model`. */
  readonly byModel: ReadonlyMap<string, Value>;
}

export function valueFor<Value>(
  setting: PerModel<Value> | undefined,
  modelId: string,
): Value | undefined {
  return setting?.byModel.get(modelId) ?? setting?.others;
}

/**
 * Reads `value, provider/model=value, ...`. Undefined where that is not the form, `read` does not take a value, or
 * something is set twice.
 */
export function parsePerModel<Value>(
  text: string,
  read: (text: string) => Value | undefined,
): PerModel<Value> | undefined {
  const values = new Map<string, Value>();
  for (const entry of text.split(",")) {
    const end = entry.indexOf("=");
    const name = end < 0 ? "" : entry.slice(0, end).trim();
    const value = read(entry.slice(end + 1).trim());
    const isNamed = end < 0 || isModelName(name);
    if (value === undefined || !isNamed || values.has(name)) return undefined;
    values.set(name, value);
  }
  const others = values.get("");
  values.delete("");
  return { others, byModel: values };
}
