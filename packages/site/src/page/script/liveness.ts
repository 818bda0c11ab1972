import type { Closure } from "./value.ts";
import { isHook } from "./react.ts";
import { Closure as ClosureValue, type LexicalScope } from "./value.ts";

/** Tells components that only a browser can bring to life from those that a page shows once and for all. */
export interface Liveness {
  /** Whether the component, or one that it uses, has a hook of React, a handler of events, or a reference. */
  isLive(component: Closure): boolean;
}

export function createLiveness(): Liveness {
  const known = new Map<object, boolean>();

  function isLive({ node, scope }: Closure): boolean {
    const before = known.get(node);
    if (before !== undefined) return before;
    // Components that use each other are met again while the first is not decided.
    known.set(node, false);
    const names = new Set<string>();
    const found = hasLiveParts(node, names) || [...names].some((name) => isLiveName(name, scope));
    known.set(node, found);
    return found;
  }
  function isLiveName(name: string, scope: LexicalScope): boolean {
    const value = scope.has(name) ? scope.get(name) : undefined;
    return value instanceof ClosureValue && isLive(value);
  }
  return { isLive };
}

/** Walks a function without recursion; adds the names that it refers to. */
function hasLiveParts(node: object, names: Set<string>): boolean {
  const stack: unknown[] = [node];
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    if (Array.isArray(part)) {
      stack.push(...part.filter((item) => item !== undefined));
      continue;
    }
    if (typeof part !== "object" || part === null) continue;
    if (isLivePart(part, names)) return true;
    stack.push(...Object.values(part).filter((value) => typeof value === "object" && value));
  }
  return false;
}

function isLivePart(part: object, names: Set<string>): boolean {
  const { type, name, value } = part as { type?: unknown; name?: unknown; value?: unknown };
  if (typeof name !== "string") return false;
  if (type === "Identifier") {
    names.add(name);
    return isHook(name);
  }
  if (type === "JsxElement") names.add(name.split(".")[0] ?? "");
  if (type !== "attribute") return false;
  return name === "ref" || (/^on[A-Z]/.test(name) && typeof value === "object");
}
