/**
 * Renders an API's reference: an endpoint, a data model or a channel as the content of a page.
 * 1. Build the view: resolve and merge schemas, and cut them to fit a page (`schema/`, `endpoint-view.ts`).
 * 2. Create examples: a value, a request, and that request in each language (`sample/`).
 * 3. Render the view as HTML in the markup of the format's own components (`html/`) and as Markdown (`markdown.ts`).
 */
import { html, joinHtml, type Html } from "../markup/index.ts";
import { isElement, type TreeNode } from "../page/index.ts";
import type { ApiContext, ApiPart } from "./api-context.ts";
import type { ApiSubject, DataModel, AsyncChannel, Endpoint } from "../openapi/index.ts";
import { createEndpointView, type SchemaRemainder, createChannelView } from "./endpoint-view.ts";
import { listChannelExamples, listEndpointExamples, listModelExamples } from "./examples.ts";
import {
  renderEndpointHtml,
  renderIntroduction,
  renderChannelHtml,
  renderSecurity,
} from "./html/endpoint-html.ts";
import { renderExamples, renderSectionHeading } from "./html/markup.ts";
import { FieldWriter } from "./html/fields.ts";
import { formatChannel, formatEndpoint, formatExampleBlocks, formatModel } from "./markdown.ts";
import { findCodeBlocks } from "../text/index.ts";
import { listSampleLanguages } from "./sample/languages.ts";
import { createManualEndpoint, type ManualPage } from "./sample/manual-endpoint.ts";
import { createExampleSteps } from "./sample/example-value.ts";
import {
  createResolver,
  createMergeSteps,
  type MergeSteps,
  type NamedSchemas,
} from "./schema/resolve-schema.ts";
import type { Omissions } from "./schema/shape.ts";
import { ShapeBuilder } from "./schema/shape-builder.ts";
import type { ApiSettings } from "./settings.ts";

export type { ApiContext } from "./api-context.ts";
export type { ManualPage } from "./sample/manual-endpoint.ts";
export { readApiSettings, type ApiSettings } from "./settings.ts";

/**
 * Renders a page's content together with its API reference. The outline, anchors, references and problems are added to
 * `context.page`; the highlighter must already have loaded the languages of `listApiLanguages`. Never throws,
 * regardless of the description. The HTML stays below about 300 KB, the HTML of the page's parts stays below 2 MB, and
 * the page and each part have fewer than 16 levels of fields.
 */
export function renderApi(subject: ApiSubject | ManualPage, context: ApiContext): ApiPart {
  if (subject.kind === "manual") return renderManual(subject, context);
  if (subject.kind === "channel") return renderChannel(subject, context);
  if (subject.kind === "model") return renderModel(subject, context);
  return renderEndpoint(subject, context);
}

function renderEndpoint(endpoint: Endpoint, context: ApiContext): ApiPart {
  const callbackSchemas = endpoint.callbacks.map(({ schemas }) => schemas);
  const schemas = Object.assign({}, ...callbackSchemas, endpoint.schemas) as NamedSchemas;
  const merges = createMergeSteps();
  const resolve = createResolver(schemas, merges);
  const view = createEndpointView(endpoint, resolve);
  const steps = createExampleSteps(endpoint.schemaBytes);
  const examples = listEndpointExamples(endpoint, {
    ...context,
    resolve,
    steps,
    report: createReporter(context),
  });
  warnOfOmissions(endpoint, { ...view, merges }, context);
  return {
    html: html`${renderEndpointHtml(view, context)}${renderExamples(examples, context)}`,
    markdown: formatEndpoint(view, examples, context),
    parts: renderParts(view, context),
  };
}

function renderChannel(channel: AsyncChannel, context: ApiContext): ApiPart {
  const merges = createMergeSteps();
  const resolve = createResolver(channel.schemas, merges);
  const view = createChannelView(channel, resolve);
  const steps = createExampleSteps(channel.schemaBytes);
  const examples = listChannelExamples(channel, {
    ...context,
    resolve,
    steps,
    report: createReporter(context),
  });
  warnOfOmissions(channel, { ...view, merges }, context);
  return {
    html: html`${renderChannelHtml(view, context)}${renderExamples(examples, context)}`,
    markdown: formatChannel(view, examples, context),
    parts: renderParts(view, context),
  };
}

function renderModel(model: DataModel, context: ApiContext): ApiPart {
  const merges = createMergeSteps();
  const resolve = createResolver(model.schemas, merges);
  const builder = new ShapeBuilder(resolve, model);
  const shape = builder.createShape(model.schema, { direction: "both", anchor: "schema" });
  builder.fill();
  const steps = createExampleSteps(model.schemaBytes);
  const { description, ...schema } = shape.schema;
  const examples = listModelExamples(model, {
    ...context,
    resolve,
    steps,
    report: createReporter(context),
  });
  const { omissions, parts } = builder;
  warnOfOmissions(model, { omissions, merges }, context);
  return {
    html: joinHtml([
      renderIntroduction(description, context),
      context.renderPageContent(),
      new FieldWriter(context).renderRoot({ ...shape, schema }, { alias: "param", isTop: true }),
      renderExamples(examples, context),
    ]),
    markdown: formatModel(shape, { examples, parts }, context),
    parts: renderParts({ parts }, context),
  };
}

function renderParts({ parts }: Pick<SchemaRemainder, "parts">, context: ApiContext): Html[] {
  const writer = new FieldWriter(context, { hasNoIds: true });
  return parts.map((part) => writer.renderPart(part));
}

function warnOfOmissions(
  { schemaBytes }: { readonly schemaBytes?: number },
  { omissions, merges }: { readonly omissions: Omissions; readonly merges: MergeSteps },
  { page, position }: ApiContext,
): void {
  const messages = new Set(omissions.formatMessages(schemaBytes !== undefined));
  if (merges.isExceeded) messages.add(tooManyMerges);
  for (const message of messages) page.problems.warn("description_too_large", message, position);
}

function createReporter({ page, position }: ApiContext): (message: string) => void {
  return (message) => page.problems.warn("description_too_large", message, position);
}

const tooManyMerges =
  "The schemas of this page are only partly shown, because allOf merges more schemas and properties than a page can have.";

/** Renders a hand-written page, to which it adds the authentication methods and samples of the request. */
function renderManual(page: ManualPage, context: ApiContext): ApiPart {
  const endpoint = createManualEndpoint(page, context.settings);
  const resolve = createResolver(endpoint.schemas);
  const examples = listEndpointExamples(endpoint, {
    ...context,
    resolve,
    steps: createExampleSteps(),
    report: createReporter(context),
  });
  const security = renderSecurity(endpoint.security, context);
  return {
    html: joinHtml([
      security,
      // Without this heading, the page's fields would seem to belong to the authorization.
      security !== "" && beginsWithField(page.tree)
        ? renderSectionHeading(context.words.parameters, { id: "parameters" }, context)
        : "",
      context.renderPageContent(),
      renderExamples(examples, context),
    ]),
    markdown: formatExampleBlocks(examples)
      .filter((block) => block !== "")
      .join("\n\n"),
    parts: [],
  };
}

function beginsWithField(tree: readonly TreeNode[]): boolean {
  const [first] = tree;
  return first !== undefined && isElement(first) && first.name === "ParamField";
}

/** Lists the languages of the code that a page may show in samples, responses and fences in the API's text. */
export function listApiLanguages(
  subject: ApiSubject | ManualPage,
  { examples }: ApiSettings,
): ReadonlySet<string> {
  const samples = listSampleLanguages(examples.isGenerated ? examples.languages : []);
  const languages = new Set(["json", ...samples.map(({ grammar }) => grammar)]);
  if (subject.kind === "manual") return languages;
  for (const text of listTexts(subject)) {
    for (const { info } of findCodeBlocks(text)) languages.add(/^[\w+#.-]*/.exec(info)?.[0] ?? "");
  }
  if ("samples" in subject) for (const { language } of subject.samples) languages.add(language);
  return languages;
}

/** Yields every string in a value that may contain a fence. */
function* listTexts(value: unknown): Generator<string> {
  if (typeof value === "string" && /`{3}|~{3}/.test(value)) yield value;
  if (typeof value !== "object" || value === null) return;
  for (const part of Object.values(value)) yield* listTexts(part);
}
