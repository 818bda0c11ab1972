import { isRecord, type LexicalScope, type Value } from "./script/value.ts";

/** The value of `Name` or `Name.Member` in the scope of a file; undefined for a built-in component. */
export function resolveComponentName(name: string, scope: LexicalScope): Value {
  if (!name.includes(".")) return scope.get(name);
  const [head = "", ...members] = name.split(".");
  let value = scope.get(head);
  for (const member of members) {
    if (!isRecord(value) || !Object.hasOwn(value, member)) return undefined;
    value = value[member];
  }
  return value;
}
