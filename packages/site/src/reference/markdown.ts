import type { ApiWords } from "../markup/index.ts";
import { fill } from "../markup/index.ts";
import type { SecurityScheme } from "../openapi/index.ts";
import { fencedCode } from "../text/index.ts";
import type { ApiContext } from "./api-context.ts";
import type { ChannelView } from "./channel-view.ts";
import type { ContentView, EndpointView, ResponseView } from "./endpoint-view.ts";
import type { ExampleBlock } from "./examples.ts";
import { notesOf, writeLimit } from "./notes.ts";
import { authorizationValue, baseUrl } from "./sample/request.ts";
import type { Field, Shape, ShapeChoice } from "./schema/shape.ts";

/** An endpoint as Markdown, for the page's `.md` file and `llms-full.txt`. */
export function endpointMarkdown(
  view: EndpointView,
  examples: readonly ExampleBlock[],
  { words, hasDescription }: Pick<ApiContext, "words" | "hasDescription">,
): string {
  const { endpoint } = view;
  const { method, path, kind, servers } = endpoint;
  const address = kind === "webhook" ? path : baseUrl(servers[0]) + path;
  const blocks = [
    inlineCode(`${method.toUpperCase()} ${address}`),
    hasDescription ? "" : (endpoint.description?.trim() ?? ""),
    ...(servers.length < 2
      ? []
      : [`${words.servers}: ${servers.map(({ url }) => inlineCode(url)).join(", ")}`]),
    ...security(endpoint.security, words),
    ...exchange(view, words, "##"),
    ...examplesMarkdown(examples),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

/** In one language only: the others say the same. */
export function examplesMarkdown(examples: readonly ExampleBlock[]): string[] {
  return examples.flatMap(({ codes }) =>
    codes
      .filter(({ isTranslation }) => isTranslation !== true)
      .map(({ title, language, code }) => fencedCode(code, `${language} ${oneLine(title)}`)),
  );
}

export function modelMarkdown(
  shape: Shape,
  examples: readonly ExampleBlock[],
  { words }: Pick<ApiContext, "words">,
): string {
  return [...rootLines(shape, words), ...examplesMarkdown(examples)].join("\n\n");
}

function security(alternatives: readonly (readonly SecurityScheme[])[], words: ApiWords): string[] {
  const lines = alternatives
    .filter((schemes) => schemes.length > 0)
    .map((schemes) => `- ${schemes.map((scheme) => schemeText(scheme)).join(" + ")}`);
  return lines.length === 0 ? [] : [`## ${words.authorization}`, lines.join("\n")];
}

function schemeText(scheme: SecurityScheme): string {
  const value = authorizationValue(scheme);
  const place = value === undefined ? (scheme.place ?? scheme.type) : "header";
  const name = value === undefined ? (scheme.keyName ?? scheme.name) : `Authorization: ${value}`;
  const said = oneLine(scheme.description ?? "");
  return `${inlineCode(name)} (${place})${said === "" ? "" : `: ${said}`}`;
}

function exchange(view: EndpointView, words: ApiWords, heading: string): string[] {
  const { parameters, body, responses, callbacks } = view;
  const list = (word: string, fields: readonly Field[] = []) =>
    fields.length === 0
      ? []
      : [`${heading} ${word}`, fields.flatMap((field) => fieldLines(field, words)).join("\n")];
  return [
    ...list(words.pathParameters, parameters.get("path")),
    ...list(words.queryParameters, parameters.get("query")),
    ...list(words.headerParameters, parameters.get("header")),
    ...list(words.cookieParameters, parameters.get("cookie")),
    ...(body === undefined
      ? []
      : [
          `${heading} ${words.body}`,
          body.description?.trim() ?? "",
          ...body.contents.flatMap((content) => contentBlocks(content, words)),
        ]),
    ...callbacks.flatMap((callback) => [
      `${heading} ${words.callbacks}: ${oneLine(callback.endpoint.title)}`,
      inlineCode(`${callback.endpoint.method.toUpperCase()} ${callback.endpoint.path}`),
      ...exchange(callback, words, `${heading}#`),
    ]),
    ...responses.flatMap((response) => responseBlocks(response, words, heading)),
  ];
}

function responseBlocks(
  { status, description, headers, contents }: ResponseView,
  words: ApiWords,
  heading: string,
): string[] {
  return [
    `${heading} ${words.response} ${status}`,
    description?.trim() ?? "",
    headers.length === 0
      ? ""
      : `${words.headers}:\n\n${headers.flatMap((header) => fieldLines(header, words)).join("\n")}`,
    ...contents.flatMap((content) => contentBlocks(content, words)),
  ];
}

function contentBlocks({ mediaType, shape }: ContentView, words: ApiWords): string[] {
  return [inlineCode(mediaType), ...(shape === undefined ? [] : rootLines(shape, words))];
}

export function channelMarkdown(
  { channel, parameters, operations }: ChannelView,
  examples: readonly ExampleBlock[],
  { words, hasDescription }: Pick<ApiContext, "words" | "hasDescription">,
): string {
  const servers = channel.servers.map(({ protocol, url }) => `${protocol} ${inlineCode(url)}`);
  const blocks = [
    inlineCode(channel.address),
    hasDescription ? "" : (channel.description?.trim() ?? ""),
    servers.length === 0 ? "" : `${words.servers}: ${servers.join(", ")}`,
    ...(parameters.length === 0
      ? []
      : [
          `## ${words.parameters}`,
          parameters.flatMap((field) => fieldLines(field, words)).join("\n"),
        ]),
    ...operations.flatMap(({ action, title, description, messages }) => [
      `## ${action === "send" ? words.send : words.receive}: ${oneLine(title)}`,
      description?.trim() ?? "",
      ...messages.flatMap((message) => [
        `### ${oneLine(message.title)}`,
        message.description?.trim() ?? "",
        inlineCode(message.contentType),
        ...(message.headers === undefined
          ? []
          : [`${words.headers}:`, ...rootLines(message.headers, words)]),
        ...(message.payload === undefined ? [] : rootLines(message.payload, words)),
      ]),
    ]),
    ...examplesMarkdown(examples),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

/** Lines of a schema's fields as nested lists. */
function shapeLines(shape: Shape, words: ApiWords, level = 0): string[] {
  const indent = "  ".repeat(level);
  if (shape.repeats !== undefined) {
    return [`${indent}- ${fill(words.repeats, { parent: inlineCode(shape.repeats) })}`];
  }
  if (shape.isCut) return [`${indent}- ${words.notShown}`];
  return [
    ...shape.fields.flatMap((field) => fieldLines(field, words, level)),
    ...(shape.moreFields === 0
      ? []
      : [`${indent}- ${fill(words.more, { count: `${shape.moreFields}` })}`]),
    ...shape.choices.flatMap((choice) => choiceLines(choice, words, level)),
  ];
}

function fieldLines(field: Field, words: ApiWords, level = 0): string[] {
  const { name, kind, shape, isRequired, isDeprecated, description } = field;
  const shown =
    kind === "anyName" ? words.anyName : inlineCode(kind === "index" ? `[${name}]` : name);
  const marks = [
    shape.type,
    isRequired ? words.required : "",
    isDeprecated ? words.deprecated : "",
    shape.schema.readOnly === true ? words.readOnly : "",
    shape.schema.writeOnly === true ? words.writeOnly : "",
    ...(shape.schema.pre ?? []),
    ...(shape.schema.post ?? []),
  ].filter((mark) => mark !== "");
  const said = entryText(shape, description, { words, level });
  const line = `${"  ".repeat(level)}- ${shown} (${marks.join(", ")})${said}`;
  return [line, ...shapeLines(shape, words, level + 1)];
}

/** The author's description of an entry, after its name, and the schema's notes, on a line of their own. */
function entryText(
  shape: Shape,
  description: string | undefined,
  { words, level }: { readonly words: ApiWords; readonly level: number },
): string {
  const text = oneLine(description ?? "");
  const notes = noteTexts(shape, words).join(" ");
  if (text === "" || notes === "") return text + notes === "" ? "" : `: ${text}${notes}`;
  return `: ${text}\n${"  ".repeat(level + 1)}${notes}`;
}

function choiceLines(
  { kind, options, moreOptions }: ShapeChoice,
  words: ApiWords,
  level: number,
): string[] {
  const indent = "  ".repeat(level);
  const lines = [`${indent}- ${kind === "oneOf" ? words.oneOf : words.anyOf}:`];
  for (const { title, mark, shape } of options) {
    const when =
      mark === undefined
        ? ""
        : `, ${fill(words.when, { property: inlineCode(mark.property), value: inlineCode(mark.value) })}`;
    const said = entryText(shape, shape.schema.description, { words, level: level + 1 });
    const type = title === shape.type ? "" : ` (${shape.type})`;
    lines.push(`${indent}  - ${oneLine(title)}${type}${when}${said}`);
    lines.push(...shapeLines(shape, words, level + 2));
  }
  if (moreOptions > 0)
    lines.push(`${indent}  - ${fill(words.more, { count: String(moreOptions) })}`);
  return lines;
}

/** Type, description, notes and fields of the schema of a whole body. */
function rootLines(shape: Shape, words: ApiWords): string[] {
  const notes = noteTexts(shape, words).join(" ");
  const head = [shape.type === "object" ? "" : inlineCode(shape.type), notes];
  const text = shape.schema.description?.trim() ?? "";
  const lines = shapeLines(shape, words);
  return [
    ...[...head, text].filter((part) => part !== ""),
    ...(lines.length === 0 ? [] : [lines.join("\n")]),
  ];
}

function noteTexts(shape: Shape, words: ApiWords): string[] {
  const notes = notesOf(shape, words);
  const texts: string[] = [];
  const put = (word: string, ...values: readonly string[]) =>
    texts.push(`${word}: ${values.map((value) => inlineCode(value)).join(", ")}.`);
  if (notes.constant !== undefined) put(words.constant, notes.constant);
  if (notes.values.length > 0) put(words.options, ...notes.values);
  if (notes.moreValues > 0) texts.push(fill(words.more, { count: String(notes.moreValues) }));
  const patterns = notes.patterns.map((pattern) =>
    fill(words.matches, { pattern: inlineCode(pattern) }),
  );
  const written = notes.limits.map((limit) => writeLimit(limit, { code: inlineCode, fill }));
  const limits = [...written, ...patterns];
  if (limits.length > 0) texts.push(`${oneLine(limits.join(", "))}.`);
  if (notes.default !== undefined) put(words.default, notes.default);
  if (notes.example !== undefined) put(words.example, notes.example);
  if (notes.isFreeForm) texts.push(words.anyFields);
  return texts;
}

/** A text for one line of a list. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function inlineCode(text: string): string {
  const line = oneLine(text);
  const fence = line.includes("`") ? "``" : "`";
  const pad = fence === "``" || line === "" ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}
