import { memberOf } from "./plain-value.ts";
import { referenceTarget } from "./reference-target.ts";

/** A `$ref`, or a value of a discriminator's `mapping`, that may lead to another file. Most descriptions have none. */
export const linkPattern = /\$ref["']?\s*:\s*["']?[^\s"'#]|\bmapping["']?\s*:/;

/** The other files that values of `root`, in the file `from`, refer to, in order. */
export function linkedFiles(root: object, from: string): readonly string[] {
  const files = new Set<string>();
  const seen = new Set<object>();
  const waiting: object[] = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    // An alias of YAML is the same object again.
    if (seen.has(value)) continue;
    seen.add(value);
    for (const reference of referencesIn(value)) {
      const target = referenceTarget(reference, from);
      if ("file" in target && target.file !== from) files.add(target.file);
    }
    const children = Object.values(value).filter(
      (child) => typeof child === "object" && child !== null,
    );
    for (const child of children.toReversed()) waiting.push(child as object);
  }
  return [...files];
}

function referencesIn(value: object): readonly string[] {
  const mapping = memberOf(memberOf(value, "discriminator"), "mapping") ?? {};
  const references = [memberOf(value, "$ref"), ...Object.values(mapping)];
  // A mapping may also have bare names of schemas.
  return references.filter(
    (reference) => typeof reference === "string" && /[#./]/.test(reference),
  ) as string[];
}
