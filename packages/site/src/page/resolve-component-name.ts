import { isRecord, type LexicalScope, type Value } from "./value.ts";

/** What `Name` or `Name.Member` stands for among the names of a file; undefined for a built-in. */
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
