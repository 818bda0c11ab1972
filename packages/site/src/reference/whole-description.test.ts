import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import * as fc from "fast-check";
import { planPropertyRuns } from "../../../../test/support/property-runs.ts";
import { parseFragment, type DefaultTreeAdapterTypes as Dom } from "parse5";
import { renderApiPage } from "../../../../test/support/api-page.ts";
import { endpointOf } from "../../../../test/support/sample-endpoint.ts";
import { realSites } from "../../../../test/support/real-sites.ts";
import { parseDescriptionFile, readDescription, type ApiDescription } from "../openapi/index.ts";
import type { PageContent } from "../page/index.ts";

/**
 * All that a description says about an operation stands on the operation's page, in the page's Markdown file and in
 * the text that search finds. The exceptions are in `walkSchema`; docs/reference/apis.mdx lists them with their reasons.
 */

type Json = Readonly<Record<string, unknown>>;

/** A text or value of a description that readers must find. */
interface Fact {
  readonly at: string;
  readonly text: string;
}

function toRecord(value: unknown): Json | undefined {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? (value as Json) : undefined;
}

function entriesOf(value: unknown): [string, unknown][] {
  return Object.entries(toRecord(value) ?? {});
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function valueIn(value: unknown, key: string): unknown {
  return toRecord(value)?.[key];
}

function entriesIn(value: unknown, key: string): [string, unknown][] {
  return entriesOf(valueIn(value, key));
}

function textIn(value: unknown, key: string): string {
  const text = toRecord(value)?.[key];
  return typeof text === "string" ? text : "";
}

type Direction = "request" | "response";

/** A schema's place in the description. */
interface Place {
  readonly at: string;
  readonly direction: Direction;
  /** The name of its property or component. */
  readonly name: string;
  readonly isMerged?: boolean;
  readonly isProperty?: boolean;
  /** Keywords that a schema around it sets instead. */
  readonly replaced?: readonly string[];
}

/** Returns the name of the schema that a reference leads to. */
function getKey(schema: Json): string {
  return textIn(schema, "$ref").split("/").at(-1) ?? "";
}

class Walk {
  readonly facts: Fact[] = [];
  readonly #root: Json;
  /** The visits of each schema: whatever leads to it, it says the same. */
  readonly #visits = new Map<Json, Set<string>>();

  constructor(root: Json) {
    this.#root = root;
  }

  operation(path: string, operation: Json, direction: Direction = "request"): void {
    const item = this.#follow(toRecord(this.#root["paths"])?.[path]) ?? {};
    const returned = direction === "request" ? "response" : "request";
    this.#texts(operation, "operation", ["description"]);
    if (path !== "") this.#address(operation);
    for (const parameter of [...listOf(item["parameters"]), ...listOf(operation["parameters"])]) {
      this.#value(this.#follow(parameter), "parameter", direction);
    }
    this.#value(this.#follow(operation["requestBody"]), "body", direction);
    for (const [status, response] of entriesOf(operation["responses"])) {
      this.#response(status, this.#follow(response), returned);
    }
    for (const [, callback] of entriesOf(operation["callbacks"])) {
      for (const [, methods] of entriesOf(this.#follow(callback))) {
        for (const [, other] of entriesOf(methods))
          this.operation("", toRecord(other) ?? {}, returned);
      }
    }
  }

  #response(status: string, response: Json | undefined, direction: Direction): void {
    this.#value(response, status, direction);
    for (const [name, header] of entriesIn(response, "headers")) {
      this.#value(this.#follow(header), `${status} ${name}`, direction);
    }
    for (const [name, entry] of entriesIn(response, "links")) {
      const link = this.#follow(entry) ?? {};
      const at = `${status} link`;
      this.#add(at, name);
      this.#texts(link, at, ["operationId", "operationRef", "description", "requestBody"]);
      for (const [key, value] of entriesIn(link, "parameters")) {
        this.#add(at, key);
        this.#add(at, value);
      }
    }
  }

  channel(name: string, channel: Json): void {
    this.#texts(channel, name, ["address", "summary", "description"]);
    const names = listOf(channel["servers"]).map((server) =>
      typeof server === "string" ? server : getKey(toRecord(server) ?? {}),
    );
    for (const [key, server] of entriesOf(this.#root["servers"])) {
      if (names.length > 0 && !names.includes(key)) continue;
      this.#texts(server, key, ["host", "pathname", "url", "protocol", "description"]);
      this.#variables(server);
      const schemes = listOf(valueIn(server, "security")).flatMap((item): [string, unknown][] => {
        const key = getKey(toRecord(item) ?? {});
        return key === "" ? entriesOf(item) : [[key, []]];
      });
      for (const [scheme, scopes] of schemes) this.#scheme(scheme, listOf(scopes));
    }
    for (const [parameter, value] of entriesOf(channel["parameters"])) {
      const own = this.#follow(value) ?? {};
      const place = { at: parameter, direction: "request", name: parameter } as const;
      this.#add(parameter, parameter);
      this.schema(own, place);
      this.schema(own["schema"], place);
    }
    const actions = { publish: "request", subscribe: "response" } as const;
    for (const [action, direction] of Object.entries(actions)) {
      const operation = this.#follow(channel[action]);
      if (operation) this.#channelOperation(operation, channel, direction);
    }
    for (const [, operation] of entriesOf(this.#root["operations"])) {
      const isOwn = this.#follow(valueIn(operation, "channel")) === channel;
      const direction = valueIn(operation, "action") === "send" ? "response" : "request";
      if (isOwn) this.#channelOperation(toRecord(operation) ?? {}, channel, direction);
    }
  }

  #channelOperation(operation: Json, channel: Json, direction: Direction): void {
    for (const value of [operation, ...this.#traits(operation)])
      this.#texts(value, "operation", ["title", "summary", "description"]);
    const message = this.#follow(operation["message"]);
    const single = message?.["oneOf"] ?? (message && [message]);
    const all = entriesOf(channel["messages"]).map(([, value]) => value);
    for (const item of listOf(operation["messages"] ?? single ?? all)) {
      const own = this.#follow(item) ?? {};
      for (const part of [own, ...this.#traits(own)]) this.#message(part, direction);
    }
  }

  #traits(holder: Json): readonly Json[] {
    return listOf(holder["traits"]).flatMap((trait): readonly Json[] => {
      const found = this.#follow(trait);
      return found === undefined ? [] : [found];
    });
  }

  #message(message: Json, direction: Direction): void {
    this.#texts(message, "message", ["title", "summary", "description", "contentType"]);
    for (const key of ["headers", "payload"]) {
      this.schema(message[key], { at: key, direction, name: "" });
      this.schema(valueIn(message[key], "schema"), { at: key, direction, name: "" });
    }
    for (const example of listOf(message["examples"])) {
      this.#texts(example, "example", ["summary"]);
      for (const key of ["headers", "payload"]) this.#add("example", valueIn(example, key));
    }
  }

  #variables(server: unknown): void {
    for (const [name, variable] of entriesIn(server, "variables")) {
      this.#texts(variable, `server ${name}`, ["default", "description"]);
      for (const value of listOf(valueIn(variable, "enum"))) this.#add(`server ${name}`, value);
    }
  }

  /** Where the operation is, and how callers authenticate. */
  #address(operation: Json): void {
    for (const server of listOf(operation["servers"] ?? this.#root["servers"])) {
      this.#texts(server, "server", ["description"]);
      this.#variables(server);
    }
    this.#texts(this.#root, "server", ["host", "basePath"]);
    for (const requirement of listOf(operation["security"] ?? this.#root["security"])) {
      for (const [name, scopes] of entriesOf(requirement)) this.#scheme(name, listOf(scopes));
    }
  }

  #scheme(name: string, scopes: readonly unknown[]): void {
    const all =
      this.#root["securityDefinitions"] ?? valueIn(this.#root["components"], "securitySchemes");
    const scheme = this.#follow(valueIn(all, name));
    this.#texts(scheme, name, ["description", "bearerFormat", "openIdConnectUrl"]);
    const own = scheme?.["flow"] === undefined ? [] : [["flow", scheme] as const];
    for (const [kind, flow] of [...own, ...entriesIn(scheme, "flows")]) {
      this.#texts(flow, `${name} ${kind}`, ["authorizationUrl", "tokenUrl"]);
      const described = valueIn(flow, "scopes");
      for (const scope of scopes) this.#add(name, valueIn(described, String(scope)));
    }
  }

  /** A parameter, header, body or response. */
  #value(value: Json | undefined, at: string, direction: Direction): void {
    if (value === undefined) return;
    this.#texts(value, at, ["description", "deprecated"]);
    this.#examples(value, at);
    const place = { at, direction, name: textIn(value, "name") };
    this.schema(value["schema"], place);
    // In Swagger, parameters and headers are schemas themselves.
    if (this.#root["swagger"] !== undefined && value["type"] !== undefined)
      this.schema(value, place);
    for (const [mediaType, content] of entriesOf(value["content"])) {
      const media = toRecord(content) ?? {};
      this.#examples(media, `${at} ${mediaType}`);
      const place = { at: `${at} ${mediaType}`, direction, name: "" };
      this.schema(media["schema"], place);
    }
  }

  #examples(holder: Json, at: string): void {
    if (holder["example"] !== undefined) this.#add(at, holder["example"]);
    if (this.#root["swagger"] !== undefined) {
      for (const [mediaType, value] of entriesOf(holder["examples"])) {
        this.#add(at, mediaType);
        this.#add(at, value);
      }
      return this.#add(at, holder["x-example"]);
    }
    const named = entriesOf(holder["examples"]).map(
      ([name, one]) => [name, this.#follow(one)] as const,
    );
    for (const [name, example] of named) {
      if (named.length > 1) this.#add(at, example?.["summary"] ?? name);
      this.#texts(example ?? {}, at, ["description"]);
      this.#add(at, example?.["value"]);
    }
  }

  schema(written: unknown, location: Place): void {
    const schema = toRecord(written);
    if (schema === undefined) return;
    const visits = this.#visits.get(schema) ?? new Set();
    const { direction, name, isMerged, isProperty, replaced } = location;
    const visit = JSON.stringify([direction, name, isMerged, isProperty, replaced]);
    if (visits.has(visit)) return;
    this.#visits.set(schema, visits.add(visit));
    // What is only in the other direction is on the pages that send it.
    const other = location.direction === "request" ? "readOnly" : "writeOnly";
    if (schema[other] === true || valueIn(this.#follow(schema), other) === true) return;
    if (location.isProperty === true) this.#add(location.at, location.name);
    this.#own(schema, location);
    this.#inside(schema, location);
  }

  #own(schema: Json, { at, name, isMerged = false, replaced = [] }: Place): void {
    const names = [name, getKey(schema)].map(letters);
    const isNamed = names.includes(letters(textIn(schema, "title")));
    const own = [...keywords, "title", "enum"].filter((keyword) => !replaced.includes(keyword));
    // Merged schemas are not the schema that they become part of.
    const isTitled = !isNamed && !isMerged;
    const texts = own.filter((keyword) => keyword !== "enum" && (keyword !== "title" || isTitled));
    this.#texts(schema, at, ["description", "example", ...texts]);
    const lists = own.includes("enum") ? ["enum", "examples"] : ["examples"];
    for (const key of lists) for (const value of listOf(schema[key])) this.#add(at, value);
  }

  #inside(schema: Json, { at, direction, isMerged = false, replaced = [] }: Place): void {
    const inside = { direction, name: "" };
    if (schema["$ref"] !== undefined) {
      const target = this.#at(textIn(schema, "$ref"));
      const all = [...new Set([...replaced, ...Object.keys(schema)])].toSorted();
      this.schema(target, { ...inside, at, name: getKey(schema), isMerged, replaced: all });
    }
    for (const kind of ["properties", "patternProperties"]) {
      for (const [name, value] of entriesIn(schema, kind)) {
        this.schema(value, { ...inside, at: `${at}.${name}`, name, isProperty: true });
      }
    }
    this.schema(schema["items"], { ...inside, at: `${at}[]` });
    this.schema(schema["additionalProperties"], { ...inside, at: `${at}.*` });
    for (const kind of ["allOf", "oneOf", "anyOf", "prefixItems"]) {
      const merged = kind === "allOf" ? { isMerged: true } : {};
      for (const part of listOf(schema[kind]))
        this.schema(part, { ...inside, at: `${at} ${kind}`, ...merged });
    }
    if (schema["discriminator"] !== undefined && !isMerged)
      this.#subtypes(schema, { ...inside, at });
  }

  /** The schemas that name this one in their `allOf`. */
  #subtypes(base: Json, location: Place): void {
    const { schemas } = toRecord(this.#root["components"]) ?? {};
    for (const [name, schema] of entriesOf(schemas ?? this.#root["definitions"])) {
      const isSubtype = listOf(toRecord(schema)?.["allOf"]).some(
        (part) => this.#at(textIn(part, "$ref")) === base,
      );
      if (isSubtype) this.schema(schema, { ...location, name });
    }
  }

  #texts(holder: unknown, at: string, keys: readonly string[]): void {
    for (const key of keys) {
      const value = valueIn(holder, key);
      if (typeof value === "boolean" && key !== "default" && key !== "const") {
        if (value && Object.hasOwn(words, key)) this.#add(at, words[key]);
      } else if (value !== undefined) this.#add(`${at} ${key}`, value);
    }
  }

  #add(at: string, value: unknown): void {
    if (value === undefined) return;
    this.facts.push({ at, text: typeof value === "string" ? value : JSON.stringify(value) });
  }

  #follow(value: unknown): Json | undefined {
    const record = toRecord(value);
    const ref = record?.["$ref"];
    return typeof ref === "string" ? this.#follow(this.#at(ref)) : record;
  }

  #at(ref: string): unknown {
    let value: unknown = this.#root;
    for (const key of ref.slice(2).split("/")) {
      value =
        toRecord(value)?.[decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")];
    }
    return value;
  }
}

const words: Readonly<Record<string, string>> = {
  deprecated: "deprecated",
  readOnly: "read-only",
  writeOnly: "write-only",
  uniqueItems: "no item twice",
};

const keywords = [
  "format",
  "default",
  "const",
  "pattern",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "contentMediaType",
  "contentEncoding",
  "uniqueItems",
  "deprecated",
  "readOnly",
  "writeOnly",
];

function letters(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

/** The words of a text, for comparison with text whose markup is written differently. */
function wordsOf(text: string): string {
  const clean = text.replaceAll(/[\0\uFFFD]/g, "");
  return ` ${(clean.match(/[\p{L}\p{N}]+/gu) ?? []).join(" ")} `;
}

/** A description as readers see it: without tags, addresses of links, and languages of code. */
function withoutMarkup(text: string): string {
  return text
    .replaceAll(/^\s*(?:`{3}|~{3})[^\n]*$/gm, " ")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/<\/?[a-z][^<>]*>/gi, " ")
    .replaceAll(/&\w+;/g, " ");
}

const blocks: ReadonlySet<string> = new Set(
  "aside blockquote br dd details div dl dt h2 h3 h4 h5 h6 li ol p pre section summary table td th tr ul".split(
    " ",
  ),
);

function textOf(html: string): string {
  const parts: string[] = [];
  const visit = (node: Dom.ChildNode): void => {
    const isBlock = "tagName" in node && blocks.has(node.tagName);
    if (isBlock) parts.push(" ");
    if ("value" in node) parts.push(node.value);
    if ("childNodes" in node) for (const child of node.childNodes) visit(child);
    if (isBlock) parts.push(" ");
  };
  for (const node of parseFragment(html).childNodes) visit(node);
  return parts.join("");
}

function numbered(word: string): readonly string[] {
  return Array.from({ length: 900 }, (_, at) => `${word}${at}`);
}

/** The facts of a page that one of its forms does not have, with the form. */
function findMissing(facts: readonly Fact[], page: PageContent): string[] {
  const search = page.sections
    .map(({ heading, text, hidden = "" }) => `${heading} ${text} ${hidden}`)
    .join(" ");
  const texts = {
    page: textOf([page.html, ...(page.schemaParts ?? [])].join("")),
    markdown: page.markdown,
    search,
  };
  const forms = Object.entries(texts).map(([form, all]) => ({ form, all, words: wordsOf(all) }));
  return facts.flatMap(({ at, text }) => {
    const shown = wordsOf(withoutMarkup(text));
    return forms.flatMap(({ form, all, words }) => {
      const isShown =
        (shown.trim() === "" && all.includes(text)) ||
        words.includes(wordsOf(text)) ||
        words.includes(shown);
      return isShown ? [] : [`${form}: ${at}: ${text.slice(0, 500)}`];
    });
  });
}

async function findMissingIn(text: string): Promise<string[]> {
  const file = parseDescriptionFile({ file: "a.json", name: "a.json", text }, () => undefined);
  const description = file && readDescription(file, { report: () => undefined });
  assert.ok(file && description);
  const missing: string[] = [];
  for (const entry of description.operations) {
    const page = await renderApiPage(description.getSubject(entry));
    const walk = new Walk(file.root);
    const operation = operationAt(file.root, entry);
    walk.operation(entry.path, operation, entry.kind === "webhook" ? "response" : "request");
    for (const line of findMissing(walk.facts, page))
      missing.push(`${entry.method} ${entry.path} ${line}`);
  }
  for (const entry of description.channels) {
    const page = await renderApiPage(description.getSubject(entry));
    const walk = new Walk(file.root);
    walk.channel(entry.name, toRecord(valueIn(file.root["channels"], entry.name)) ?? {});
    for (const line of findMissing(walk.facts, page)) missing.push(`${entry.name} ${line}`);
  }
  return missing;
}

function operationAt(
  root: Json,
  { kind, path, method }: ApiDescription["operations"][number],
): Json {
  const paths = toRecord(root[kind === "webhook" ? "webhooks" : "paths"]) ?? {};
  return toRecord(toRecord(paths[path])?.[method]) ?? {};
}

/** Writes descriptions in which each text and number is unique, so that it cannot be found in another's place. */
class DescriptionWriter {
  readonly #next: () => number;
  #count = 100_000;

  constructor(choices: readonly number[]) {
    let at = 0;
    this.#next = () => choices[at++ % choices.length] ?? 0;
  }

  write(): Json {
    const names = ["Ada", "Bob", "Cyd", "Eve"];
    const schemas: Record<string, unknown> = Object.fromEntries(
      names.map((name) => [name, { description: this.#text("named"), ...this.#kind(11, 1) }]),
    );
    const kind = this.#text("kind");
    schemas["Base"] = {
      type: "object",
      description: this.#text("base"),
      discriminator: { propertyName: kind },
      properties: { [kind]: { type: "string" }, [this.#text("own")]: this.#schema(2) },
    };
    for (const name of ["Cat", "Dog"]) {
      const own = { type: "object", properties: { [this.#text(name)]: this.#schema(2) } };
      schemas[name] = { description: this.#text("child"), allOf: [{ $ref: ref("Base") }, own] };
    }
    const operation = () => ({
      summary: this.#text("summary"),
      description: this.#text("operation"),
      parameters: ["query", "header", "cookie"].map((place) => ({
        name: this.#text(place),
        in: place,
        description: this.#text("parameter"),
        schema: this.#schema(2),
        ...(this.#is(2) ? { examples: this.#examples(() => this.#text("value")) } : {}),
      })),
      requestBody: { description: this.#text("body"), content: this.#content() },
      responses: {
        200: {
          description: this.#text("response"),
          content: this.#content(),
          headers: { [this.#text("x")]: { description: this.#text("h"), schema: this.#schema(2) } },
          links: {
            [this.#text("l")]: {
              operationId: this.#text("o"),
              description: `${this.#text("link")}\n\n- ${this.#text("item")}`,
              parameters: { [this.#text("p")]: `$response.body#/${this.#text("v")}` },
              requestBody: { [this.#text("b")]: 1 },
            },
            [this.#text("l")]: { description: this.#text("link") },
          },
        },
        default: { description: this.#text("response"), content: this.#content() },
      },
    });
    const callbacks = { [this.#text("on")]: { "{$url}": { post: operation() } } };
    return {
      openapi: "3.1.0",
      info: { title: "T", version: "1" },
      servers: [
        {
          url: "https://{region}.example.com",
          description: this.#text("server"),
          variables: {
            region: {
              default: this.#text("r"),
              enum: [this.#text("r")],
              description: this.#text("v"),
            },
          },
        },
      ],
      security: [{ login: ["read"] }, { token: [] }],
      paths: { "/a": { post: { ...operation(), callbacks } } },
      webhooks: { sent: { post: operation() } },
      components: {
        schemas,
        securitySchemes: {
          token: { type: "http", scheme: "bearer", bearerFormat: this.#text("format") },
          login: {
            type: "oauth2",
            description: this.#text("login"),
            flows: {
              implicit: { authorizationUrl: this.#text("url"), scopes: { read: this.#text("s") } },
            },
          },
        },
      },
    };
  }

  /** Writes a description in Swagger 2.0. */
  writeSwagger(): Json {
    const { components } = this.write();
    const schemes = { token: { type: "apiKey", in: "header", name: this.#text("key") } };
    const flow = { flow: "implicit", authorizationUrl: this.#text("url") };
    const simple = () => ({
      description: this.#text("simple"),
      ...this.#kind(this.#next() % 4, 4),
    });
    const list = () => ({ type: "array", description: this.#text("list"), items: simple() });
    const parameters = ["query", "header", "formData", "path"].map((place) => ({
      name: this.#text(place),
      in: place,
      ...(this.#is(3) ? list() : simple()),
      ...(this.#is(2) ? { "x-example": this.#text("example") } : {}),
    }));
    const response = () => ({
      description: this.#text("response"),
      schema: this.#is(3) ? { $ref: ref("Base") } : this.#schema(0),
      examples: { "application/json": { [this.#text("key")]: this.#count++ } },
      headers: { [this.#text("x")]: simple() },
    });
    const bodies = [
      parameters.filter(({ in: place }) => place !== "path"),
      [{ name: "body", in: "body", description: this.#text("body"), schema: this.#schema(0) }],
    ];
    const operations = bodies.map((all, at) => {
      const said = { summary: this.#text("summary"), description: this.#text("operation") };
      const responses = { 200: response(), default: response() };
      return [`/a${at}`, { post: { ...said, parameters: all, responses } }];
    });
    return movedSchemas("#/definitions/", {
      swagger: "2.0",
      host: "api.example.com",
      basePath: `/${this.#text("base")}`,
      security: [{ login: ["read"] }, { token: [] }],
      securityDefinitions: {
        ...schemes,
        login: { type: "oauth2", ...flow, scopes: { read: this.#text("scope") } },
      },
      paths: Object.fromEntries(operations),
      definitions: valueIn(components, "schemas"),
    });
  }

  /** Writes a description in AsyncAPI 3 or 2. */
  writeChannels(version: 2 | 3): Json {
    const { components } = this.write();
    const message = () => ({
      title: this.#text("title"),
      summary: this.#text("summary"),
      description: this.#text("message"),
      contentType: "application/json",
      headers: { type: "object", properties: { [this.#text("h")]: this.#schema(2) } },
      payload: this.#is(3) ? { $ref: ref("Base") } : this.#schema(0),
      examples: [
        { summary: this.#text("example"), payload: { [this.#text("key")]: this.#count++ } },
      ],
    });
    const said = () => ({ summary: this.#text("summary"), description: this.#text("said") });
    const variables = { region: { default: this.#text("r"), description: this.#text("v") } };
    const parameter = {
      description: this.#text("parameter"),
      default: this.#text("default"),
      enum: [this.#text("e")],
    };
    const trait = { description: this.#text("trait") };
    const traits = [{ headers: { properties: { [this.#text("h")]: { type: "string" } } } }];
    const { headers: _, ...plain } = message();
    const messages = { One: message(), Two: { ...plain, traits } };
    const server = { protocol: "wss", description: this.#text("server"), variables };
    const channel = { description: this.#text("channel"), summary: this.#text("summary") };
    const named = { "{id}": { description: this.#text("channel") } };
    const operation = { summary: this.#text("summary"), traits: [trait] };
    const shared = {
      ...toRecord(components),
      messages,
    };
    const refs = ["One", "Two"].map((name) => ({ $ref: `#/components/messages/${name}` }));
    if (version === 2) {
      const own = { ...channel, ...named["{id}"], parameters: { id: { schema: parameter } } };
      return {
        asyncapi: "2.6.0",
        servers: { main: { ...server, url: this.#text("url"), security: [{ token: [] }] } },
        channels: {
          "{id}": {
            ...own,
            publish: { ...said(), message: { oneOf: refs } },
            subscribe: { ...operation, message: message() },
          },
        },
        components: shared,
      };
    }
    const to = { channel: { $ref: "#/channels/main" }, title: this.#text("title") };
    const one = { ...to, ...said(), action: "send", messages: refs.slice(0, 1) };
    const all = { ...to, ...operation, action: "receive" };
    const security = [{ $ref: "#/components/securitySchemes/token" }];
    return {
      asyncapi: "3.0.0",
      servers: { main: { ...server, host: this.#text("host"), security } },
      channels: {
        main: {
          ...channel,
          address: this.#text("address"),
          messages,
          parameters: { id: parameter },
        },
      },
      operations: { one, all },
      components: shared,
    };
  }

  #text(word: string): string {
    return `${word}${this.#count++}`;
  }

  #is(oneIn: number): boolean {
    return this.#next() % oneIn === 0;
  }

  #content(): Json {
    const schema = this.#is(3) ? { $ref: ref("Base") } : this.#schema(0);
    const examples = () => this.#examples(() => ({ [this.#text("key")]: this.#count++ }));
    return {
      "application/json": { schema, ...(this.#is(2) ? { examples: examples() } : {}) },
      ...(this.#is(2)
        ? { "application/vnd.a+json": { schema: this.#schema(2), examples: examples() } }
        : {}),
    };
  }

  #examples(write: () => unknown): Json {
    const count = 1 + (this.#next() % 3);
    const examples = Array.from({ length: count }, (): [string, unknown] => [
      this.#text("named"),
      {
        ...(this.#is(2) ? { summary: this.#text("summary") } : {}),
        ...(this.#is(2) ? { description: this.#text("described") } : {}),
        value: write(),
      },
    ]);
    return Object.fromEntries(examples);
  }

  #schema(depth: number): Json {
    const kinds = depth >= 4 ? 4 : 12;
    const said = {
      ...(this.#is(2) ? { description: this.#text("description") } : {}),
      ...(this.#is(3) ? { title: this.#text("title") } : {}),
      ...(this.#is(5) ? { deprecated: true } : {}),
      ...(depth > 0 && this.#is(7) ? { readOnly: true } : {}),
      ...(depth > 0 && this.#is(9) ? { writeOnly: true } : {}),
      ...(this.#is(4) ? { default: this.#text("default") } : {}),
    };
    return { ...said, ...this.#kind(this.#next() % kinds, depth + 1) };
  }

  #kind(kind: number, depth: number): Json {
    const number = () => this.#count++;
    const inside = () => this.#schema(depth);
    const property = (): [string, Json] => [this.#text("p"), inside()];
    switch (kind) {
      case 0:
        return {
          type: "string",
          minLength: number(),
          maxLength: number(),
          pattern: this.#text("^a"),
        };
      case 1:
        return {
          type: "integer",
          minimum: number(),
          exclusiveMaximum: number(),
          multipleOf: number(),
        };
      case 2:
        return {
          type: "string",
          format: this.#text("format"),
          enum: [this.#text("e"), this.#text("e")],
        };
      case 3:
        return { type: "string", examples: [this.#text("example"), this.#text("example")] };
      case 4:
        return {
          type: "array",
          minItems: number(),
          maxItems: number(),
          uniqueItems: true,
          items: inside(),
        };
      case 5:
        return { type: "array", items: { type: "array", maxItems: number(), items: inside() } };
      case 6:
        return { oneOf: [inside(), { type: "null" }, inside()] };
      case 7:
        return { anyOf: [inside(), { const: this.#text("const") }] };
      case 8:
        return { type: "object", maxProperties: number(), additionalProperties: inside() };
      case 9:
        return { $ref: ref(["Ada", "Bob", "Cyd", "Eve"][this.#next() % 4] ?? "") };
      case 10:
        return {
          allOf: [
            { type: "object", properties: Object.fromEntries([property()]) },
            { description: this.#text("part"), properties: Object.fromEntries([property()]) },
          ],
        };
      default:
        return {
          type: "object",
          properties: Object.fromEntries([property(), property(), property()]),
        };
    }
  }
}

function movedSchemas(to: string, description: Json): Json {
  const text = JSON.stringify(description).replaceAll("#/components/schemas/", to);
  return toRecord(JSON.parse(text)) ?? {};
}

function ref(name: string): string {
  return `#/components/schemas/${name}`;
}

suite("nothing that a description says is missing", () => {
  for (const { name, dir } of realSites()) {
    test(`in the descriptions of ${name}`, async (t) => {
      const paths = (await readdir(dir, { recursive: true })).filter((path) =>
        /(?:openapi\.json|asyncapi\.ya?ml)$/.test(path),
      );
      const missing: string[] = [];
      for (const path of paths.toSorted()) {
        for (const line of await findMissingIn(readFileSync(join(dir, path), "utf8"))) {
          missing.push(`${path} ${line}`);
        }
      }
      t.diagnostic(`${paths.length} descriptions`);
      assert.deepEqual(missing.slice(0, 20), [], `${missing.length} facts are missing`);
    });
  }

  test("in a description whose schemas need more room than a page has", async () => {
    const schemas = Array.from({ length: 60 }, (_, at): [string, Json] => {
      const own = Array.from({ length: 12 }, (_, part): [string, Json] => [
        `field${at}x${part}`,
        { type: "string", description: `Says ${at}x${part}`, default: `default${at}x${part}` },
      ]);
      const inner = { type: "object", properties: { [`deep${at}`]: { type: "integer" } } };
      const properties = {
        ...Object.fromEntries(own),
        next: { type: "array", items: { $ref: ref(`S${(at + 1) % 60}`) } },
        inline: { type: "object", properties: { [`in${at}`]: inner } },
      };
      return [`S${at}`, { type: "object", properties }];
    });
    const wide = Array.from({ length: 900 }, (_, at): [string, Json] => [
      `wide${at}`,
      { type: "string", description: `Column ${at}` },
    ]);
    const values = {
      type: "object",
      properties: {
        choice: { type: "string", enum: numbered("value") },
        text: {
          type: "string",
          default: numbered("word").join(" "),
          pattern: numbered("p").join("|"),
        },
      },
    };
    const deep = Array.from({ length: 40 }).reduce<Json>(
      (inside, _, at) => ({ type: "object", properties: { [`level${at}`]: inside } }),
      { type: "string", description: "The bottom" },
    );
    const oneOf = Array.from({ length: 170 }, (_, at) => ({
      title: `Option ${at}`,
      properties: { [`own${at}`]: { type: "string", description: `Only of ${at}` } },
    }));
    const twice = { choices: { anyOf: [{ oneOf }, { items: { oneOf } }] } };
    const bodies = {
      ...twice,
      chain: { $ref: ref("S0") },
      wide: { properties: Object.fromEntries(wide) },
    };
    for (const [name, schema] of Object.entries({ ...bodies, values, deep })) {
      const content = { "application/json": { schema } };
      const paths = { [`/${name}`]: { post: { requestBody: { content }, responses: {} } } };
      const components = { schemas: Object.fromEntries(schemas) };
      const text = JSON.stringify({ openapi: "3.1.0", paths, components });
      assert.deepEqual((await findMissingIn(text)).slice(0, 5), [], name);
    }
  });

  const forms: Readonly<Record<string, (writer: DescriptionWriter) => Json>> = {
    "OpenAPI 3.1": (writer) => writer.write(),
    "Swagger 2.0": (writer) => writer.writeSwagger(),
    "AsyncAPI 2": (writer) => writer.writeChannels(2),
    "AsyncAPI 3": (writer) => writer.writeChannels(3),
  };
  for (const [form, write] of Object.entries(forms)) {
    test(`in generated descriptions in ${form}`, async () => {
      const choices = fc.array(fc.nat({ max: 10_000 }), { minLength: 50, maxLength: 200 });
      await fc.assert(
        fc.asyncProperty(choices, async (list) => {
          const description = write(new DescriptionWriter(list));
          assert.deepEqual((await findMissingIn(JSON.stringify(description))).slice(0, 5), []);
        }),
        planPropertyRuns(40),
      );
    });
  }

  test("in defaults, values and examples that look like nothing", async () => {
    const values = ["", " ", false, 0, null];
    const properties = Object.fromEntries(
      values.map((value, index) => [
        `p${index}`,
        { default: value, examples: [value], enum: [value] },
      ]),
    );
    const schema = { type: ["object"], properties };
    const contents = [{ mediaType: "application/json", schema, examples: [] }];
    const { html, markdown } = await renderApiPage(
      endpointOf({ method: "post", body: { isRequired: true, contents } }),
    );
    for (const code of ['""', '" "', "false", "0", "null"]) {
      assert.equal(textOf(html).split(`default: ${code} `).length, 2, code);
      assert.equal(markdown.split(`default: \`${code}\`. Example: \`${code}\`.`).length, 2, code);
    }
  });
});
