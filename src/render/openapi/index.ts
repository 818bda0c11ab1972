/**
 * What readers see of an API: an endpoint, a data model or a channel as the content of a page.
 * 1. view: schemas resolved, merged and cut to what a page has room for (`schema/`, `endpoint-view.ts`);
 * 2. examples: a value, one request, and that request in each language (`sample/`);
 * 3. write: the view as HTML in the markup of the format's own components (`html/`), and as Markdown (`markdown/`).
 */
import type { ApiContext, ApiPart } from "./api-context.ts";
import type { Endpoint } from "./endpoint.ts";
import { viewEndpoint } from "./endpoint-view.ts";
import { endpointHtml } from "./html/endpoint-html.ts";
import { endpointExamples } from "./examples.ts";
import { examplesHtml } from "./html/examples.ts";
import { endpointMarkdown } from "./markdown/endpoint-markdown.ts";
import { sampleLanguages } from "./sample/languages.ts";
import type { ApiSettings } from "./settings.ts";

export type { ApiContext, ApiPart } from "./api-context.ts";
export { readApiSettings, type ApiSettings } from "./settings.ts";
export { apiWordsOf } from "./words.ts";

/**
 * The content of an endpoint's page. Outline, anchors, references and problems go to `context.page`; the
 * highlighter must have loaded `apiLanguages` before. Never throws for what a description can hold.
 */
export function renderEndpoint(endpoint: Endpoint, context: ApiContext): ApiPart {
  const view = viewEndpoint(endpoint);
  const examples = endpointExamples(endpoint, context);
  return {
    html: endpointHtml(view, context) + examplesHtml(examples, context),
    markdown: endpointMarkdown(view, examples, context),
  };
}

/** Languages of the code that a part of an API may show: of samples, of answers, of fences in its texts. */
export function apiLanguages(part: unknown, { examples }: ApiSettings): ReadonlySet<string> {
  const fences = JSON.stringify(part).matchAll(/(?:`{3,}|~{3,}) *([\w+#.-]+)/g);
  return new Set([
    "json",
    ...sampleLanguages(examples.isGenerated ? examples.languages : []).map(
      ({ grammar }) => grammar,
    ),
    ...Array.from(fences, ([, language = ""]) => language),
  ]);
}
