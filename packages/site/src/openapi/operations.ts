import {
  listEntries,
  toArray,
  findMember,
  toRecord,
  toTrimmedString,
  type PlainRecord,
} from "./plain-value.ts";
import { joinPointer } from "./pointer.ts";
import type { Located, References } from "./document.ts";

/** An operation or webhook, with the fields that determine the path and title of its page. */
export interface OperationEntry {
  readonly kind: "operation" | "webhook";
  /** The method in lowercase. */
  readonly method: string;
  /** The path as written in the description, or the name of a webhook. */
  readonly path: string;
  /** The JSON pointer to the operation in the description. */
  readonly pointer: string;
  readonly summary?: string;
  readonly description?: string;
  /** The first tag of the operation. */
  readonly tag?: string;
  readonly isDeprecated: boolean;
  /** `x-hidden`: whether the navigation omits the operation's page. */
  readonly isHidden: boolean;
  /** `x-excluded`: whether the operation has no page. */
  readonly isExcluded: boolean;
  /** `x-mint`: the settings and content of the operation's page. */
  readonly page: {
    readonly href?: string;
    /** Metadata in the format of frontmatter. */
    readonly metadata: PlainRecord;
    /** MDX that is shown before the generated content. */
    readonly content?: string;
  };
}

/** An operation and the parts of the document from which it is read. */
export interface OperationSource {
  readonly entry: OperationEntry;
  readonly operation: PlainRecord;
  /** The path item that contains the operation. */
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
    ...listSources(findMember(root, "paths"), { kind: "operation", pointer: "/paths", references }),
    ...listSources(findMember(root, "webhooks"), {
      kind: "webhook",
      pointer: "/webhooks",
      references,
    }),
  ];
}

interface PathsLocation {
  readonly kind: OperationEntry["kind"];
  readonly pointer: string;
  readonly references: References;
}

function* listSources(paths: unknown, location: PathsLocation): Generator<OperationSource> {
  for (const [path, value] of listEntries(paths)) {
    if (path.startsWith("x-")) continue;
    const item = location.references.resolve(value, joinPointer(location.pointer, path));
    if (item) yield* listOperations(item, path, location.kind);
  }
}

/** Yields the operations of a path item with their methods. */
export function* listOperations(
  item: Located,
  path: string,
  kind: OperationEntry["kind"],
): Generator<OperationSource> {
  for (const [key, value] of listEntries(item.value)) {
    const method = key.toLowerCase();
    const operation = methods.has(method) ? toRecord(value) : undefined;
    if (!operation) continue;
    const pointer = joinPointer(item.pointer, key);
    yield { entry: createEntry(operation, { kind, method, path, pointer }), operation, item };
  }
}

function createEntry(
  operation: PlainRecord,
  location: Pick<OperationEntry, "kind" | "method" | "path" | "pointer">,
): OperationEntry {
  const mint = findMember(operation, "x-mint");
  const summary = toTrimmedString(findMember(operation, "summary"));
  const description = toTrimmedString(findMember(operation, "description"));
  const tag = toTrimmedString(toArray(findMember(operation, "tags"))[0]);
  const href = toTrimmedString(findMember(mint, "href"));
  const content = toTrimmedString(findMember(mint, "content"));
  return {
    ...location,
    ...(summary === undefined ? {} : { summary }),
    ...(description === undefined ? {} : { description }),
    ...(tag === undefined ? {} : { tag }),
    isDeprecated: findMember(operation, "deprecated") === true,
    isHidden: findMember(operation, "x-hidden") === true,
    isExcluded: findMember(operation, "x-excluded") === true,
    page: {
      ...(href === undefined ? {} : { href }),
      metadata: toRecord(findMember(mint, "metadata")) ?? {},
      ...(content === undefined ? {} : { content }),
    },
  };
}

/**
 * Returns the title of an operation: its summary or, if it has no summary, its method and path or the webhook's name.
 */
export function getOperationTitle({ kind, method, path, summary }: OperationEntry): string {
  if (summary !== undefined) return summary;
  return kind === "webhook" ? path : `${method.toUpperCase()} ${path}`;
}
