import { isRecord, type Scope, type Value } from "./value.ts";

/** What `Name` or `Name.Member` stands for among the names of a file; undefined for a built-in. */
export function resolveName(name: string, scope: Scope): Value {
  if (!name.includes(".")) return scope.get(name);
  const [head = "", ...members] = name.split(".");
  let value = scope.get(head);
  for (const member of members) {
    if (!isRecord(value) || !Object.hasOwn(value, member)) return undefined;
    value = value[member];
  }
  return value;
}
