import {
  entriesOf,
  arrayOf,
  memberOf,
  recordOf,
  stringOf,
  type PlainRecord,
} from "./plain-value.ts";
import { pointerTo } from "./pointer.ts";
import type { Located, References } from "./references.ts";

/** An operation or webhook: what the path and title of its page depend on. */
export interface OperationEntry {
  readonly kind: "operation" | "webhook";
  /** Lower case. */
  readonly method: string;
  /** As in the description; the name of a webhook. */
  readonly path: string;
  /** JSON pointer to it in the description. */
  readonly pointer: string;
  readonly summary?: string;
  readonly description?: string;
  /** The first of its tags. */
  readonly tag?: string;
  readonly isDeprecated: boolean;
  /** `x-hidden`: navigation does not show its page. */
  readonly isHidden: boolean;
  /** `x-excluded`: it has no page. */
  readonly isExcluded: boolean;
  /** `x-mint`: settings and content of its page. */
  readonly page: {
    readonly href?: string;
    /** As frontmatter has it. */
    readonly metadata: PlainRecord;
    /** MDX shown before the generated content. */
    readonly content?: string;
  };
}

/** An operation with the parts of the document that it is read from. */
export interface OperationSource {
  readonly entry: OperationEntry;
  readonly operation: PlainRecord;
  /** Its path item. */
  readonly item: Located;
}

export const methods: ReadonlySet<string> = new Set([
  "get",
  "put",
  "post",
  "delete",
  "options",
  "head",
  "patch",
  "trace",
  "query",
]);

/** Reads all operations of a document in order, then its webhooks. */
export function readOperations(references: References): OperationSource[] {
  const { root } = references.document;
  return [
    ...sourcesIn(memberOf(root, "paths"), { kind: "operation", pointer: "/paths", references }),
    ...sourcesIn(memberOf(root, "webhooks"), { kind: "webhook", pointer: "/webhooks", references }),
  ];
}

interface PathsLocation {
  readonly kind: OperationEntry["kind"];
  readonly pointer: string;
  readonly references: References;
}

function* sourcesIn(paths: unknown, at: PathsLocation): Generator<OperationSource> {
  for (const [path, value] of entriesOf(paths)) {
    if (path.startsWith("x-")) continue;
    const item = at.references.resolve(value, pointerTo(at.pointer, path));
    if (item) yield* operationsOf(item, path, at.kind);
  }
}

/** The operations of a path item, by method. */
export function* operationsOf(
  item: Located,
  path: string,
  kind: OperationEntry["kind"],
): Generator<OperationSource> {
  for (const [key, value] of entriesOf(item.value)) {
    const method = key.toLowerCase();
    const operation = methods.has(method) ? recordOf(value) : undefined;
    if (!operation) continue;
    const pointer = pointerTo(item.pointer, key);
    yield { entry: entryOf(operation, { kind, method, path, pointer }), operation, item };
  }
}

function entryOf(
  operation: PlainRecord,
  place: Pick<OperationEntry, "kind" | "method" | "path" | "pointer">,
): OperationEntry {
  const mint = memberOf(operation, "x-mint");
  const summary = stringOf(memberOf(operation, "summary"));
  const description = stringOf(memberOf(operation, "description"));
  const tag = stringOf(arrayOf(memberOf(operation, "tags"))[0]);
  const href = stringOf(memberOf(mint, "href"));
  const content = stringOf(memberOf(mint, "content"));
  return {
    ...place,
    ...(summary === undefined ? {} : { summary }),
    ...(description === undefined ? {} : { description }),
    ...(tag === undefined ? {} : { tag }),
    isDeprecated: memberOf(operation, "deprecated") === true,
    isHidden: memberOf(operation, "x-hidden") === true,
    isExcluded: memberOf(operation, "x-excluded") === true,
    page: {
      ...(href === undefined ? {} : { href }),
      metadata: recordOf(memberOf(mint, "metadata")) ?? {},
      ...(content === undefined ? {} : { content }),
    },
  };
}

/** The title of an operation: its summary, else method and path, or the name of a webhook. */
export function titleOf({ kind, method, path, summary }: OperationEntry): string {
  if (summary !== undefined) return summary;
  return kind === "webhook" ? path : `${method.toUpperCase()} ${path}`;
}
