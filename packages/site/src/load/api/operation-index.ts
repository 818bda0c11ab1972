import type { OperationEntry } from "../../openapi/index.ts";
import type { OperationText } from "./operation-text.ts";

/** Finds operations of one description by the names that navigation and pages use. */
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

  /** Finds by method, in any case, and path as written. */
  find(text: OperationText): OperationEntry | undefined {
    return this.#byName.get(nameOf(text));
  }

  /** The name of an operation that differs only in method, case, parameter names or outer slashes; undefined if there is none. */
  suggest(text: OperationText): string | undefined {
    this.#byNormalizedPath ??= Map.groupBy(this.#operations, ({ path }) => normalizePath(path));
    const near = this.#byNormalizedPath.get(normalizePath(text.path)) ?? [];
    const found = near.find(({ method }) => method === text.method) ?? near[0];
    return found && nameOf(found);
  }
}

/** `GET /plants`, or `webhook plantAdded`, without its method. */
export function nameOf({ kind, method, path }: Pick<OperationText, "kind" | "method" | "path">) {
  return kind === "webhook" ? `webhook ${path}` : `${method.toUpperCase()} ${path}`;
}

/** Real paths are far shorter. */
const maxPathLength = 1_000;

function normalizePath(path: string): string {
  const parts = path.slice(0, maxPathLength).toLowerCase().split("/");
  return parts
    .filter((part) => part !== "")
    .map((part) => (part.startsWith("{") ? "{}" : part))
    .join("/");
}
