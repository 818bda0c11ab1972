import { createEvaluationError, type EvaluationContext } from "./evaluation-context.ts";
import {
  BytesValue,
  isList,
  IteratorValue,
  MapValue,
  SearchParamsValue,
  SetValue,
  type Value,
} from "./value.ts";

/** Returns the items of an iterable value and charges them. Throws `invalid_input` for other values. */
export function listItems(
  value: Value,
  { budget }: Pick<EvaluationContext, "budget">,
): readonly Value[] {
  const items = readItems(value);
  if (items === undefined) throw createEvaluationError("This value cannot be iterated over.");
  budget.spendNodes(items.length);
  return items;
}

function readItems(value: Value): readonly Value[] | undefined {
  // Spreading a list replaces its holes with `undefined`, like iterating over it.
  if (isList(value)) return value.length === Object.keys(value).length ? value : [...value];
  if (typeof value === "string") return Array.from(value);
  if (value instanceof SetValue) return [...value.items];
  if (value instanceof MapValue) return [...value.entries];
  if (value instanceof SearchParamsValue) return [...value.params];
  if (value instanceof BytesValue) return [...value.bytes];
  return value instanceof IteratorValue ? value.take() : undefined;
}
