import { arrayOf, entriesOf, memberOf, stringOf } from "./plain-value.ts";
import { pointerTo } from "./pointer.ts";
import type { References } from "./references.ts";

/** By the pointer of a named schema, the names of those that `allOf` makes of it. */
export function subtypesOf(references: References): ReadonlyMap<string, readonly string[]> {
  const { schemas } = references.document.named;
  const subtypes = new Map<string, string[]>();
  for (const [name, schema] of entriesOf(references.at(schemas))) {
    const at = pointerTo(schemas, name);
    for (const part of arrayOf(memberOf(schema, "allOf"))) {
      const reference = stringOf(memberOf(part, "$ref"));
      const base = reference === undefined ? undefined : references.target(reference, at);
      if (base !== undefined) subtypes.set(base, [...(subtypes.get(base) ?? []), name]);
    }
  }
  return subtypes;
}
