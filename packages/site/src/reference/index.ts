import { html, joinHtml } from "../markup/index.ts";
/**
 * Renders an API's reference: an endpoint, a data model or a channel as the content of a page.
 * 1. view: schemas resolved, merged and cut to what a page has room for (`schema/`, `endpoint-view.ts`);
 * 2. examples: a value, one request, and that request in each language (`sample/`);
 * 3. write: the view as HTML in the markup of the format's own components (`html/`), and as Markdown (`markdown/`).
 */
import { isElement, type TreeNode } from "../page/index.ts";
import type { ApiContext, ApiPart } from "./api-context.ts";
import type { ApiSubject, DataModel, AsyncChannel, Endpoint } from "../openapi/index.ts";
import { viewChannel } from "./channel-view.ts";
import { viewEndpoint } from "./endpoint-view.ts";
import { channelExamples, endpointExamples, modelExamples } from "./examples.ts";
import { channelHtml } from "./html/channel-html.ts";
import { endpointHtml, introductionHtml } from "./html/endpoint-html.ts";
import { examplesHtml, sectionHeading } from "./html/markup.ts";
import { FieldWriter } from "./html/fields.ts";
import { securityHtml } from "./html/security.ts";
import { channelMarkdown, endpointMarkdown, examplesMarkdown, modelMarkdown } from "./markdown.ts";
import { codeBlocks } from "../text/index.ts";
import { sampleLanguages } from "./sample/languages.ts";
import { manualEndpoint, type ManualPage } from "./sample/manual-endpoint.ts";
import { exampleSteps } from "./sample/example-value.ts";
import {
  createResolver,
  mergeSteps,
  type MergeSteps,
  type NamedSchemas,
} from "./schema/resolve-schema.ts";
import type { Omissions } from "./schema/shape.ts";
import { ShapeBuilder } from "./schema/shape.ts";
import type { ApiSettings } from "./settings.ts";

export type { ApiContext, ApiPart } from "./api-context.ts";
export type { ApiSubject } from "../openapi/index.ts";
export type { ManualPage } from "./sample/manual-endpoint.ts";
export { readApiSettings, type ApiSettings } from "./settings.ts";

/**
 * A page's content together with its API reference. Outline, anchors, references and
 * problems go to `context.page`; the highlighter must have loaded `apiLanguages` before. Never throws,
 * whatever a description contains; its HTML stays below some 300 KB, its depth below 16 levels of fields.
 */
export function renderApi(subject: ApiSubject | ManualPage, context: ApiContext): ApiPart {
  if (subject.kind === "manual") return renderManual(subject, context);
  if (subject.kind === "channel") return renderChannel(subject, context);
  if (subject.kind === "model") return renderModel(subject, context);
  return renderEndpoint(subject, context);
}

function renderEndpoint(endpoint: Endpoint, context: ApiContext): ApiPart {
  const inside = endpoint.callbacks.map(({ schemas }) => schemas);
  const all = Object.assign({}, ...inside, endpoint.schemas) as NamedSchemas;
  const merges = mergeSteps();
  const resolve = createResolver(all, merges);
  const view = viewEndpoint(endpoint, resolve);
  const steps = exampleSteps(endpoint.schemaBytes);
  const examples = endpointExamples(endpoint, { ...context, resolve, steps });
  warnOfCut(endpoint, { ...view, merges }, context);
  return {
    html: html`${endpointHtml(view, context)}${examplesHtml(examples, context)}`,
    markdown: endpointMarkdown(view, examples, context),
  };
}

function renderChannel(channel: AsyncChannel, context: ApiContext): ApiPart {
  const merges = mergeSteps();
  const resolve = createResolver(channel.schemas, merges);
  const view = viewChannel(channel, resolve);
  const steps = exampleSteps(channel.schemaBytes);
  const examples = channelExamples(channel, { ...context, resolve, steps });
  warnOfCut(channel, { ...view, merges }, context);
  return {
    html: html`${channelHtml(view, context)}${examplesHtml(examples, context)}`,
    markdown: channelMarkdown(view, examples, context),
  };
}

function renderModel(model: DataModel, context: ApiContext): ApiPart {
  const merges = mergeSteps();
  const resolve = createResolver(model.schemas, merges);
  const builder = new ShapeBuilder(resolve, model.schemaBytes);
  const shape = builder.shape(model.schema, { direction: "both", anchor: "schema" });
  builder.fill();
  const steps = exampleSteps(model.schemaBytes);
  const { description, ...schema } = shape.schema;
  const examples = modelExamples(model, { ...context, resolve, steps });
  warnOfCut(model, { omissions: builder.omissions, merges }, context);
  return {
    html: joinHtml([
      introductionHtml(description, context),
      context.renderPageContent(),
      new FieldWriter(context).root({ ...shape, schema }, { alias: "param", isTop: true }),
      examplesHtml(examples, context),
    ]),
    markdown: modelMarkdown(shape, examples, context),
  };
}

function warnOfCut(
  { schemaBytes }: { readonly schemaBytes?: number },
  { omissions, merges }: { readonly omissions: Omissions; readonly merges: MergeSteps },
  { page, place }: ApiContext,
): void {
  const messages = new Set(omissions.messages(schemaBytes !== undefined));
  if (merges.left <= 0) messages.add(tooManyMerges);
  for (const message of messages) page.problems.warn("description_too_large", message, place);
}

const tooManyMerges =
  "The schemas of this page are shown in part: allOf merges more of their properties than a page can have.";

/** Adds what a hand-written page lacks: how callers authenticate, and samples of the request. */
function renderManual(page: ManualPage, context: ApiContext): ApiPart {
  const endpoint = manualEndpoint(page, context.settings);
  const resolve = createResolver(endpoint.schemas);
  const examples = endpointExamples(endpoint, { ...context, resolve, steps: exampleSteps() });
  const security = securityHtml(endpoint.security, context);
  return {
    html: joinHtml([
      security,
      // Without a heading, fields would seem to belong to the authorization.
      security !== "" && beginsWithField(page.tree)
        ? sectionHeading(context.words.parameters, { id: "parameters" }, context)
        : "",
      context.renderPageContent(),
      examplesHtml(examples, context),
    ]),
    markdown: examplesMarkdown(examples).join("\n\n"),
  };
}

function beginsWithField(tree: readonly TreeNode[]): boolean {
  const [first] = tree;
  return first !== undefined && isElement(first) && first.name === "ParamField";
}

/** Languages of the code that it may show: in samples, in responses, in fences of an API's texts. */
export function apiLanguages(
  subject: ApiSubject | ManualPage,
  { examples }: ApiSettings,
): ReadonlySet<string> {
  const samples = sampleLanguages(examples.isGenerated ? examples.languages : []);
  const languages = new Set(["json", ...samples.map(({ grammar }) => grammar)]);
  if (subject.kind === "manual") return languages;
  for (const text of textsIn(subject)) {
    for (const { info } of codeBlocks(text)) languages.add(/^[\w+#.-]*/.exec(info)?.[0] ?? "");
  }
  if ("samples" in subject) for (const { language } of subject.samples) languages.add(language);
  return languages;
}

/** Every text in a value that may contain a fence. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string" && /`{3}|~{3}/.test(value)) yield value;
  if (typeof value !== "object" || value === null) return;
  for (const part of Object.values(value)) yield* textsIn(part);
}
