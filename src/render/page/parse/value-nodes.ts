import type { Place, TreeNode } from "../tree.ts";
import type { Budget } from "./budget.ts";
import { cannot } from "./circumstances.ts";
import { isJsxValue, isList, type Value } from "./value.ts";

/**
 * What a value shows as where it stands among content: text, the nodes of elements, nothing for `null`,
 * `true` and `false`. Throws `invalid_input` for what shows as nothing a reader could use.
 */
export function nodesOf(value: Value, place: Place, budget: Budget): readonly TreeNode[] {
  if (value === undefined || value === null || typeof value === "boolean") return [];
  if (typeof value === "string" || typeof value === "number") {
    budget.nodes(1);
    return [{ type: "text", value: String(value), place }];
  }
  if (isJsxValue(value)) {
    // One value can be shown many times, within itself too: each showing is paid for.
    countNodes(value.nodes, budget);
    return value.nodes;
  }
  if (isList(value)) return value.flatMap((item) => nodesOf(item, place, budget));
  throw cannot("A record or a function cannot be shown.");
}

/** Pays for every node at and below `nodes`; ends with `too_large` however often one is held. */
function countNodes(nodes: readonly TreeNode[], budget: Budget): void {
  const stack = [nodes];
  for (let level = stack.pop(); level; level = stack.pop()) {
    budget.nodes(level.length);
    for (const node of level) if (node.children?.length) stack.push(node.children as TreeNode[]);
  }
}

/** Pays for every value within `value`, which may hold one value many times. */
export function payForValue(value: Value, budget: Budget): void {
  const stack: Value[] = [value];
  while (stack.length > 0) {
    const item = stack.pop();
    if (typeof item !== "object" || item === null) continue;
    if (isJsxValue(item)) {
      countNodes(item.nodes, budget);
      continue;
    }
    const inner: readonly Value[] = Object.values(item);
    budget.nodes(inner.length + 1);
    stack.push(...inner);
  }
}
