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

/** Extracts a channel of version 2 or 3 from its document. Undefined if the channel's `$ref` cannot be resolved. */
export function readChannel(entry: ChannelEntry, shared: SharedReaders): AsyncChannel | undefined {
  const { references } = shared;
  const located = references.resolve(references.at(entry.pointer), entry.pointer);
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
    const servers = this.#servers();
    const channel = {
      kind: "channel" as const,
      address: toTrimmedString(findMember(value, "address")) ?? this.#entry.name,
      ...describePart(value, this.#entry.title),
      servers: servers.map(({ server }) => server),
      security: servers.flatMap(({ security }) => security),
      parameters: this.#parameters(),
      operations: this.#operations(),
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

  /** Returns the servers that the channel lists, else all servers. */
  #servers(): { server: AsyncServer; security: SecurityScheme[][] }[] {
    const { references } = this.#context;
    const all = listEntries(findMember(references.document.root, "servers")).flatMap(
      ([name, value]) => {
        const located = references.resolve(value, joinPointer("/servers", name));
        return located ? [{ name, located }] : [];
      },
    );
    const chosen = toArray(findMember(this.#channel.value, "servers")).map(
      (server) =>
        toTrimmedString(server) ?? toTrimmedString(findMember(server, "$ref"))?.split("/").at(-1),
    );
    return all
      .filter(({ name }) => chosen.length === 0 || chosen.includes(name))
      .map(({ located }) => this.#server(located));
  }

  #server({ value, pointer }: Located): { server: AsyncServer; security: SecurityScheme[][] } {
    const protocol = toTrimmedString(findMember(value, "protocol")) ?? "";
    const host = toTrimmedString(findMember(value, "host")) ?? "";
    const path = toTrimmedString(findMember(value, "pathname")) ?? "";
    // In version 2, the URL may omit the protocol.
    const url = toTrimmedString(findMember(value, "url")) ?? `${host}${path}`;
    const address = url.includes("://") || protocol === "" ? url : `${protocol}://${url}`;
    const security = this.#security(
      findMember(value, "security"),
      joinPointer(pointer, "security"),
    );
    return { server: { ...readServer(value, address), protocol }, security };
  }

  /** Reads security requirements: names of schemes in version 2, as in OpenAPI; schemes or references in version 3. */
  #security(requirements: unknown, pointer: string): SecurityScheme[][] {
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

  #parameters(): Omit<Parameter, "place">[] {
    const { references, schemas, keys } = this.#context;
    const at = joinPointer(this.#channel.pointer, "parameters");
    return listEntries(findMember(this.#channel.value, "parameters")).flatMap(([name, value]) => {
      const located = references.resolve(value, joinPointer(at, name));
      if (!located) return [];
      const place = joinPointer(located.pointer, "schema");
      // In version 3, `enum`, `default` and `examples` are on the parameter itself.
      const schema =
        schemas.read(findMember(located.value, "schema"), place, keys) ??
        schemas.read(located.value, located.pointer, keys) ??
        {};
      const parameter = { name, ...pickDescription(located.value), schema };
      return [{ ...parameter, isRequired: true, isDeprecated: false, examples: [] }];
    });
  }

  #operations(): AsyncOperation[] {
    const { value, pointer } = this.#channel;
    const { references } = this.#context;
    const ownKeys = [
      ["publish", "receive"],
      ["subscribe", "send"],
    ] as const;
    const own = ownKeys.flatMap(([key, action]) => {
      const located = references.resolve(findMember(value, key), joinPointer(pointer, key));
      return located ? [this.#operation(located, key, action)] : [];
    });
    const all = listEntries(findMember(references.document.root, "operations"));
    const others = all.flatMap(([name, operation]) => {
      const located = references.resolve(operation, joinPointer("/operations", name));
      const action = findMember(located?.value, "action");
      if (!located || !this.#belongsToChannel(located)) return [];
      return action === "send" || action === "receive"
        ? [this.#operation(located, name, action)]
        : [];
    });
    return [...own, ...others];
  }

  #belongsToChannel(operation: Located): boolean {
    const { references } = this.#context;
    const at = joinPointer(operation.pointer, "channel");
    const channel = references.resolve(findMember(operation.value, "channel"), at);
    return channel?.pointer === this.#channel.pointer;
  }

  #operation(located: Located, name: string, action: AsyncOperation["action"]): AsyncOperation {
    const value = mergeTraits(this.#withTraits(located));
    const { pointer } = located;
    const title =
      toTrimmedString(findMember(value, "title")) ??
      toTrimmedString(findMember(value, "summary")) ??
      toTrimmedString(findMember(value, "operationId")) ??
      name;
    return { action, ...describePart(value, title), messages: this.#messages(value, pointer) };
  }

  /** Returns the messages that the operation lists, else all messages of the channel. */
  #messages(operation: PlainRecord, pointer: string): AsyncMessage[] {
    const single = findMember(operation, "message");
    const several = findMember(operation, "messages");
    const all = findMember(this.#channel.value, "messages");
    const isOwn = single !== undefined || Array.isArray(several);
    const found: [string, unknown, string][] = [];
    if (isOwn) {
      const alternatives = toArray(findMember(single, "oneOf"));
      const list = [...(alternatives.length > 0 ? alternatives : [single]), ...toArray(several)];
      const at = joinPointer(pointer, single === undefined ? "messages" : "message");
      for (const item of list) if (item !== undefined) found.push(["", item, at]);
    } else {
      const at = joinPointer(this.#channel.pointer, "messages");
      for (const [name, item] of listEntries(all)) found.push([name, item, joinPointer(at, name)]);
    }
    return found.flatMap(([name, item, at]) => this.#message(name, item, at));
  }

  #message(key: string, value: unknown, pointer: string): AsyncMessage[] {
    const { references } = this.#context;
    const located = references.resolve(value, pointer);
    if (!located) return [];
    const last = getPointerName(located.pointer);
    const all = this.#withTraits(located);
    const message = mergeTraits(all);
    const name = toTrimmedString(findMember(message, "name")) ?? (key === "" ? last : key);
    const payload = this.#schema(all, "payload");
    const headers = this.#schema(all, "headers");
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

  /** Returns an operation or message, followed by its traits, which add what it does not specify itself. */
  #withTraits(located: Located): readonly Located[] {
    const at = joinPointer(located.pointer, "traits");
    const traits = toArray(findMember(located.value, "traits")).flatMap(
      (trait, index) => this.#context.references.resolve(trait, joinPointer(at, index)) ?? [],
    );
    return [located, ...traits];
  }

  /** Reads the first schema of this key, which may be wrapped in an object with a `schemaFormat`. */
  #schema(all: readonly Located[], key: string): Schema | undefined {
    const { schemas, keys } = this.#context;
    const holder = all.find(({ value }) => findMember(value, key) !== undefined);
    if (holder === undefined) return undefined;
    const { value, pointer } = holder;
    const written = toRecord(findMember(value, key));
    const inner = findMember(written, "schema");
    const isWrapped = inner !== undefined && findMember(written, "type") === undefined;
    const at = joinPointer(pointer, key);
    if (isWrapped) return schemas.read(inner, joinPointer(at, "schema"), keys);
    return schemas.read(written, at, keys);
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

/** Returns the title and description of a part. The description begins with the summary unless that is the title. */
function describePart(part: unknown, title: string): { title: string; description?: string } {
  const summary = toTrimmedString(findMember(part, "summary"));
  const texts = [summary === title ? undefined : summary, findDescription(part)];
  const description = texts.filter((text) => text !== undefined).join("\n\n");
  return description === "" ? { title } : { title, description };
}
