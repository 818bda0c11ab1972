import type { ApiContext } from "./api-context.ts";
import type { DataModel } from "./api-subject.ts";
import type { AsyncChannel } from "./async-channel.ts";
import type { ApiResponse, CodeSample, Content, Endpoint } from "./endpoint.ts";
import { exampleOf, fileExample } from "./sample/example-value.ts";
import { fitJson } from "./sample/fit-json.ts";
import { sampleLanguage, sampleLanguages } from "./sample/languages.ts";
import { isJson, sampleRequest } from "./sample/request.ts";

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

/** Examples of one response; real ones have 6. */
const mostExamples = 12;
const mostMessages = 40;
/** An example of a response is read, not run: the whole of a long one is in nobody's way but the browser's. */
const longestExample = 16_000;

/** What the page's author has not given already. */
export function endpointExamples(
  endpoint: Endpoint,
  { settings, authored }: Pick<ApiContext, "settings" | "authored">,
): ExampleBlock[] {
  const blocks: ExampleBlock[] = [];
  const { requiredOnly, isGenerated, languages } = settings.examples;
  if (!authored.request) {
    const given = endpoint.samples.map((sample) => codeOfSample(sample));
    const isCall = endpoint.kind === "operation";
    const made =
      isGenerated && isCall ? generatedSamples(endpoint, { languages, requiredOnly }) : [];
    const payload = isCall ? [] : payloadExamples(endpoint, requiredOnly);
    blocks.push({ kind: "request", codes: [...withSamples(made, given), ...payload] });
  }
  if (!authored.response) {
    const codes = endpoint.responses.flatMap((response) =>
      responseExamples(response, endpoint, requiredOnly),
    );
    blocks.push({ kind: "response", codes });
  }
  return blocks.filter(({ codes }) => codes.length > 0);
}

export function channelExamples(
  { operations, schemas }: AsyncChannel,
  { settings }: Pick<ApiContext, "settings">,
): ExampleBlock[] {
  const { requiredOnly } = settings.examples;
  const codes = operations.flatMap(({ action, messages }) =>
    messages.flatMap(({ title, payload, contentType, examples }) => {
      const direction = action === "send" ? "response" : "request";
      const schema = payload === undefined ? {} : { schema: payload };
      const content = { mediaType: contentType, examples, ...schema };
      return contentExamples(content, title, { schemas, direction, requiredOnly });
    }),
  );
  return codes.length === 0 ? [] : [{ kind: "response", codes: codes.slice(0, mostMessages) }];
}

export function modelExamples(
  { name, schema, schemas }: DataModel,
  { settings }: Pick<ApiContext, "settings">,
): ExampleBlock[] {
  const { requiredOnly } = settings.examples;
  const content = { mediaType: "application/json", schema, examples: [] };
  const codes = contentExamples(content, name, { schemas, direction: "both", requiredOnly });
  return codes.length === 0 ? [] : [{ kind: "response", codes }];
}

function generatedSamples(
  endpoint: Endpoint,
  options: { readonly languages: readonly string[] | undefined; readonly requiredOnly: boolean },
): ExampleCode[] {
  const request = sampleRequest(endpoint, options);
  return sampleLanguages(options.languages).map((language, index) => ({
    title: language.label,
    language: language.grammar,
    code: language.write(request),
    isTranslation: index > 0,
  }));
}

function codeOfSample({ language, label, source }: CodeSample): ExampleCode {
  const known = sampleLanguage(language);
  const title = label === "" ? (known?.label ?? language) : label;
  return { title, language: known?.grammar ?? language, code: source.trim() };
}

/** Samples that the author gives stand first, and in the place of those made in their language. */
function withSamples(
  made: readonly ExampleCode[],
  given: readonly ExampleCode[],
): readonly ExampleCode[] {
  const languages = new Set(given.map(({ language }) => language));
  return [...given, ...made.filter(({ language }) => !languages.has(language))];
}

/** What a webhook brings. */
function payloadExamples({ body, schemas }: Endpoint, requiredOnly: boolean): ExampleCode[] {
  const [content] = body?.contents ?? [];
  if (content === undefined) return [];
  return contentExamples(content, "Payload", { schemas, direction: "response", requiredOnly });
}

function responseExamples(
  { status, contents }: ApiResponse,
  { schemas }: Endpoint,
  requiredOnly: boolean,
): ExampleCode[] {
  const [content] = contents;
  if (content === undefined) return [];
  return contentExamples(content, status, { schemas, direction: "response", requiredOnly });
}

function contentExamples(
  content: Content,
  title: string,
  options: Parameters<typeof exampleOf>[1],
): ExampleCode[] {
  const { examples, mediaType } = content;
  if (examples.length > 1) {
    return examples.slice(0, mostExamples).flatMap(({ name, summary, value }) => {
      const code = codeOfValue(value, mediaType);
      return code === undefined ? [] : [{ title: `${title} ${summary ?? name}`, ...code }];
    });
  }
  const code = codeOfValue(exampleOf(content, options), mediaType);
  return code === undefined ? [] : [{ title, ...code }];
}

/** Undefined where there is nothing to read: a file's bytes, a value of which nothing is known. */
function codeOfValue(
  value: unknown,
  mediaType: string,
): Pick<ExampleCode, "language" | "code"> | undefined {
  if (value === undefined || value === fileExample) return undefined;
  if (typeof value === "string" && !isJson(mediaType)) {
    return { language: languageOf(mediaType), code: value.slice(0, longestExample) };
  }
  const code = JSON.stringify(fitJson(value, longestExample), null, 2);
  const isStream = /event-stream/i.test(mediaType);
  return { language: "json", code: isStream ? `data: ${code}` : code };
}

function languageOf(mediaType: string): string {
  if (/xml\b/i.test(mediaType)) return "xml";
  if (/html\b/i.test(mediaType)) return "html";
  return isJson(mediaType) ? "json" : "text";
}
