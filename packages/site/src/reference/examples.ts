import type { ApiContext } from "./api-context.ts";
import type { DataModel, AsyncChannel, CodeSample, Content, Endpoint } from "../openapi/index.ts";
import {
  getExample,
  fileExample,
  fitJson,
  type ExampleOptions,
  type ExampleSteps,
} from "./sample/example-value.ts";
import { findSampleLanguage, listSampleLanguages } from "./sample/languages.ts";
import type { Resolve } from "./schema/resolve-schema.ts";
import { isJson, createSampleRequest, type SampleOptions } from "./sample/request.ts";

/** Code beside the text: a request or a response. */
export interface ExampleBlock {
  readonly kind: "request" | "response";
  readonly codes: readonly ExampleCode[];
}

interface ExampleCode {
  readonly title: string;
  /** As in a fence's info string. */
  readonly language: string;
  readonly code: string;
  /** The same request as an earlier example, in another language. */
  readonly isTranslation?: boolean;
}

/** The most examples of a page. Readers do not look through more tabs. */
const maxExamples = 40;
const maxSamples = 20;
const maxSampleLength = 10_000;
/** Characters of one example, and of all on a page: readers stop at 250 lines, but every browser loads them all. */
const maxExampleLength = 8_000;
const maxTotalLength = 40_000;

interface ExampleContext extends Pick<ApiContext, "settings" | "authored" | "words"> {
  readonly resolve: Resolve;
  readonly steps: ExampleSteps;
}

/** Lists the examples that the page's author has not written. */
export function listEndpointExamples(endpoint: Endpoint, context: ExampleContext): ExampleBlock[] {
  const { authored } = context;
  const blocks: ExampleBlock[] = [
    { kind: "request", codes: authored.request ? [] : requestCodes(endpoint, context) },
    { kind: "response", codes: authored.response ? [] : responseCodes(endpoint, context) },
  ];
  return blocks.filter(({ codes }) => codes.length > 0);
}

export function listChannelExamples(
  { operations }: AsyncChannel,
  { settings, resolve, steps }: ExampleContext,
): ExampleBlock[] {
  const { requiredOnly } = settings.examples;
  const values = operations.flatMap(({ action, messages }) =>
    messages.flatMap(({ title, payload, contentType, examples }) => {
      const direction = action === "send" ? "response" : "request";
      const schema = payload === undefined ? {} : { schema: payload };
      const content = { mediaType: contentType, examples, ...schema };
      return listValues(content, title, { resolve, direction, requiredOnly, steps });
    }),
  );
  return values.length === 0 ? [] : [{ kind: "response", codes: examplesAsCode(values) }];
}

export function listModelExamples(
  { name, schema }: DataModel,
  { settings, resolve, steps }: ExampleContext,
): ExampleBlock[] {
  const { requiredOnly } = settings.examples;
  const content = { mediaType: "application/json", schema, examples: [] };
  const codes = examplesAsCode(
    listValues(content, name, { resolve, direction: "both", requiredOnly, steps }),
  );
  return codes.length === 0 ? [] : [{ kind: "response", codes }];
}

/** Returns the code that calls the endpoint; for a webhook, its payload. */
function requestCodes(
  endpoint: Endpoint,
  { settings, words, resolve, steps }: ExampleContext,
): readonly ExampleCode[] {
  const { requiredOnly, isGenerated, languages } = settings.examples;
  const given = endpoint.samples.slice(0, maxSamples).map((sample) => codeOfSample(sample));
  if (endpoint.kind === "operation") {
    const made = isGenerated
      ? generatedSamples(endpoint, languages, { requiredOnly, resolve, steps })
      : [];
    return withSamples(made, given);
  }
  const { body } = endpoint;
  const [content] = body?.contents ?? [];
  if (content === undefined) return given;
  const options = { resolve, direction: "response", requiredOnly, steps } as const;
  return [...given, ...examplesAsCode(listValues(content, words.payload, options))];
}

function responseCodes(
  { kind, responses }: Endpoint,
  { settings, resolve, steps }: ExampleContext,
): readonly ExampleCode[] {
  const direction = kind === "webhook" ? "request" : "response";
  const { requiredOnly } = settings.examples;
  const values = responses.flatMap(({ status, contents: [content] }) =>
    content === undefined
      ? []
      : listValues(content, status, { resolve, direction, requiredOnly, steps }),
  );
  return examplesAsCode(values);
}

function generatedSamples(
  endpoint: Endpoint,
  languages: readonly string[] | undefined,
  options: SampleOptions,
): ExampleCode[] {
  const request = createSampleRequest(endpoint, options);
  return listSampleLanguages(languages).map((language, index) => ({
    title: language.label,
    language: language.grammar,
    code: language.write(request),
    isTranslation: index > 0,
  }));
}

function codeOfSample({ language, label, source }: CodeSample): ExampleCode {
  const known = findSampleLanguage(language);
  const title = label === "" ? (known?.label ?? language) : label;
  const code = source.trim().slice(0, maxSampleLength);
  return { title, language: known?.grammar ?? language, code };
}

/** Adds the author's samples first; they replace generated ones in the same language. */
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

/** Lists the author's examples, or else a generated one unless it would be empty. */
function listValues(content: Content, title: string, options: ExampleOptions): ExampleValue[] {
  const { examples, mediaType } = content;
  const values =
    examples.length > 1
      ? examples.map(({ name, summary, value }) => ({
          title: `${title} ${summary ?? name}`,
          value,
        }))
      : [{ title, value: getExample(content, options) }].filter(
          ({ value }) => examples.length > 0 || !isEmptyExample(value),
        );
  return values
    .filter(({ value }) => value !== undefined && value !== fileExample)
    .map((value) => ({ mediaType, ...value }));
}

/** Reports whether a value is the example of a schema without content. */
function isEmptyExample(value: unknown): boolean {
  if (typeof value !== "object") return false;
  return value === null || Object.keys(value).length === 0;
}

function examplesAsCode(values: readonly ExampleValue[]): ExampleCode[] {
  const shown = values.slice(0, maxExamples);
  const maxCharacters = Math.min(maxExampleLength, Math.floor(maxTotalLength / shown.length));
  return shown.map(({ title, mediaType, value }) => {
    if (typeof value === "string" && !isJson(mediaType)) {
      return { title, language: getLanguage(mediaType), code: value.slice(0, maxCharacters) };
    }
    const code = JSON.stringify(fitJson(value, maxCharacters), null, 2);
    const isStream = /event-stream/i.test(mediaType);
    return { title, language: "json", code: isStream ? `data: ${code}` : code };
  });
}

/** Returns the language of an example that is not JSON. */
function getLanguage(mediaType: string): string {
  if (/xml\b/i.test(mediaType)) return "xml";
  return /html\b/i.test(mediaType) ? "html" : "text";
}
