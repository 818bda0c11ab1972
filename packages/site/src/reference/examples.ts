import type { ApiContext } from "./api-context.ts";
import type { DataModel, AsyncChannel, CodeSample, Content, Endpoint } from "../openapi/index.ts";
import { exampleOf, fileExample, type ExampleOptions } from "./sample/example-value.ts";
import { fitJson } from "./sample/fit-json.ts";
import { sampleLanguage, sampleLanguages } from "./sample/languages.ts";
import type { Resolve } from "./schema/resolve-schema.ts";
import { isJson, sampleRequest, type SampleOptions } from "./sample/request.ts";

/** Code beside the text: how a request is made and what comes back. */
export interface ExampleBlock {
  readonly kind: "request" | "response";
  readonly codes: readonly ExampleCode[];
}

export interface ExampleCode {
  readonly title: string;
  /** As a fence says it. */
  readonly language: string;
  readonly code: string;
  /** Says in another language what one before it says. */
  readonly isTranslation?: boolean;
}

/** Tabs beyond these nobody looks through. */
const maxExamples = 40;
const maxSamples = 20;
const maxSampleLength = 10_000;
/** Characters of one example, and of all of a page: beyond 250 lines nobody reads, but every browser loads. */
const maxExampleLength = 8_000;
const roomForExamples = 40_000;

interface ExampleContext extends Pick<ApiContext, "settings" | "authored" | "words"> {
  readonly resolve: Resolve;
}

/** What the page's author has not given already. */
export function endpointExamples(endpoint: Endpoint, context: ExampleContext): ExampleBlock[] {
  const { authored } = context;
  const blocks: ExampleBlock[] = [
    { kind: "request", codes: authored.request ? [] : requestCodes(endpoint, context) },
    { kind: "response", codes: authored.response ? [] : responseCodes(endpoint, context) },
  ];
  return blocks.filter(({ codes }) => codes.length > 0);
}

export function channelExamples(
  { operations }: AsyncChannel,
  { settings, resolve }: ExampleContext,
): ExampleBlock[] {
  const { requiredOnly } = settings.examples;
  const values = operations.flatMap(({ action, messages }) =>
    messages.flatMap(({ title, payload, contentType, examples }) => {
      const direction = action === "send" ? "response" : "request";
      const schema = payload === undefined ? {} : { schema: payload };
      const content = { mediaType: contentType, examples, ...schema };
      return valuesOf(content, title, { resolve, direction, requiredOnly });
    }),
  );
  return values.length === 0 ? [] : [{ kind: "response", codes: codesOf(values) }];
}

export function modelExamples(
  { name, schema }: DataModel,
  { settings, resolve }: ExampleContext,
): ExampleBlock[] {
  const { requiredOnly } = settings.examples;
  const content = { mediaType: "application/json", schema, examples: [] };
  const codes = codesOf(valuesOf(content, name, { resolve, direction: "both", requiredOnly }));
  return codes.length === 0 ? [] : [{ kind: "response", codes }];
}

/** How the endpoint is called; of a webhook, what it brings. */
function requestCodes(
  endpoint: Endpoint,
  { settings, words, resolve }: ExampleContext,
): readonly ExampleCode[] {
  const { requiredOnly, isGenerated, languages } = settings.examples;
  const given = endpoint.samples.slice(0, maxSamples).map((sample) => codeOfSample(sample));
  if (endpoint.kind === "operation") {
    const made = isGenerated
      ? generatedSamples(endpoint, languages, { requiredOnly, resolve })
      : [];
    return withSamples(made, given);
  }
  const { body } = endpoint;
  const [content] = body?.contents ?? [];
  if (content === undefined) return given;
  const options = { resolve, direction: "response", requiredOnly } as const;
  return [...given, ...codesOf(valuesOf(content, words.payload, options))];
}

function responseCodes(
  { kind, responses }: Endpoint,
  { settings, resolve }: ExampleContext,
): readonly ExampleCode[] {
  const direction = kind === "webhook" ? "request" : "response";
  const { requiredOnly } = settings.examples;
  const values = responses.flatMap(({ status, contents: [content] }) =>
    content === undefined ? [] : valuesOf(content, status, { resolve, direction, requiredOnly }),
  );
  return codesOf(values);
}

function generatedSamples(
  endpoint: Endpoint,
  languages: readonly string[] | undefined,
  options: SampleOptions,
): ExampleCode[] {
  const request = sampleRequest(endpoint, options);
  return sampleLanguages(languages).map((language, index) => ({
    title: language.label,
    language: language.grammar,
    code: language.write(request),
    isTranslation: index > 0,
  }));
}

function codeOfSample({ language, label, source }: CodeSample): ExampleCode {
  const known = sampleLanguage(language);
  const title = label === "" ? (known?.label ?? language) : label;
  const code = source.trim().slice(0, maxSampleLength);
  return { title, language: known?.grammar ?? language, code };
}

/** Samples that the author gives stand first, and in the place of those made in their language. */
function withSamples(
  made: readonly ExampleCode[],
  given: readonly ExampleCode[],
): readonly ExampleCode[] {
  const languages = new Set(given.map(({ language }) => language));
  return [...given, ...made.filter(({ language }) => !languages.has(language))];
}

interface ExampleValue {
  readonly title: string;
  readonly mediaType: string;
  readonly value: unknown;
}

/** Every example that the author gave, else one made up; none where there is nothing to read. */
function valuesOf(content: Content, title: string, options: ExampleOptions): ExampleValue[] {
  const { examples, mediaType } = content;
  const values =
    examples.length > 1
      ? examples.map(({ name, summary, value }) => ({
          title: `${title} ${summary ?? name}`,
          value,
        }))
      : [{ title, value: exampleOf(content, options) }].filter(
          ({ value }) => examples.length > 0 || !isNothing(value),
        );
  return values
    .filter(({ value }) => value !== undefined && value !== fileExample)
    .map((value) => ({ mediaType, ...value }));
}

/** What is made of a schema that says nothing. */
function isNothing(value: unknown): boolean {
  if (typeof value !== "object") return false;
  return value === null || Object.keys(value).length === 0;
}

function codesOf(values: readonly ExampleValue[]): ExampleCode[] {
  const shown = values.slice(0, maxExamples);
  const longest = Math.min(maxExampleLength, Math.floor(roomForExamples / shown.length));
  return shown.map(({ title, mediaType, value }) => {
    if (typeof value === "string" && !isJson(mediaType)) {
      return { title, language: languageOf(mediaType), code: value.slice(0, longest) };
    }
    const code = JSON.stringify(fitJson(value, longest), null, 2);
    const isStream = /event-stream/i.test(mediaType);
    return { title, language: "json", code: isStream ? `data: ${code}` : code };
  });
}

/** Of a text that is not JSON. */
function languageOf(mediaType: string): string {
  if (/xml\b/i.test(mediaType)) return "xml";
  return /html\b/i.test(mediaType) ? "html" : "text";
}
