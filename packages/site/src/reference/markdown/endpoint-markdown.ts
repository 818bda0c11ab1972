import type { ApiContext } from "../api-context.ts";
import type { SecurityScheme } from "../../openapi/index.ts";
import type { ContentView, EndpointView, ResponseView } from "../endpoint-view.ts";
import type { ExampleBlock } from "../examples.ts";
import { authorizationValue, baseUrl } from "../sample/request.ts";
import type { Field, Shape } from "../schema/shape.ts";
import type { ApiWords } from "../../markup/index.ts";
import { fencedCode } from "../../text/index.ts";
import { fieldLines, inlineCode, oneLine, rootLines } from "./shape-markdown.ts";

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
