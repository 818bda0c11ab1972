import { findOnlySimilarName } from "../../core/index.ts";
import type { OperationEntry } from "../../openapi/index.ts";
import { methods } from "../../openapi/index.ts";

/** A reference to an operation in navigation or frontmatter: `openapi.json GET /plants`, `webhook plantAdded`. */
export interface OperationText {
  /** The path or address of the description; undefined if the reference does not name one. */
  readonly location?: string;
  readonly kind: "operation" | "webhook";
  /** The method in lowercase; `webhook` for a webhook. */
  readonly method: string;
  readonly path: string;
}

/** The maximum length of a reference, which exceeds any real reference. Characters beyond it are ignored. */
const maxTextLength = 4_096;

/** Parses a reference to an operation. Returns undefined for any other string, such as the path of a page. */
export function parseOperationText(text: string): OperationText | undefined {
  const words = text.slice(0, maxTextLength).trim().split(/\s+/);
  const methodIndex = words.findIndex((word) => isMethod(word));
  const method = words[methodIndex]?.toLowerCase();
  const path = words.slice(methodIndex + 1).join(" ");
  if (method === undefined || path === "") return undefined;
  const kind = method === "webhook" ? "webhook" : "operation";
  if (kind === "operation" && !path.startsWith("/")) return undefined;
  const location = words.slice(0, methodIndex).join(" ");
  return { ...(location === "" ? {} : { location }), kind, method, path };
}

function isMethod(word: string): boolean {
  const lower = word.toLowerCase();
  return lower === "webhook" || methods.has(lower);
}

/**
 * Parses a reference to a channel or schema: `asyncapi.yaml orders`, `Plant`, `models.json Plant`. If there are several
 * words, the first word names a description.
 */
export function parseNamedPart(text: string): {
  readonly location?: string;
  readonly name: string;
} {
  const words = text.slice(0, maxTextLength).trim().split(/\s+/);
  const [first = "", ...rest] = words;
  return rest.length > 0 ? { location: first, name: rest.join(" ") } : { name: first };
}

/** Reports whether a string has the form of a description's file name or address. */
export function isLocation(text: string): boolean {
  return /^https?:\/\//i.test(text) || /\.(?:json|ya?ml)$/i.test(text);
}

/** Finds the operations of one description by the names that navigation and pages use. */
export class OperationIndex {
  readonly #operations: readonly OperationEntry[];
  readonly #byName = new Map<string, OperationEntry>();
  #byNormalizedPath: Map<string, OperationEntry[]> | undefined;
  #comparisons = 0;

  constructor(operations: readonly OperationEntry[]) {
    this.#operations = operations;
    for (const entry of operations) {
      const key = formatOperationName(entry);
      if (!this.#byName.has(key)) this.#byName.set(key, entry);
    }
  }

  /** Finds an operation by its exact path and its method, whose case is ignored. */
  find(text: OperationText): OperationEntry | undefined {
    return this.#byName.get(formatOperationName(text));
  }

  /**
   * Suggests an operation that differs only in method, case, parameter names, or leading and trailing slashes, or whose
   * path is the only path with similar spelling. Returns undefined if no operation is similar.
   */
  suggest(text: OperationText): string | undefined {
    this.#byNormalizedPath ??= Map.groupBy(this.#operations, ({ path }) => normalizePath(path));
    const path = normalizePath(text.path);
    const candidates = this.#byNormalizedPath.get(path) ?? this.#findSimilar(path);
    const found = candidates.find(({ method }) => method === text.method) ?? candidates[0];
    return found && formatOperationName(found);
  }

  #findSimilar(path: string): readonly OperationEntry[] {
    const operationsByPath = this.#byNormalizedPath ?? new Map<string, readonly OperationEntry[]>();
    this.#comparisons += operationsByPath.size;
    if (path.length > maxComparedLength || this.#comparisons > maxComparisons) return [];
    return operationsByPath.get(findOnlySimilarName(path, operationsByPath.keys()) ?? "") ?? [];
  }
}

/** Formats the name of an operation: `GET /plants`, or for a webhook `webhook plantAdded`, without the method. */
export function formatOperationName({
  kind,
  method,
  path,
}: Pick<OperationText, "kind" | "method" | "path">) {
  return kind === "webhook" ? `webhook ${path}` : `${method.toUpperCase()} ${path}`;
}

/** The maximum length of a path whose similarity to others is computed, and the maximum number of comparisons. */
const [maxComparedLength, maxComparisons] = [200, 50_000];

/** The maximum length of a path, which exceeds any real path. */
const maxPathLength = 1_000;

function normalizePath(path: string): string {
  const parts = path.slice(0, maxPathLength).toLowerCase().split("/");
  return parts
    .filter((part) => part !== "")
    .map((part) => (part.startsWith("{") ? "{}" : part))
    .join("/");
}
