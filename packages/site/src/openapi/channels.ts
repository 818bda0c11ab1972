import type {
  AsyncChannel,
  AsyncMessage,
  AsyncOperation,
  AsyncServer,
  Example,
  Parameter,
  Schema,
  SecurityScheme,
} from "./api-subject.ts";
import {
  pickDescription,
  readScheme,
  readSecurity,
  readServer,
  type ReadContext,
} from "./common-parts.ts";
import type { SchemaExpansion } from "./expansion.ts";
import {
  findDescription,
  listEntries,
  toArray,
  findMember,
  toRecord,
  toTrimmedString,
  toStringItems,
} from "./plain-value.ts";
import type { PlainRecord } from "./plain-value.ts";
import { getPointerName, joinPointer } from "./pointer.ts";
import type { Located, References } from "./document.ts";
import { formatOmittedSchemas, type SchemaReader } from "./schemas.ts";

/** A channel of an AsyncAPI document, with the fields that determine the path and title of its page. */
export interface ChannelEntry {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly pointer: string;
}

export function readChannels(references: References): ChannelEntry[] {
  return listEntries(findMember(references.document.root, "channels"))
    .filter(([name]) => !name.startsWith("x-"))
    .map(([name, written]) => {
      const pointer = joinPointer("/channels", name);
      const channel = references.resolve(written, pointer)?.value;
      const title = toTrimmedString(findMember(channel, "title")) ?? name;
      return { name, title, ...pickDescription(channel), pointer };
    });
}

interface SharedReaders {
  readonly references: References;
  readonly schemas: SchemaReader;
  readonly expansion: SchemaExpansion;
}

/**
 * Extracts a channel of version 2 or 3 from its document. Returns undefined if the channel's `$ref` cannot be resolved.
 */
export function readChannel(entry: ChannelEntry, shared: SharedReaders): AsyncChannel | undefined {
  const { references } = shared;
  const located = references.resolve(references.getValue(entry.pointer), entry.pointer);
  return located && new ChannelReader(entry, located, shared).read();
}

class ChannelReader {
  readonly #entry: ChannelEntry;
  readonly #channel: Located;
  readonly #context: ReadContext;
  readonly #subjectBytes: number;

  constructor(entry: ChannelEntry, channel: Located, { expansion, ...shared }: SharedReaders) {
    this.#subjectBytes = expansion.subjectBytes;
    this.#entry = entry;
    this.#channel = channel;
    this.#context = { ...shared, keys: new Set() };
  }

  read(): AsyncChannel {
    const { references, schemas, keys } = this.#context;
    const { value } = this.#channel;
    const servers = this.#readServers();
    const channel = {
      kind: "channel" as const,
      address: toTrimmedString(findMember(value, "address")) ?? this.#entry.name,
      ...describePart(value, this.#entry.title),
      servers: servers.map(({ server }) => server),
      security: servers.flatMap(({ security }) => security),
      parameters: this.#readParameters(),
      operations: this.#readOperations(),
    };
    const { length } = JSON.stringify(channel);
    const { schemas: reached, omitted } = schemas.collect(
      keys,
      Math.max(0, this.#subjectBytes - length),
    );
    if (omitted.size > 0) {
      const message = formatOmittedSchemas("channel", omitted);
      references.document.warn("description_too_large", message, this.#channel.pointer);
    }
    return { ...channel, schemas: reached };
  }

  /** Returns the servers that the channel lists, or all servers if it lists no servers. */
  #readServers(): { server: AsyncServer; security: SecurityScheme[][] }[] {
    const { references } = this.#context;
    const all = listEntries(findMember(references.document.root, "servers")).flatMap(
      ([name, value]) => {
        const located = references.resolve(value, joinPointer("/servers", name));
        return located ? [{ name, located }] : [];
      },
    );
    const listedNames = toArray(findMember(this.#channel.value, "servers")).map(
      (server) =>
        toTrimmedString(server) ?? toTrimmedString(findMember(server, "$ref"))?.split("/").at(-1),
    );
    return all
      .filter(({ name }) => listedNames.length === 0 || listedNames.includes(name))
      .map(({ located }) => this.#readServer(located));
  }

  #readServer({ value, pointer }: Located): { server: AsyncServer; security: SecurityScheme[][] } {
    const protocol = toTrimmedString(findMember(value, "protocol")) ?? "";
    const host = toTrimmedString(findMember(value, "host")) ?? "";
    const path = toTrimmedString(findMember(value, "pathname")) ?? "";
    // In version 2, the URL may omit the protocol.
    const url = toTrimmedString(findMember(value, "url")) ?? `${host}${path}`;
    const address = url.includes("://") || protocol === "" ? url : `${protocol}://${url}`;
    const security = this.#readSecurity(
      findMember(value, "security"),
      joinPointer(pointer, "security"),
    );
    return { server: { ...readServer(value, address), protocol }, security };
  }

  /**
   * Reads security requirements: in version 2, names of schemes, as in OpenAPI; in version 3, schemes or references.
   */
  #readSecurity(requirements: unknown, pointer: string): SecurityScheme[][] {
    const { references } = this.#context;
    return toArray(requirements).flatMap((item, index) => {
      const isScheme =
        findMember(item, "$ref") !== undefined || findMember(item, "type") !== undefined;
      if (!isScheme) return readSecurity([item], pointer, references);
      const scheme = references.resolve(item, joinPointer(pointer, index));
      if (!scheme) return [];
      const name = getPointerName(scheme.pointer);
      return [[readScheme(scheme.value, name, toStringItems(findMember(scheme.value, "scopes")))]];
    });
  }

  #readParameters(): Omit<Parameter, "location">[] {
    const { references, schemas, keys } = this.#context;
    const basePointer = joinPointer(this.#channel.pointer, "parameters");
    return listEntries(findMember(this.#channel.value, "parameters")).flatMap(([name, value]) => {
      const located = references.resolve(value, joinPointer(basePointer, name));
      if (!located) return [];
      const location = joinPointer(located.pointer, "schema");
      // In version 3, `enum`, `default` and `examples` are on the parameter itself.
      const schema =
        schemas.read(findMember(located.value, "schema"), location, keys) ??
        schemas.read(located.value, located.pointer, keys) ??
        {};
      const parameter = { name, ...pickDescription(located.value), schema };
      return [{ ...parameter, isRequired: true, isDeprecated: false, examples: [] }];
    });
  }

  #readOperations(): AsyncOperation[] {
    const { value, pointer } = this.#channel;
    const { references } = this.#context;
    const ownKeys = [
      ["publish", "receive"],
      ["subscribe", "send"],
    ] as const;
    const channelOperations = ownKeys.flatMap(([key, action]) => {
      const located = references.resolve(findMember(value, key), joinPointer(pointer, key));
      return located ? [this.#readOperation(located, key, action)] : [];
    });
    const all = listEntries(findMember(references.document.root, "operations"));
    const others = all.flatMap(([name, operation]) => {
      const located = references.resolve(operation, joinPointer("/operations", name));
      const action = findMember(located?.value, "action");
      if (!located || !this.#belongsToChannel(located)) return [];
      return action === "send" || action === "receive"
        ? [this.#readOperation(located, name, action)]
        : [];
    });
    return [...channelOperations, ...others];
  }

  #belongsToChannel(operation: Located): boolean {
    const { references } = this.#context;
    const basePointer = joinPointer(operation.pointer, "channel");
    const channel = references.resolve(findMember(operation.value, "channel"), basePointer);
    return channel?.pointer === this.#channel.pointer;
  }

  #readOperation(located: Located, name: string, action: AsyncOperation["action"]): AsyncOperation {
    const value = mergeTraits(this.#listWithTraits(located));
    const { pointer } = located;
    const title =
      toTrimmedString(findMember(value, "title")) ??
      toTrimmedString(findMember(value, "summary")) ??
      toTrimmedString(findMember(value, "operationId")) ??
      name;
    return { action, ...describePart(value, title), messages: this.#readMessages(value, pointer) };
  }

  /** Returns the messages that the operation lists, or all messages of the channel if it lists no messages. */
  #readMessages(operation: PlainRecord, pointer: string): AsyncMessage[] {
    const singleMessage = findMember(operation, "message");
    const messageList = findMember(operation, "messages");
    const all = findMember(this.#channel.value, "messages");
    const isOwn = singleMessage !== undefined || Array.isArray(messageList);
    const found: [string, unknown, string][] = [];
    if (isOwn) {
      const alternatives = toArray(findMember(singleMessage, "oneOf"));
      const list = [
        ...(alternatives.length > 0 ? alternatives : [singleMessage]),
        ...toArray(messageList),
      ];
      const basePointer = joinPointer(
        pointer,
        singleMessage === undefined ? "messages" : "message",
      );
      for (const item of list) if (item !== undefined) found.push(["", item, basePointer]);
    } else {
      const basePointer = joinPointer(this.#channel.pointer, "messages");
      for (const [name, item] of listEntries(all))
        found.push([name, item, joinPointer(basePointer, name)]);
    }
    return found.flatMap(([name, item, basePointer]) => this.#readMessage(name, item, basePointer));
  }

  #readMessage(key: string, value: unknown, pointer: string): AsyncMessage[] {
    const { references } = this.#context;
    const located = references.resolve(value, pointer);
    if (!located) return [];
    const pointerName = getPointerName(located.pointer);
    const all = this.#listWithTraits(located);
    const message = mergeTraits(all);
    const name = toTrimmedString(findMember(message, "name")) ?? (key === "" ? pointerName : key);
    const payload = this.#readSchema(all, "payload");
    const headers = this.#readSchema(all, "headers");
    return [
      {
        name,
        ...describePart(message, toTrimmedString(findMember(message, "title")) ?? name),
        ...(headers === undefined ? {} : { headers }),
        ...(payload === undefined ? {} : { payload }),
        contentType:
          toTrimmedString(findMember(message, "contentType")) ??
          toTrimmedString(findMember(references.document.root, "defaultContentType")) ??
          "application/json",
        examples: readMessageExamples(message),
      },
    ];
  }

  /**
   * Returns an operation or message, followed by its traits, which provide the fields that it does not specify itself.
   */
  #listWithTraits(located: Located): readonly Located[] {
    const basePointer = joinPointer(located.pointer, "traits");
    const traits = toArray(findMember(located.value, "traits")).flatMap(
      (trait, index) =>
        this.#context.references.resolve(trait, joinPointer(basePointer, index)) ?? [],
    );
    return [located, ...traits];
  }

  /** Reads the first schema under this key, which may be wrapped in an object with a `schemaFormat`. */
  #readSchema(all: readonly Located[], key: string): Schema | undefined {
    const { schemas, keys } = this.#context;
    const holder = all.find(({ value }) => findMember(value, key) !== undefined);
    if (holder === undefined) return undefined;
    const { value, pointer } = holder;
    const written = toRecord(findMember(value, key));
    const innerSchema = findMember(written, "schema");
    const isWrapped = innerSchema !== undefined && findMember(written, "type") === undefined;
    const basePointer = joinPointer(pointer, key);
    if (isWrapped) return schemas.read(innerSchema, joinPointer(basePointer, "schema"), keys);
    return schemas.read(written, basePointer, keys);
  }
}

function mergeTraits(all: readonly Located[]): PlainRecord {
  return Object.fromEntries(all.toReversed().flatMap(({ value }) => listEntries(value)));
}

function readMessageExamples(message: PlainRecord): Example[] {
  return toArray(findMember(message, "examples")).flatMap((example, index): Example[] => {
    const payload = findMember(example, "payload");
    const headers = findMember(example, "headers");
    if (payload === undefined && headers === undefined) return [];
    const summary = toTrimmedString(findMember(example, "summary"));
    const name = toTrimmedString(findMember(example, "name")) ?? `example-${index + 1}`;
    const value = headers === undefined ? payload : { headers, payload };
    return [{ name, ...(summary === undefined ? {} : { summary }), value }];
  });
}

/**
 * Returns a title and a description. The description begins with the summary of `part` unless the summary is the title.
 */
function describePart(part: unknown, title: string): { title: string; description?: string } {
  const summary = toTrimmedString(findMember(part, "summary"));
  const texts = [summary === title ? undefined : summary, findDescription(part)];
  const description = texts.filter((text) => text !== undefined).join("\n\n");
  return description === "" ? { title } : { title, description };
}
