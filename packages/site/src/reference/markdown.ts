import type { ApiWords } from "../markup/index.ts";
import { fillPlaceholders } from "../markup/index.ts";
import type { AsyncServer, SecurityScheme, Server } from "../openapi/index.ts";
import { collapseLines, formatFencedCode, formatInlineCode } from "../text/index.ts";
import type { ApiContext } from "./api-context.ts";
import type {
  ContentView,
  EndpointView,
  ResponseView,
  SchemaRemainder,
  ChannelView,
} from "./endpoint-view.ts";
import type { ExampleBlock } from "./examples.ts";
import { createNotes, formatLimit } from "./notes.ts";
import { findAuthorization, getServerUrl } from "./sample/request.ts";
import {
  listStates,
  listTitles,
  type DeferredPart,
  type Field,
  type Shape,
  type ShapeChoice,
} from "./schema/shape.ts";

/** Formats an endpoint as Markdown, for the page's `.md` file and `llms-full.txt`. */
export function formatEndpoint(
  view: EndpointView & Pick<SchemaRemainder, "parts">,
  examples: readonly ExampleBlock[],
  { words, hasDescription }: Pick<ApiContext, "words" | "hasDescription">,
): string {
  const { endpoint } = view;
  const { method, path, kind, servers } = endpoint;
  const address = kind === "webhook" ? path : getServerUrl(servers[0]) + path;
  const blocks = [
    formatInlineCode(`${method.toUpperCase()} ${address}`),
    hasDescription ? "" : (endpoint.description?.trim() ?? ""),
    formatServers(servers, words),
    ...formatSecurity(endpoint.security, words),
    ...formatExchange(view, words, "##"),
    ...formatParts(view.parts, words),
    ...formatExampleBlocks(examples),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

/** Formats examples in only one language, because the others are equivalent. */
export function formatExampleBlocks(examples: readonly ExampleBlock[]): string[] {
  return examples.flatMap(({ cases }) =>
    cases.flatMap(({ title, description, codes }) => [
      ...(title === "" ? [] : [`**${collapseLines(title)}**`]),
      description?.trim() ?? "",
      ...codes
        .filter(({ isTranslation }) => isTranslation !== true)
        .flatMap(({ title, description, language, code, wholeCode = code }) => [
          description?.trim() ?? "",
          formatFencedCode(wholeCode, `${language} ${collapseLines(title)}`),
        ]),
    ]),
  );
}

export function formatModel(
  shape: Shape,
  {
    examples,
    parts,
  }: Pick<SchemaRemainder, "parts"> & {
    readonly examples: readonly ExampleBlock[];
  },
  { words }: Pick<ApiContext, "words">,
): string {
  const blocks = [
    ...formatRoot(shape, words),
    ...formatParts(parts, words),
    ...formatExampleBlocks(examples),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

/** Lists the servers. A single server without other details is omitted. */
function formatServers(servers: readonly (Server | AsyncServer)[], words: ApiWords): string {
  const lines = servers.map((server) => {
    const { url, description, variables } = server;
    const protocol = "protocol" in server ? `${server.protocol} ` : "";
    const descriptionText = description === undefined ? "" : `: ${collapseLines(description)}`;
    const values = Object.entries(variables).map(([name, variable]) => {
      const codes = new Set([variable.default, ...variable.values]);
      const text =
        variable.description === undefined ? "" : ` ${collapseLines(variable.description)}`;
      return `\n  - ${formatInlineCode(`{${name}}`)}: ${Array.from(codes, formatInlineCode).join(", ")}${text}`;
    });
    return {
      line: `${protocol}${formatInlineCode(url)}`,
      details: `${descriptionText}${values.join("")}`,
    };
  });
  const hasDetails = lines.some(({ details }) => details !== "");
  if (!hasDetails && lines.every(({ line }) => line.startsWith("`")) && lines.length < 2) return "";
  if (!hasDetails) return `${words.servers}: ${lines.map(({ line }) => line).join(", ")}`;
  return [`${words.servers}:\n`, ...lines.map(({ line, details }) => `- ${line}${details}`)].join(
    "\n",
  );
}

function formatSecurity(
  alternatives: readonly (readonly SecurityScheme[])[],
  words: ApiWords,
): string[] {
  const lines = alternatives
    .filter((schemes) => schemes.length > 0)
    .map((schemes) => `- ${schemes.map((scheme) => formatScheme(scheme, words)).join(" + ")}`);
  return lines.length === 0 ? [] : [`## ${words.authorization}`, lines.join("\n")];
}

function formatScheme(scheme: SecurityScheme, words: ApiWords): string {
  const value = findAuthorization(scheme);
  const location = value === undefined ? (scheme.location ?? scheme.type) : "header";
  const name = value === undefined ? (scheme.keyName ?? scheme.name) : `Authorization: ${value}`;
  const { scopes, scopeDescriptions = {}, addresses = {}, format } = scheme;
  const scopeTexts = scopes.map((scope) => {
    const scopeDescription = Object.hasOwn(scopeDescriptions, scope)
      ? scopeDescriptions[scope]
      : undefined;
    return (
      formatInlineCode(scope) +
      (scopeDescription === undefined ? "" : ` ${collapseLines(scopeDescription)}`)
    );
  });
  const texts = [
    collapseLines(scheme.description ?? ""),
    scopes.length === 0 ? "" : `${words.scopes}: ${scopeTexts.join(", ")}.`,
    ...Object.entries(addresses).map(([key, address]) => `${key}: ${formatInlineCode(address)}.`),
  ].filter((text) => text !== "");
  const marks = [location, ...(format === undefined ? [] : [format])].join(", ");
  return `${formatInlineCode(name)} (${marks})${texts.length === 0 ? "" : `: ${texts.join(" ")}`}`;
}

function formatExchange(view: EndpointView, words: ApiWords, heading: string): string[] {
  const { parameters, body, responses, callbacks } = view;
  const formatFields = (word: string, fields: readonly Field[] = []) =>
    fields.length === 0
      ? []
      : [`${heading} ${word}`, fields.flatMap((field) => formatField(field, words)).join("\n")];
  return [
    ...formatFields(words.pathParameters, parameters.get("path")),
    ...formatFields(words.queryParameters, parameters.get("query")),
    ...formatFields(words.headerParameters, parameters.get("header")),
    ...formatFields(words.cookieParameters, parameters.get("cookie")),
    ...(body === undefined
      ? []
      : [
          `${heading} ${words.body}`,
          body.description?.trim() ?? "",
          ...body.contents.flatMap((content) => formatContent(content, words)),
        ]),
    ...callbacks.flatMap((callback) => [
      `${heading} ${words.callbacks}: ${collapseLines(callback.endpoint.title)}`,
      formatInlineCode(`${callback.endpoint.method.toUpperCase()} ${callback.endpoint.path}`) +
        (callback.endpoint.isDeprecated ? ` (${words.deprecated})` : ""),
      callback.endpoint.description?.trim() ?? "",
      ...formatExchange(callback, words, `${heading}#`),
    ]),
    ...responses.flatMap((response) => formatResponse(response, words, heading)),
  ];
}

function formatResponse(
  { status, description, headers, contents }: ResponseView,
  words: ApiWords,
  heading: string,
): string[] {
  return [
    `${heading} ${words.response} ${status}`,
    description?.trim() ?? "",
    headers.length === 0
      ? ""
      : `${words.headers}:\n\n${headers.flatMap((header) => formatField(header, words)).join("\n")}`,
    ...contents.flatMap((content) => formatContent(content, words)),
  ];
}

function formatContent({ mediaType, shape }: ContentView, words: ApiWords): string[] {
  return [formatInlineCode(mediaType), ...(shape === undefined ? [] : formatRoot(shape, words))];
}

export function formatChannel(
  { channel, parameters, operations, parts }: ChannelView,
  examples: readonly ExampleBlock[],
  { words, hasDescription }: Pick<ApiContext, "words" | "hasDescription">,
): string {
  const blocks = [
    formatInlineCode(channel.address),
    hasDescription ? "" : (channel.description?.trim() ?? ""),
    formatServers(channel.servers, words),
    ...formatSecurity(channel.security, words),
    ...(parameters.length === 0
      ? []
      : [
          `## ${words.parameters}`,
          parameters.flatMap((field) => formatField(field, words)).join("\n"),
        ]),
    ...operations.flatMap(({ action, title, description, messages }) => [
      `## ${action === "send" ? words.send : words.receive}: ${collapseLines(title)}`,
      description?.trim() ?? "",
      ...messages.flatMap((message) => [
        `### ${collapseLines(message.title)}`,
        message.description?.trim() ?? "",
        formatInlineCode(message.contentType),
        ...(message.headers === undefined
          ? []
          : [`${words.headers}:`, ...formatRoot(message.headers, words)]),
        ...(message.payload === undefined ? [] : formatRoot(message.payload, words)),
      ]),
    ]),
    ...formatParts(parts, words),
    ...formatExampleBlocks(examples),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

/** Formats the fields that do not fit on a page, each under the title by which the page refers to it. */
function formatParts(parts: readonly DeferredPart[], words: ApiWords): string[] {
  return parts
    .filter(({ kind }) => kind === "fields")
    .flatMap((part) => [
      `## ${formatPartTitle(part, words)}`,
      formatShape(part.shape, words).join("\n"),
    ]);
}

function formatPartTitle({ title }: DeferredPart, words: ApiWords): string {
  return `${words.childFields}: ${formatInlineCode(title)}`;
}

/** Formats a schema's fields as nested lists. */
function formatShape(shape: Shape, words: ApiWords, level = 0): string[] {
  const indent = "  ".repeat(level);
  if (shape.repeats !== undefined) {
    return [
      `${indent}- ${fillPlaceholders(words.repeats, { parent: formatInlineCode(shape.repeats) })}`,
    ];
  }
  if (shape.isCut) return [`${indent}- ${words.notShown}`];
  const { deferred } = shape;
  if (deferred?.kind === "fields") return [`${indent}- ${formatPartTitle(deferred, words)}`];
  return [
    ...shape.fields.flatMap((field) => formatField(field, words, level)),
    ...(deferred === undefined ? [] : formatShape(deferred.shape, words, level)),
    ...(shape.moreFields === 0
      ? []
      : [`${indent}- ${fillPlaceholders(words.more, { count: `${shape.moreFields}` })}`]),
    ...shape.choices.flatMap((choice) => formatChoice(choice, words, level)),
  ];
}

function formatField(field: Field, words: ApiWords, level = 0): string[] {
  const { name, kind, shape, isRequired, isDeprecated, description } = field;
  const shownName =
    kind === "anyName" ? words.anyName : formatInlineCode(kind === "index" ? `[${name}]` : name);
  const marks = [
    shape.type,
    ...listTitles(shape, [name]),
    isRequired ? words.required : "",
    ...listStates(shape, isDeprecated).map((state) => words[state]),
    ...(shape.schema.pre ?? []),
    ...(shape.schema.post ?? []),
  ].filter((mark) => mark !== "");
  const entryText = formatEntryText(shape, description, { words, level });
  const line = `${"  ".repeat(level)}- ${shownName} (${marks.join(", ")})${entryText}`;
  return [line, ...formatShape(shape, words, level + 1)];
}

/** Formats the text of an entry: the author's description after its name, and the schema's notes on a separate line. */
function formatEntryText(
  shape: Shape,
  description: string | undefined,
  { words, level }: { readonly words: ApiWords; readonly level: number },
): string {
  const texts = [description ?? "", ...shape.texts.filter((other) => other !== description)];
  const text = collapseLines(texts.join(" "));
  const notes = formatNotes(shape, words).join(" ");
  if (text === "" || notes === "") return text + notes === "" ? "" : `: ${text}${notes}`;
  return `: ${text}\n${"  ".repeat(level + 1)}${notes}`;
}

function formatChoice(
  { kind, options, more, moreOptions }: ShapeChoice,
  words: ApiWords,
  level: number,
): string[] {
  const indent = "  ".repeat(level);
  const lines = [`${indent}- ${kind === "oneOf" ? words.oneOf : words.anyOf}:`];
  for (const { title, mark, shape } of options) {
    const when =
      mark === undefined
        ? ""
        : `, ${fillPlaceholders(words.when, { property: formatInlineCode(mark.property), value: formatInlineCode(mark.value) })}`;
    const entryText = formatEntryText(shape, shape.schema.description, { words, level: level + 1 });
    const marks = [
      ...(title === shape.type ? [] : [shape.type]),
      ...listTitles(shape, [title]),
      ...listStates(shape).map((state) => words[state]),
    ];
    const type = marks.length === 0 ? "" : ` (${marks.join(", ")})`;
    lines.push(`${indent}  - ${collapseLines(title)}${type}${when}${entryText}`);
    lines.push(...formatShape(shape, words, level + 2));
  }
  if (more !== undefined) lines.push(`${indent}  - ${formatPartTitle(more, words)}`);
  if (moreOptions > 0)
    lines.push(`${indent}  - ${fillPlaceholders(words.more, { count: String(moreOptions) })}`);
  return lines;
}

/** Formats the schema of a whole body: its type, description, notes and fields. */
function formatRoot(shape: Shape, words: ApiWords): string[] {
  const { schema, type } = shape;
  const notes = formatNotes(shape, words, true).join(" ");
  const states = [...listTitles(shape, []), ...listStates(shape).map((state) => words[state])];
  const shownType = type === "object" && states.length === 0 ? "" : formatInlineCode(type);
  const head = states.length === 0 ? shownType : `${shownType} (${states.join(", ")})`;
  const texts = [schema.description ?? "", ...shape.texts].map((text) => text.trim());
  const lines = formatShape(shape, words);
  return [
    ...[head, notes, ...texts].filter((part) => part !== ""),
    ...(lines.length === 0 ? [] : [lines.join("\n")]),
  ];
}

/** Formats notes: in full for the first field with these notes, if there is room for them. */
function formatNotes(shape: Shape, words: ApiWords, isBody = false): string[] {
  const notes = createNotes(shape, words, { isBody, isWhole: shape.wholeNotes?.shape === shape });
  const texts: string[] = [];
  const addNote = (word: string, ...values: readonly string[]) =>
    texts.push(`${word}: ${values.map((value) => formatInlineCode(value)).join(", ")}.`);
  if (notes.constant !== undefined) addNote(words.constant, notes.constant);
  if (notes.values.length > 0) addNote(words.options, ...notes.values);
  if (notes.moreValues > 0)
    texts.push(fillPlaceholders(words.more, { count: String(notes.moreValues) }));
  const patterns = notes.patterns.map((pattern) =>
    fillPlaceholders(words.matches, { pattern: formatInlineCode(pattern) }),
  );
  const limitTexts = notes.limits.map((limit) =>
    formatLimit(limit, { code: formatInlineCode, fill: fillPlaceholders }),
  );
  const limits = [...limitTexts, ...patterns];
  if (limits.length > 0) texts.push(`${collapseLines(limits.join(", "))}.`);
  if (notes.default !== undefined) addNote(words.default, notes.default);
  if (notes.examples.length > 0) addNote(words.example, ...notes.examples);
  if (notes.isFreeForm) texts.push(words.anyFields);
  return texts;
}
