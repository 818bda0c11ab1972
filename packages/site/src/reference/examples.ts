import type { ApiContext } from "./api-context.ts";
import type {
  DataModel,
  AsyncChannel,
  CodeSample,
  Content,
  Endpoint,
  Example,
} from "../openapi/index.ts";
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

/** Examples beside the text: requests or responses. */
export interface ExampleBlock {
  readonly kind: "request" | "response";
  /** At least one case. Readers see one case at a time. */
  readonly cases: readonly ExampleCase[];
}

/** One request in several languages, or all responses. */
interface ExampleCase {
  /** The title; empty if the block has no other cases. */
  readonly title: string;
  /** The description in Markdown. */
  readonly description?: string;
  readonly codes: readonly ExampleCode[];
}

interface ExampleCode {
  readonly title: string;
  /** The description in Markdown. */
  readonly description?: string;
  /** The language, as in the info string of a fence. */
  readonly language: string;
  readonly code: string;
  /** The complete code for the page's Markdown file, if `code` is shortened. */
  readonly wholeCode?: string;
  /** Whether this is the same request as an earlier example, in a different language. */
  readonly isTranslation?: boolean;
}

/** The maximum number of examples per page. Readers do not look through more tabs. */
const maxExamples = 40;
const maxSamples = 20;
/** Maximum characters per example and per page: readers stop reading after 250 lines, but browsers load everything. */
const maxExampleLength = 8_000;
const maxTotalLength = 40_000;
/** Maximum characters per example in the page's Markdown file. */
const maxWholeLength = 100_000;

interface ExampleContext extends Pick<ApiContext, "settings" | "authored" | "words"> {
  readonly resolve: Resolve;
  readonly steps: ExampleSteps;
  /** Reports examples that the page does not show. The message is a sentence. */
  readonly report: (message: string) => void;
}

/** Lists the examples that the page's author has not written. */
export function listEndpointExamples(endpoint: Endpoint, context: ExampleContext): ExampleBlock[] {
  const { authored } = context;
  return [
    ...(authored.request ? [] : toBlock("request", createRequestCases(endpoint, context))),
    ...(authored.response ? [] : toBlock("response", [createResponseCase(endpoint, context)])),
  ];
}

function toBlock(kind: ExampleBlock["kind"], all: readonly ExampleCase[]): readonly ExampleBlock[] {
  const cases = all.filter(({ codes }) => codes.length > 0);
  return cases.length === 0 ? [] : [{ kind, cases }];
}

export function listChannelExamples(
  { operations }: AsyncChannel,
  context: ExampleContext,
): readonly ExampleBlock[] {
  const values = operations.flatMap(({ action, messages }) =>
    messages.flatMap(({ title, payload, contentType, examples }) => {
      const direction = action === "send" ? "response" : "request";
      const schema = payload === undefined ? {} : { schema: payload };
      const content = { mediaType: contentType, examples, ...schema };
      return listValues(content, title, { ...createOptions(context), direction });
    }),
  );
  return toBlock("response", [{ title: "", codes: formatExamples(values, context) }]);
}

export function listModelExamples(
  { name, schema }: DataModel,
  context: ExampleContext,
): readonly ExampleBlock[] {
  const content = { mediaType: "application/json", schema, examples: [] };
  const values = listValues(content, name, { ...createOptions(context), direction: "both" });
  return toBlock("response", [{ title: "", codes: formatExamples(values, context) }]);
}

function createOptions({ settings, resolve, steps }: ExampleContext): SampleOptions {
  return { requiredOnly: settings.examples.requiredOnly, resolve, steps };
}

/** Returns the code that calls the endpoint, once per example of its body; for a webhook, returns its payloads. */
function createRequestCases(endpoint: Endpoint, context: ExampleContext): readonly ExampleCase[] {
  const { settings, words } = context;
  const samples = endpoint.samples.slice(0, maxSamples);
  if (samples.length < endpoint.samples.length) {
    context.report(`Only the first ${maxSamples} samples of this operation are shown.`);
  }
  const authoredSamples = samples.map((sample) => formatSample(sample, context));
  if (endpoint.kind === "webhook") {
    const options = { ...createOptions(context), direction: "response" } as const;
    const values = listAllValues(endpoint.body?.contents ?? [], words.payload, options);
    return [{ title: "", codes: [...authoredSamples, ...formatExamples(values, context)] }];
  }
  const bodies = listBodies(endpoint);
  if (!settings.examples.isGenerated) {
    const values = bodies.flatMap(({ title, content: { mediaType, examples } }) =>
      examples.map((example) => ({ ...example, mediaType, title: title || words.body })),
    );
    return [{ title: "", codes: [...authoredSamples, ...formatExamples(values, context)] }];
  }
  return generateCases(endpoint, bodies, { given: authoredSamples, context });
}

interface RequestBody {
  readonly title: string;
  /** The content, with at most one example. */
  readonly content: Content;
}

/** Lists the bodies that a reader may send, one per example. The first body is of the first media type. */
function listBodies({ body }: Endpoint): readonly RequestBody[] {
  const contents = body?.contents ?? [];
  const shownContents = contents.filter(
    ({ examples }, index) => index === 0 || examples.length > 0,
  );
  return shownContents.flatMap((content) => {
    const suffix = shownContents.length > 1 ? ` (${content.mediaType})` : "";
    if (content.examples.length === 0) return [{ title: content.mediaType, content }];
    return content.examples.map((example) => ({
      title: `${example.summary ?? example.name}${suffix}`,
      content: { ...content, examples: [example] },
    }));
  });
}

/** Generates samples for each body. Once the page is full, each further body gets a sample in one language only. */
function generateCases(
  endpoint: Endpoint,
  bodies: readonly RequestBody[],
  { given, context }: { readonly given: readonly ExampleCode[]; readonly context: ExampleContext },
): readonly ExampleCase[] {
  const { languages } = context.settings.examples;
  const options = createOptions(context);
  const [first, ...others] = bodies;
  const generate = (body: RequestBody | undefined) =>
    generateSamples(replaceBody(endpoint, body), languages, options);
  const generated = generate(first);
  const codes = mergeSamples(generated, given);
  const isReplaced = given.length > 0 && codes.length === given.length;
  const rest = isReplaced && first ? bodies : others;
  const plainExample = isReplaced ? [] : createPlainExample(first, context);
  const main = {
    ...describeCase(isReplaced ? undefined : first),
    codes: [...codes, ...plainExample],
  };
  if (rest.every(({ content }) => content.examples.length === 0)) return [{ ...main, title: "" }];
  if (rest.length > maxExamples) context.report(formatMoreExamples(rest.length - maxExamples));
  let remainingLength = maxTotalLength - countCharacters(codes);
  const cases = rest.slice(0, maxExamples).map((body): ExampleCase => {
    const all = body.content.examples[0]?.isExternal === true ? [] : generate(body);
    remainingLength -= countCharacters(all);
    const shownSamples = remainingLength > 0 ? all : all.slice(0, 1);
    return {
      ...describeCase(body),
      codes: [...shownSamples, ...createPlainExample(body, context)],
    };
  });
  const title = isReplaced ? context.words.body : main.title;
  return [{ ...main, title }, ...cases];
}

/** Returns a body's example by itself, if the request samples do not show all of it. */
function createPlainExample(body: RequestBody | undefined, context: ExampleContext): ExampleCode[] {
  if (body === undefined) return [];
  const { mediaType, examples } = body.content;
  const [example] = examples;
  if (example === undefined) return [];
  const isWhole = fitJson(example.value) === example.value && !/^multipart\//i.test(mediaType);
  if (isWhole && example.isExternal !== true) return [];
  const { value, isExternal = false } = example;
  return formatExamples([{ value, isExternal, mediaType, title: body.title }], context);
}

/**
 * Returns the title and description of a body's example. If the title is not the example's summary, the description
 * contains the summary.
 */
function describeCase(body: RequestBody | undefined): Pick<ExampleCase, "title" | "description"> {
  const [example] = body?.content.examples ?? [];
  const summary = body?.title === example?.summary ? undefined : example?.summary;
  const texts = [summary, example?.description].filter((text) => text !== undefined);
  return {
    title: body?.title ?? "",
    ...(texts.length === 0 ? {} : { description: texts.join("\n\n") }),
  };
}

function replaceBody(endpoint: Endpoint, body: RequestBody | undefined): Endpoint {
  if (body === undefined || endpoint.body === undefined) return endpoint;
  return { ...endpoint, body: { ...endpoint.body, contents: [body.content] } };
}

function countCharacters(codes: readonly ExampleCode[]): number {
  return codes.reduce((sum, { code }) => sum + code.length, 0);
}

function formatMoreExamples(count: number): string {
  return `The first ${maxExamples} examples of this page are shown; ${count} more are not.`;
}

/** Returns the responses, followed by the requests of callbacks, if the description has examples of them. */
function createResponseCase(endpoint: Endpoint, context: ExampleContext): ExampleCase {
  const direction = endpoint.kind === "webhook" ? "request" : "response";
  const options = { ...createOptions(context), direction } as const;
  const values = endpoint.responses.flatMap(({ status, contents }) =>
    listAllValues(contents, status, options),
  );
  const others = endpoint.callbacks.flatMap(({ title, body, responses }) =>
    [{ status: "", contents: body?.contents ?? [] }, ...responses].flatMap(({ status, contents }) =>
      contents.flatMap((content) =>
        listAuthoredValues(content, `${title} ${status}`.trim(), options),
      ),
    ),
  );
  return { title: "", codes: formatExamples([...values, ...others], context) };
}

function generateSamples(
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

function formatSample(
  { language, label, source }: CodeSample,
  { report }: Pick<ExampleContext, "report">,
): ExampleCode {
  const knownLanguage = findSampleLanguage(language);
  const title = label === "" ? (knownLanguage?.label ?? language) : label;
  const wholeCode = source.trim();
  if (wholeCode.length > maxWholeLength) report(formatCutMessage("sample", title));
  return {
    title,
    language: knownLanguage?.grammar ?? language,
    code: wholeCode.slice(0, maxExampleLength),
    ...(wholeCode.length > maxExampleLength
      ? { wholeCode: wholeCode.slice(0, maxWholeLength) }
      : {}),
  };
}

function formatCutMessage(kind: "example" | "sample", title: string): string {
  const reason = `is longer than ${maxWholeLength} characters and is only partly shown`;
  return `The ${kind} ${JSON.stringify(title.slice(0, 100))} ${reason}.`;
}

/** Puts the author's samples before the generated samples, and replaces generated samples in the same language. */
function mergeSamples(
  generated: readonly ExampleCode[],
  authored: readonly ExampleCode[],
): readonly ExampleCode[] {
  const languages = new Set(authored.map(({ language }) => language));
  return [...authored, ...generated.filter(({ language }) => !languages.has(language))];
}

interface ExampleValue extends Pick<Example, "description" | "value" | "isExternal"> {
  readonly title: string;
  readonly mediaType: string;
}

/** Lists the examples of the first media type, and the authored examples of the other media types. */
function listAllValues(
  [first, ...others]: readonly Content[],
  title: string,
  options: ExampleOptions,
): ExampleValue[] {
  if (first === undefined) return [];
  return [
    ...listValues(first, title, options),
    ...others.flatMap((content) =>
      listAuthoredValues(content, `${title} ${content.mediaType}`, options),
    ),
  ];
}

/**
 * Lists the authored examples. If there are none, generates an example, unless the generated example would be empty.
 */
function listValues(content: Content, title: string, options: ExampleOptions): ExampleValue[] {
  const authoredValues = listAuthoredValues(content, title, options);
  if (authoredValues.length > 0) return authoredValues;
  const value = getExample(content, options);
  const isShown = value !== undefined && value !== fileExample && !isEmptyExample(value);
  return isShown ? [{ title, value, mediaType: content.mediaType }] : [];
}

/**
 * Lists the authored examples of a media type, then the examples of its schema, except scalars, which the schema's
 * notes show.
 */
function listAuthoredValues(
  { examples, mediaType, schema }: Content,
  title: string,
  { resolve }: ExampleOptions,
): ExampleValue[] {
  const schemaExamples = (schema === undefined ? undefined : resolve(schema).examples) ?? [];
  const knownValues = new Set(examples.map(({ value }) => JSON.stringify(value)));
  const others = schemaExamples
    .filter((value) => typeof value === "object" && !knownValues.has(JSON.stringify(value)))
    .map((value, index): Example => ({ name: String(examples.length + index + 1), value }));
  const all = [...examples, ...others];
  return all.map(({ name, summary, ...example }) => ({
    ...example,
    mediaType,
    title: all.length > 1 || summary !== undefined ? `${title} ${summary ?? name}` : title,
  }));
}

/** Reports whether a value is an empty example, as generated from a schema without content. */
function isEmptyExample(value: unknown): boolean {
  if (typeof value !== "object") return false;
  return value === null || Object.keys(value).length === 0;
}

function formatExamples(
  values: readonly ExampleValue[],
  { report }: Pick<ExampleContext, "report">,
): ExampleCode[] {
  const shownValues = values.slice(0, maxExamples);
  if (shownValues.length < values.length)
    report(formatMoreExamples(values.length - shownValues.length));
  const maxCharacters = Math.min(maxExampleLength, Math.floor(maxTotalLength / shownValues.length));
  return shownValues.map((example) => {
    const { title, description } = example;
    const { language, code } = formatExample(example, maxCharacters);
    const whole = formatExample(example, maxWholeLength);
    if (whole.isCut) report(formatCutMessage("example", title));
    return {
      title,
      ...(description === undefined ? {} : { description }),
      language,
      code,
      ...(code === whole.code ? {} : { wholeCode: whole.code }),
    };
  });
}

function formatExample(
  { mediaType, value, isExternal }: ExampleValue,
  maxCharacters: number,
): Pick<ExampleCode, "language" | "code"> & { readonly isCut: boolean } {
  if (typeof value === "string" && (isExternal === true || !isJson(mediaType))) {
    const language = isExternal === true ? "text" : getLanguage(mediaType);
    const code = value.slice(0, maxCharacters);
    return { language, code, isCut: code.length < value.length };
  }
  const fitted = fitJson(value, maxCharacters);
  const code = JSON.stringify(fitted, null, 2);
  const isStream = /event-stream/i.test(mediaType);
  return { language: "json", code: isStream ? `data: ${code}` : code, isCut: fitted !== value };
}

/** Returns the language of an example that is not JSON. */
function getLanguage(mediaType: string): string {
  if (/xml\b/i.test(mediaType)) return "xml";
  return /html\b/i.test(mediaType) ? "html" : "text";
}
