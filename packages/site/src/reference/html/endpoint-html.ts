import { escapeHtml } from "../../markup/index.ts";
import type { ApiContext } from "../api-context.ts";
import { renderDescription } from "../description.ts";
import type { ContentView, EndpointView, ResponseView } from "../endpoint-view.ts";
import { fieldIdPart } from "../schema/field-id-part.ts";
import { FieldWriter } from "./fields.ts";
import { sectionHeading } from "./heading.ts";
import { code, note } from "./markup.ts";
import { securityHtml } from "./security.ts";
import { serversHtml } from "./servers.ts";
import { tabSet } from "./tab-set.ts";

/** The page's own content and all about an endpoint but its examples, in the order in which it is needed. */
export function endpointHtml(view: EndpointView, context: ApiContext): string {
  const { description, security } = view.endpoint;
  return [
    leadHtml(description, context),
    context.renderOwn(),
    servers(view, context),
    securityHtml(security, context),
    new ExchangeWriter(context).sections(view, 2),
  ].join("");
}

/** What the description says first, unless the page has words of its own for it. */
export function leadHtml(description: string | undefined, context: ApiContext): string {
  if (context.hasDescription) return "";
  return renderDescription(description, { place: context.place, hasHeadings: true }, context.page);
}

/** Where there is one, the examples say it; where there are several, the reader must know. */
function servers({ endpoint }: EndpointView, context: ApiContext): string {
  const isShown = endpoint.servers.length > 1 || context.settings.showsBaseUrl;
  return isShown ? serversHtml(endpoint.servers, context) : "";
}

/** Of a section: its title, its id and the HTML beside it. */
type WriteHeading = (text: string, id: string, aside?: string) => string;

const parameterSections = [
  ["path", "pathParameters", "path-parameters"],
  ["query", "queryParameters", "query-parameters"],
  ["header", "headerParameters", "header-parameters"],
  ["cookie", "cookieParameters", "cookie-parameters"],
] as const;

/** What goes one way and what comes back, of an endpoint or of a callback. */
class ExchangeWriter {
  readonly #context: ApiContext;
  readonly #fields: FieldWriter;

  constructor(context: ApiContext) {
    this.#context = context;
    this.#fields = new FieldWriter(context);
  }

  /** `depth` is that of the headings. */
  sections(view: EndpointView, depth: number): string {
    const heading = (text: string, id: string, aside = "") =>
      sectionHeading(text, { id: view.prefix + id, depth, aside }, this.#context);
    return [
      ...this.#parameters(view, heading),
      this.#body(view, heading),
      this.#callbacks(view),
      this.#responses(view, heading),
    ].join("");
  }

  #parameters({ parameters, prefix }: EndpointView, heading: WriteHeading): string[] {
    const marks = prefix === "" ? { isTop: true, alias: "param" } : {};
    return parameterSections.map(([place, word, id]) => {
      const fields = parameters.get(place) ?? [];
      if (fields.length === 0) return "";
      const title = heading(this.#context.words[word], id);
      return title + fields.map((field) => this.#fields.field(field, marks)).join("");
    });
  }

  #body({ body, prefix }: EndpointView, heading: WriteHeading): string {
    if (body === undefined) return "";
    const { page, place, words } = this.#context;
    const alias = prefix === "" ? "param" : undefined;
    return (
      heading(words.body, "body", mediaAside(body.contents)) +
      renderDescription(body.description, { place }, page) +
      this.#contents(body.contents, alias)
    );
  }

  /** Media types side by side; a single one has no tab. */
  #contents(contents: readonly ContentView[], alias?: string): string {
    const [first, ...others] = contents;
    if (first === undefined) return "";
    const html = this.#content(first, alias);
    if (others.length === 0) return html;
    const panels = others.map((content) => ({
      title: content.mediaType,
      html: this.#content(content),
    }));
    return tabSet([{ title: first.mediaType, html }, ...panels]);
  }

  #content({ shape }: ContentView, alias?: string): string {
    return shape === undefined ? "" : this.#fields.root(shape, { alias, isTop: true });
  }

  #responses({ responses, prefix }: EndpointView, heading: WriteHeading): string {
    if (responses.length === 0) return "";
    const { page, words } = this.#context;
    const title = heading(words.response, "response");
    const panels = responses.map((response) => ({
      id: page.ids.claim(`${prefix}response-${fieldIdPart(response.status)}`),
      title: response.status,
      html: this.#response(response),
    }));
    return title + tabSet(panels);
  }

  #response({ description, headers, contents }: ResponseView): string {
    const { page, place, words } = this.#context;
    const html = [
      mediaAside(contents),
      renderDescription(description, { place }, page),
      ...headers.map((header) => this.#fields.field(header, { location: "header" })),
      this.#contents(contents),
    ].join("");
    return html === "" ? note(escapeHtml(words.noContent)) : html;
  }

  #callbacks({ callbacks }: EndpointView): string {
    if (callbacks.length === 0) return "";
    const { page, words } = this.#context;
    const heading = sectionHeading(words.callbacks, { id: "callbacks" }, this.#context);
    const folds = callbacks.map((callback) => {
      const { title, method, path } = callback.endpoint;
      const id = page.ids.claim(`callback-${fieldIdPart(title)}`);
      const line = `<span class="method method-${escapeHtml(method)}">${escapeHtml(method.toUpperCase())}</span> ${code(path)}`;
      const inside = page.outline.without(() => this.sections(callback, 3));
      return (
        `<details class="fold accordion" id="${escapeHtml(id)}"><summary><span class="fold-text"><span class="fold-title">${escapeHtml(title)}</span>` +
        `<span class="fold-description">${line}</span></span></summary><div class="fold-content">${inside}</div></details>`
      );
    });
    return `${heading}<div class="accordion-group">${folds.join("")}</div>`;
  }
}

/** The one media type of a body; several are tabs. */
function mediaAside([only, ...others]: readonly ContentView[]): string {
  if (only === undefined || others.length > 0) return "";
  return `<span class="api-media">${escapeHtml(only.mediaType)}</span>`;
}
