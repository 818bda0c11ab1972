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
import type { Expansion } from "./expansion.ts";
import { entriesOf, arrayOf, memberOf, recordOf, stringOf, stringItemsOf } from "./plain-value.ts";
import type { PlainRecord } from "./plain-value.ts";
import { lastPart, pointerTo } from "./pointer.ts";
import type { Located, References } from "./references.ts";
import type { SchemaReader } from "./schemas.ts";

/** A channel of an AsyncAPI document: what the path and title of its page depend on. */
export interface ChannelEntry {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly pointer: string;
}

export function readChannels(references: References): ChannelEntry[] {
  return entriesOf(memberOf(references.document.root, "channels"))
    .filter(([name]) => !name.startsWith("x-"))
    .map(([name, written]) => {
      const pointer = pointerTo("/channels", name);
      const channel = references.resolve(written, pointer)?.value;
      const title = stringOf(memberOf(channel, "title")) ?? name;
      return { name, title, ...pickDescription(channel), pointer };
    });
}

interface SharedReaders {
  readonly references: References;
  readonly schemas: SchemaReader;
  readonly expansion: Expansion;
}

/** Extracts a channel of version 2 or 3 from its document; undefined if its `$ref` cannot be followed. */
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
      address: stringOf(memberOf(value, "address")) ?? this.#entry.name,
      title: this.#entry.title,
      ...pickDescription(value),
      servers: servers.map(({ server }) => server),
      security: servers.flatMap(({ security }) => security),
      parameters: this.#parameters(),
      operations: this.#operations(),
    };
    const { length } = JSON.stringify(channel);
    const { schemas: reached, isCut } = schemas.collect(
      keys,
      Math.max(0, this.#subjectBytes - length),
    );
    if (isCut) {
      const message =
        "This channel is larger than one page can show; some of its schemas are omitted.";
      references.document.warn("description_too_large", message, this.#channel.pointer);
    }
    return { ...channel, schemas: reached };
  }

  /** The servers that the channel names, else all. */
  #servers(): { server: AsyncServer; security: SecurityScheme[][] }[] {
    const { references } = this.#context;
    const all = entriesOf(memberOf(references.document.root, "servers")).flatMap(
      ([name, value]) => {
        const located = references.resolve(value, pointerTo("/servers", name));
        return located ? [{ name, located }] : [];
      },
    );
    const chosen = arrayOf(memberOf(this.#channel.value, "servers")).map(
      (server) => stringOf(server) ?? stringOf(memberOf(server, "$ref"))?.split("/").at(-1),
    );
    return all
      .filter(({ name }) => chosen.length === 0 || chosen.includes(name))
      .map(({ located }) => this.#server(located));
  }

  #server({ value, pointer }: Located): { server: AsyncServer; security: SecurityScheme[][] } {
    const protocol = stringOf(memberOf(value, "protocol")) ?? "";
    const host = stringOf(memberOf(value, "host")) ?? "";
    const path = stringOf(memberOf(value, "pathname")) ?? "";
    // The address of version 2 may omit the protocol.
    const url = stringOf(memberOf(value, "url")) ?? `${host}${path}`;
    const address = url.includes("://") || protocol === "" ? url : `${protocol}://${url}`;
    const security = this.#security(memberOf(value, "security"), pointerTo(pointer, "security"));
    return { server: { ...readServer(value, address), protocol }, security };
  }

  /** Version 2 names schemes as OpenAPI does; in version 3 each item is a scheme or refers to one. */
  #security(requirements: unknown, pointer: string): SecurityScheme[][] {
    const { references } = this.#context;
    return arrayOf(requirements).flatMap((item, index) => {
      const isScheme = memberOf(item, "$ref") !== undefined || memberOf(item, "type") !== undefined;
      if (!isScheme) return readSecurity([item], pointer, references);
      const scheme = references.resolve(item, pointerTo(pointer, index));
      if (!scheme) return [];
      const name = lastPart(scheme.pointer);
      return [[readScheme(scheme.value, name, stringItemsOf(memberOf(scheme.value, "scopes")))]];
    });
  }

  #parameters(): Omit<Parameter, "place">[] {
    const { references, schemas, keys } = this.#context;
    const at = pointerTo(this.#channel.pointer, "parameters");
    return entriesOf(memberOf(this.#channel.value, "parameters")).flatMap(([name, value]) => {
      const located = references.resolve(value, pointerTo(at, name));
      if (!located) return [];
      const place = pointerTo(located.pointer, "schema");
      // Version 3 has `enum`, `default` and `examples` on the parameter itself.
      const schema =
        schemas.read(memberOf(located.value, "schema"), place, keys) ??
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
      const located = references.resolve(memberOf(value, key), pointerTo(pointer, key));
      return located ? [this.#operation(located, key, action)] : [];
    });
    const all = entriesOf(memberOf(references.document.root, "operations"));
    const others = all.flatMap(([name, operation]) => {
      const located = references.resolve(operation, pointerTo("/operations", name));
      const action = memberOf(located?.value, "action");
      if (!located || !this.#belongsToChannel(located)) return [];
      return action === "send" || action === "receive"
        ? [this.#operation(located, name, action)]
        : [];
    });
    return [...own, ...others];
  }

  #belongsToChannel(operation: Located): boolean {
    const { references } = this.#context;
    const at = pointerTo(operation.pointer, "channel");
    const channel = references.resolve(memberOf(operation.value, "channel"), at);
    return channel?.pointer === this.#channel.pointer;
  }

  #operation(
    { value, pointer }: Located,
    name: string,
    action: AsyncOperation["action"],
  ): AsyncOperation {
    const title =
      stringOf(memberOf(value, "title")) ??
      stringOf(memberOf(value, "summary")) ??
      stringOf(memberOf(value, "operationId")) ??
      name;
    return { action, title, ...pickDescription(value), messages: this.#messages(value, pointer) };
  }

  /** The messages of the operation, else those of the channel. */
  #messages(operation: PlainRecord, pointer: string): AsyncMessage[] {
    const single = memberOf(operation, "message");
    const several = memberOf(operation, "messages");
    const all = memberOf(this.#channel.value, "messages");
    const isOwn = single !== undefined || Array.isArray(several);
    const found: [string, unknown, string][] = [];
    if (isOwn) {
      const alternatives = arrayOf(memberOf(single, "oneOf"));
      const list = [...(alternatives.length > 0 ? alternatives : [single]), ...arrayOf(several)];
      const at = pointerTo(pointer, single === undefined ? "messages" : "message");
      for (const item of list) if (item !== undefined) found.push(["", item, at]);
    } else {
      const at = pointerTo(this.#channel.pointer, "messages");
      for (const [name, item] of entriesOf(all)) found.push([name, item, pointerTo(at, name)]);
    }
    return found.flatMap(([name, item, at]) => this.#message(name, item, at));
  }

  #message(key: string, value: unknown, pointer: string): AsyncMessage[] {
    const { references } = this.#context;
    const located = references.resolve(value, pointer);
    if (!located) return [];
    const last = lastPart(located.pointer);
    const message = located.value;
    const name = stringOf(memberOf(message, "name")) ?? (key === "" ? last : key);
    const payload = this.#schema(located, "payload");
    const headers = this.#schema(located, "headers");
    return [
      {
        name,
        title: stringOf(memberOf(message, "title")) ?? name,
        ...pickDescription(message),
        ...(headers === undefined ? {} : { headers }),
        ...(payload === undefined ? {} : { payload }),
        contentType:
          stringOf(memberOf(message, "contentType")) ??
          stringOf(memberOf(references.document.root, "defaultContentType")) ??
          "application/json",
        examples: messageExamples(message),
      },
    ];
  }

  /** Reads a schema, possibly wrapped in an object with its `schemaFormat`. */
  #schema({ value, pointer }: Located, key: string): Schema | undefined {
    const { schemas, keys } = this.#context;
    const written = recordOf(memberOf(value, key));
    const inner = memberOf(written, "schema");
    const isWrapped = inner !== undefined && memberOf(written, "type") === undefined;
    const at = pointerTo(pointer, key);
    if (isWrapped) return schemas.read(inner, pointerTo(at, "schema"), keys);
    return schemas.read(written, at, keys);
  }
}

function messageExamples(message: PlainRecord): Example[] {
  return arrayOf(memberOf(message, "examples")).flatMap((example, index): Example[] => {
    const value = memberOf(example, "payload");
    if (value === undefined) return [];
    const summary = stringOf(memberOf(example, "summary"));
    const name = stringOf(memberOf(example, "name")) ?? `example-${index + 1}`;
    return [{ name, ...(summary === undefined ? {} : { summary }), value }];
  });
}
