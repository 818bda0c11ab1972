import type { OperationEntry } from "../../openapi/index.ts";
import { methods } from "../../openapi/index.ts";

/** An operation as navigation and frontmatter name it: `openapi.json GET /plants`, `webhook plantAdded`. */
export interface OperationText {
  /** Path or address of the description; absent if the reference does not name one. */
  readonly location?: string;
  readonly kind: "operation" | "webhook";
  /** Lower case; `webhook` for a webhook. */
  readonly method: string;
  readonly path: string;
}

/** Longer than any real reference; the rest is ignored. */
const maxTextLength = 4_096;

/** Parses a reference to an operation; undefined for any other text, such as the path of a page. */
export function parseOperationText(text: string): OperationText | undefined {
  const words = text.slice(0, maxTextLength).trim().split(/\s+/);
  const at = words.findIndex((word) => isMethod(word));
  const method = words[at]?.toLowerCase();
  const path = words.slice(at + 1).join(" ");
  if (method === undefined || path === "") return undefined;
  const kind = method === "webhook" ? "webhook" : "operation";
  if (kind === "operation" && !path.startsWith("/")) return undefined;
  const location = words.slice(0, at).join(" ");
  return { ...(location === "" ? {} : { location }), kind, method, path };
}

function isMethod(word: string): boolean {
  const lower = word.toLowerCase();
  return lower === "webhook" || methods.has(lower);
}

/** Parses a reference to a channel or schema: `asyncapi.yaml orders`, `Plant`, `models.json Plant`. */
export function parseNamedPart(text: string): {
  readonly location?: string;
  readonly name: string;
} {
  const words = text.slice(0, maxTextLength).trim().split(/\s+/);
  const [first = "", ...rest] = words;
  const isFile = isLocation(first) && rest.length > 0;
  return isFile ? { location: first, name: rest.join(" ") } : { name: words.join(" ") };
}

/** Whether a text has the form of a file or an address of a description. */
export function isLocation(text: string): boolean {
  return /^https?:\/\//i.test(text) || /\.(?:json|ya?ml)$/i.test(text);
}

/** Finds operations of one description by the names that navigation and pages use. */
export class OperationIndex {
  readonly #operations: readonly OperationEntry[];
  readonly #byName = new Map<string, OperationEntry>();
  #byNormalizedPath: Map<string, OperationEntry[]> | undefined;

  constructor(operations: readonly OperationEntry[]) {
    this.#operations = operations;
    for (const entry of operations) {
      const key = formatOperationName(entry);
      if (!this.#byName.has(key)) this.#byName.set(key, entry);
    }
  }

  /** Finds by method, in any case, and path as written. */
  find(text: OperationText): OperationEntry | undefined {
    return this.#byName.get(formatOperationName(text));
  }

  /** The name of an operation that differs only in method, case, parameter names or outer slashes; undefined if there is none. */
  suggest(text: OperationText): string | undefined {
    this.#byNormalizedPath ??= Map.groupBy(this.#operations, ({ path }) => normalizePath(path));
    const near = this.#byNormalizedPath.get(normalizePath(text.path)) ?? [];
    const found = near.find(({ method }) => method === text.method) ?? near[0];
    return found && formatOperationName(found);
  }
}

/** `GET /plants`, or `webhook plantAdded`, without its method. */
export function formatOperationName({
  kind,
  method,
  path,
}: Pick<OperationText, "kind" | "method" | "path">) {
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
