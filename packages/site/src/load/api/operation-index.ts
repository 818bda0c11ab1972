import type { OperationEntry } from "../../openapi/index.ts";
import type { OperationText } from "./operation-text.ts";

/** Finds operations of one description by what navigation and pages call them. */
export class OperationIndex {
  readonly #operations: readonly OperationEntry[];
  readonly #byName = new Map<string, OperationEntry>();
  #byNormalizedPath: Map<string, OperationEntry[]> | undefined;

  constructor(operations: readonly OperationEntry[]) {
    this.#operations = operations;
    for (const entry of operations) {
      const key = nameOf(entry);
      if (!this.#byName.has(key)) this.#byName.set(key, entry);
    }
  }

  /** By method and path as they are written, the method in any case. */
  find(text: OperationText): OperationEntry | undefined {
    return this.#byName.get(nameOf(text));
  }

  /** The operation that was likely meant, as a reference names it: the same but for method, case, names of parameters or outer slashes. */
  suggest(text: OperationText): string | undefined {
    this.#byNormalizedPath ??= Map.groupBy(this.#operations, ({ path }) => normalizePath(path));
    const near = this.#byNormalizedPath.get(normalizePath(text.path)) ?? [];
    const found = near.find(({ method }) => method === text.method) ?? near[0];
    return found && nameOf(found);
  }
}

/** `GET /plants`, `webhook plantAdded`. Of a webhook the method does not matter. */
export function nameOf({ kind, method, path }: Pick<OperationText, "kind" | "method" | "path">) {
  return kind === "webhook" ? `webhook ${path}` : `${method.toUpperCase()} ${path}`;
}

/** Paths in use are far shorter. */
const maxPathLength = 1_000;

function normalizePath(path: string): string {
  const parts = path.slice(0, maxPathLength).toLowerCase().split("/");
  return parts
    .filter((part) => part !== "")
    .map((part) => (part.startsWith("{") ? "{}" : part))
    .join("/");
}
