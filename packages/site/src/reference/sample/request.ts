import type { Endpoint, Parameter, SecurityScheme, Server } from "../../openapi/index.ts";
import type { Resolve } from "../schema/resolve-schema.ts";
import { getExample, generateExample, fileExample, fitJson } from "./example-value.ts";
import type { ExampleSteps } from "./example-value.ts";

/** A language-independent request from which the samples in all languages are generated. */
export interface SampleRequest {
  /** The method in uppercase. */
  readonly method: string;
  /** The complete URL with its query, percent-encoded except for `{placeholders}`. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: SampleBody;
}

export type SampleBody =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "form"; readonly fields: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: "multipart"; readonly parts: readonly SamplePart[] }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly file: string };

export interface SamplePart {
  readonly name: string;
  readonly value: string;
  /** Whether `value` is the name of a file to send. */
  readonly isFile: boolean;
}

export interface SampleOptions {
  readonly resolve: Resolve;
  readonly steps: ExampleSteps;
  readonly requiredOnly: boolean;
}

const exampleServer = "https://api.example.com";
const exampleFile = "example-file";
/** Headers that clients send by default or that the body and the authorization determine. */
const impliedHeaders: ReadonlySet<string> = new Set(["accept", "authorization", "content-type"]);

/** Creates the request of an endpoint from the examples in its description, or from generated values. */
export function createSampleRequest(endpoint: Endpoint, options: SampleOptions): SampleRequest {
  const { parameters } = endpoint;
  const auth = authorize(endpoint.security[0] ?? []);
  const shownParameters = parameters
    .filter((parameter) => isShown(parameter, options))
    .map((parameter) => ({ parameter, value: getValue(parameter, options) }));
  const query = [
    ...shownParameters
      .filter(({ parameter }) => parameter.location === "query")
      .flatMap(({ parameter, value }) => listQueryPairs(parameter, value)),
    ...auth.query,
  ];
  const cookies = [
    ...shownParameters.filter(({ parameter }) => parameter.location === "cookie").map(toPair),
    ...auth.cookies,
  ].map(([name, value]) => `${name}=${value}`);
  const headers = [
    ...auth.headers,
    ...shownParameters
      .filter(({ parameter }) => parameter.location === "header")
      .map(toPair)
      .filter(([name]) => !impliedHeaders.has(name.toLowerCase())),
    ...(cookies.length === 0 ? [] : [["Cookie", cookies.join("; ")] as const]),
  ];
  const { body, mediaType } = createBody(endpoint, options);
  const type = mediaType === undefined ? [] : [["Content-Type", mediaType] as const];
  return {
    method: getMethod(endpoint),
    url:
      getServerUrl(endpoint.servers[0]) +
      fillPath(endpoint, shownParameters) +
      formatQueryString(query),
    headers: [...headers, ...type].map(
      ([name, value]) => [collapseToLine(name), collapseToLine(value)] as const,
    ),
    ...(body === undefined ? {} : { body }),
  };
}

function getMethod({ method }: Endpoint): string {
  return /^[a-z]{1,20}$/i.test(method) ? method.toUpperCase() : "GET";
}

/** Returns the URL to which paths are appended, with the default values of its variables. */
export function getServerUrl(server: Server | undefined): string {
  if (server === undefined) return exampleServer;
  const url = server.url.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) =>
    Object.hasOwn(server.variables, name) ? (server.variables[name]?.default ?? whole) : whole,
  );
  const trimmed = url.replace(/\/$/, "");
  return trimmed.startsWith("/") || trimmed === "" ? exampleServer + trimmed : trimmed;
}

interface ShownParameter {
  readonly parameter: Parameter;
  readonly value: unknown;
}

/**
 * Reports whether to show a parameter. Optional parameters are shown only if they have an authored example, because a
 * dozen filters would not help readers.
 */
function isShown(parameter: Parameter, { requiredOnly, resolve }: SampleOptions): boolean {
  if (parameter.isRequired) return true;
  if (requiredOnly || parameter.isDeprecated) return false;
  return parameter.examples.length > 0 || resolve(parameter.schema).examples !== undefined;
}

function getValue(parameter: Parameter, options: SampleOptions): unknown {
  const [authored] = parameter.examples;
  if (authored !== undefined) return authored.value;
  return generateExample(parameter.schema, { ...options, direction: "request" });
}

function toPair({ parameter, value }: ShownParameter): readonly [string, string] {
  return [parameter.name, toText(value)];
}

/** Fills in the path. Placeholders without an example stay, because a generated value would look like a real id. */
function fillPath({ path }: Endpoint, shownParameters: readonly ShownParameter[]): string {
  const values = new Map<string, string>();
  for (const { parameter, value } of shownParameters) {
    const hasExample = parameter.examples.length > 0 || parameter.schema.examples !== undefined;
    if (parameter.location === "path" && hasExample)
      values.set(parameter.name, encodeText(toText(value)));
  }
  const filled = path.replaceAll(
    /\{([^{}]*)\}/g,
    (whole, name: string) => values.get(name) ?? whole,
  );
  return filled === "" || filled.startsWith("/") ? filled : `/${filled}`;
}

function listQueryPairs(parameter: Parameter, value: unknown): [string, string][] {
  const { name, style = "form", explode = style === "form" } = parameter;
  if (Array.isArray(value)) {
    if (explode) return value.map((item) => [name, toText(item)]);
    const separator = separators[style] ?? ",";
    return [[name, value.map((item) => toText(item)).join(separator)]];
  }
  if (typeof value !== "object" || value === null) return [[name, toText(value)]];
  const entries = Object.entries(value);
  if (style === "deepObject")
    return entries.map(([key, item]) => [`${name}[${key}]`, toText(item)]);
  if (explode) return entries.map(([key, item]) => [key, toText(item)]);
  return [[name, entries.map(([key, item]) => `${key},${toText(item)}`).join(",")]];
}

const separators: Readonly<Record<string, string>> = {
  spaceDelimited: " ",
  pipeDelimited: "|",
  // This style exists only in Swagger 2.0.
  tabDelimited: "\t",
};

function formatQueryString(pairs: readonly (readonly [string, string])[]): string {
  const text = pairs.map(([name, value]) => `${encodeText(name)}=${encodeText(value)}`).join("&");
  return text === "" ? "" : `?${text}`;
}

/** Percent-encodes a string. Lone surrogates cannot be encoded, so they are replaced. */
export function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Collapses a text to one line, because text in a header or a URL must never begin a new line. */
function collapseToLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

interface Authorization {
  readonly headers: (readonly [string, string])[];
  readonly query: (readonly [string, string])[];
  readonly cookies: (readonly [string, string])[];
}

function authorize(schemes: readonly SecurityScheme[]): Authorization {
  const auth: Authorization = { headers: [], query: [], cookies: [] };
  for (const scheme of schemes) {
    if (scheme.type === "key") {
      const name = scheme.keyName ?? scheme.name;
      // This placeholder has no angle brackets, because a URL would contain them percent-encoded.
      if (scheme.location === "query") auth.query.push([name, "API_KEY"]);
      else if (scheme.location === "cookie") auth.cookies.push([name, "<api-key>"]);
      else auth.headers.push([name, "<api-key>"]);
    }
    const value = findAuthorization(scheme);
    if (value !== undefined) auth.headers.push(["Authorization", value]);
  }
  return auth;
}

/** Returns the value of the `Authorization` header, or undefined if the scheme does not use this header. */
export function findAuthorization({ type }: SecurityScheme): string | undefined {
  if (type === "basic") return "Basic <encoded-value>";
  return type === "bearer" || type === "oauth2" || type === "openIdConnect"
    ? "Bearer <token>"
    : undefined;
}

function createBody(
  { body }: Endpoint,
  options: SampleOptions,
): { readonly body?: SampleBody; readonly mediaType?: string } {
  const content = body?.contents[0];
  if (content === undefined) return {};
  const { mediaType } = content;
  const value = fitJson(getExample(content, { ...options, direction: "request" }));
  if (/^multipart\//i.test(mediaType))
    return { body: { kind: "multipart", parts: toParts(value) } };
  if (value === undefined) return { mediaType };
  if (isJson(mediaType)) return { mediaType, body: { kind: "json", value } };
  if (/x-www-form-urlencoded/i.test(mediaType) && typeof value === "object" && value !== null) {
    const fields = Object.entries(value).map(([name, item]) => [name, toText(item)] as const);
    return { mediaType, body: { kind: "form", fields } };
  }
  if (value === fileExample) return { mediaType, body: { kind: "file", file: exampleFile } };
  return { mediaType, body: { kind: "text", text: toText(value) } };
}

export function isJson(mediaType: string): boolean {
  return /[/+]json\b|^\*\/\*/i.test(mediaType);
}

function toParts(value: unknown): SamplePart[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).map(([name, item]) => {
    const first: unknown = Array.isArray(item) ? item[0] : item;
    const isFile = first === fileExample;
    return { name, value: isFile ? exampleFile : toText(item), isFile };
  });
}
