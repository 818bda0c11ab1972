import { escapeHtml } from "../../components/html.ts";
import type { ApiContext } from "../api-context.ts";
import { renderDescription } from "../description.ts";
import type { SecurityScheme, Server } from "../endpoint.ts";
import type { ContentView, EndpointView, ResponseView } from "../endpoint-view.ts";
import { authorizationValue } from "../sample/request.ts";
import { fieldSlug } from "../schema/field-slug.ts";
import { fillIn, type ApiWords } from "../words.ts";
import { FieldWriter } from "./fields.ts";
import { sectionHeading } from "./heading.ts";
import { tabSet } from "./tab-set.ts";

/** Everything about an endpoint but its examples, in the order in which it is needed. */
export function endpointHtml(view: EndpointView, context: ApiContext): string {
  const { endpoint } = view;
  const writer = new EndpointWriter(context);
  const description = context.hasDescription
    ? ""
    : renderDescription(
        endpoint.description,
        { place: context.place, hasHeadings: true },
        context.page,
      );
  return [
    description,
    writer.servers(endpoint.servers),
    writer.security(endpoint.security),
    ...writer.exchange(view, 2),
  ].join("");
}

const parameterSections = [
  ["path", "pathParameters", "path-parameters"],
  ["query", "queryParameters", "query-parameters"],
  ["header", "headerParameters", "header-parameters"],
  ["cookie", "cookieParameters", "cookie-parameters"],
] as const;

class EndpointWriter {
  readonly #context: ApiContext;
  readonly #fields: FieldWriter;

  constructor(context: ApiContext) {
    this.#context = context;
    this.#fields = new FieldWriter(context);
  }

  /** Where there is one, the examples say it; where there are several, the reader must know. */
  servers(servers: readonly Server[]): string {
    const { settings, words } = this.#context;
    const isShown = servers.length > 1 || (servers.length === 1 && settings.showsBaseUrl);
    if (!isShown) return "";
    const items = servers.map((server) => `<li>${this.#server(server)}</li>`).join("");
    return `<div class="api-servers"><p class="api-servers-title">${escapeHtml(words.servers)}</p><ul>${items}</ul></div>`;
  }

  #server({ url, description, variables }: Server): string {
    const parts = [`<code>${escapeHtml(url).replaceAll("/", "<wbr>/")}</code>`];
    if (description !== undefined) parts.push(`<span>${escapeHtml(description)}</span>`);
    for (const [name, variable] of Object.entries(variables)) {
      const values = [variable.default, ...variable.values.filter((v) => v !== variable.default)];
      const shown = values.map((value) => `<code>${escapeHtml(value)}</code>`).join(" ");
      const text = variable.description === undefined ? "" : ` ${escapeHtml(variable.description)}`;
      parts.push(`<span><code>{${escapeHtml(name)}}</code>: ${shown}${text}</span>`);
    }
    return parts.join(" ");
  }

  security(alternatives: EndpointView["endpoint"]["security"]): string {
    const { words } = this.#context;
    const needed = alternatives.filter((schemes) => schemes.length > 0);
    if (needed.length === 0) return "";
    const isRequired = needed.length === alternatives.length;
    const or = `<p class="api-or"><span>${escapeHtml(words.or)}</span></p>`;
    const groups = needed.map((schemes) =>
      schemes.map((scheme) => this.#scheme(scheme, isRequired)).join(""),
    );
    const heading = sectionHeading(words.authorization, { id: "authorizations" }, this.#context);
    return heading + groups.join(or);
  }

  #scheme(scheme: SecurityScheme, isRequired: boolean): string {
    const { page, place, words } = this.#context;
    const header = authorizationValue(scheme);
    const name = header === undefined ? (scheme.keyName ?? scheme.name) : "Authorization";
    const where = header === undefined ? scheme.place : "header";
    const id = page.claimId(`authorization-${fieldSlug(name)}`);
    const labels = [
      scheme.type === "mutualTLS" ? "" : label("field-type", "string"),
      where === undefined ? "" : label("field-location", where),
      isRequired ? label("field-required", words.required) : "",
    ];
    const scopes = scheme.scopes.map((scope) => `<code>${escapeHtml(scope)}</code>`).join(" ");
    const said = renderDescription(scheme.description, { place }, page);
    const content = [
      said === "" ? schemeText(scheme, header, words) : said,
      scopes === "" ? "" : `<p class="field-note">${escapeHtml(words.scopes)}: ${scopes}</p>`,
    ].join("");
    return (
      `<div class="field"><div class="field-head" id="${escapeHtml(id)}">` +
      `<a class="field-name" href="#${escapeHtml(id)}"><code>${escapeHtml(name)}</code></a> ` +
      `${labels.filter((part) => part !== "").join(" ")}</div>` +
      `${content === "" ? "" : `<div class="field-content">${content}</div>`}</div>`
    );
  }

  /** Parameters, body, callbacks and responses; also of a callback, one level of headings deeper. */
  exchange(view: EndpointView, depth: number): string[] {
    return [
      ...this.#parameters(view, depth),
      this.#body(view, depth),
      this.#callbacks(view),
      this.#responses(view, depth),
    ];
  }

  #parameters({ parameters }: EndpointView, depth: number): string[] {
    const { words } = this.#context;
    return parameterSections.map(([place, word, id]) => {
      const fields = parameters.get(place) ?? [];
      if (fields.length === 0) return "";
      const html = fields.map((field) =>
        this.#fields.field(field, { isTop: true, alias: "param" }),
      );
      return sectionHeading(words[word], { id, depth }, this.#context) + html.join("");
    });
  }

  #body({ body }: EndpointView, depth: number): string {
    if (body === undefined) return "";
    const { page, place, words } = this.#context;
    const [only, ...others] = body.contents;
    const aside =
      only === undefined || others.length > 0
        ? ""
        : `<span class="api-media">${escapeHtml(only.mediaType)}</span>`;
    const heading = sectionHeading(words.body, { id: "body", depth, aside }, this.#context);
    const text = renderDescription(body.description, { place }, page);
    return heading + text + this.#contents(body.contents, "param");
  }

  /** Media types side by side; a single one has no tab. */
  #contents(contents: readonly ContentView[], alias?: string): string {
    const [only, ...others] = contents;
    if (only === undefined) return "";
    if (others.length === 0) return this.#content(only, alias);
    const panels = contents.map((content, index) => ({
      title: content.mediaType,
      html: this.#content(content, index === 0 ? alias : undefined),
    }));
    return tabSet(panels, "api-tabs");
  }

  #content({ shape }: ContentView, alias: string | undefined): string {
    return shape === undefined ? "" : this.#fields.root(shape, { alias, isTop: true });
  }

  #responses({ responses }: EndpointView, depth: number): string {
    if (responses.length === 0) return "";
    const { page, words } = this.#context;
    const heading = sectionHeading(words.response, { id: "response", depth }, this.#context);
    const panels = responses.map((response) => ({
      id: page.claimId(`response-${fieldSlug(response.status)}`),
      title: response.status,
      html: this.#response(response),
    }));
    return heading + tabSet(panels, "api-tabs");
  }

  #response({ description, headers, contents }: ResponseView): string {
    const { page, place, words } = this.#context;
    const [only, ...others] = contents;
    const media =
      only === undefined || others.length > 0
        ? ""
        : `<p class="api-media">${escapeHtml(only.mediaType)}</p>`;
    const fields = headers.map((header) => this.#fields.field(header, { location: "header" }));
    const shown = [
      media,
      renderDescription(description, { place }, page),
      ...fields,
      this.#contents(contents),
    ].join("");
    return shown === "" ? `<p class="field-note">${escapeHtml(words.noContent)}</p>` : shown;
  }

  #callbacks({ callbacks }: EndpointView): string {
    if (callbacks.length === 0) return "";
    const { page, words } = this.#context;
    const folds = callbacks.map((callback) => {
      const { title, method, path } = callback.endpoint;
      const id = page.claimId(`callback-${fieldSlug(title)}`);
      const line = `<span class="method method-${escapeHtml(method)}">${escapeHtml(method.toUpperCase())}</span> <code>${escapeHtml(path)}</code>`;
      const inside = page.withoutOutline(() => this.exchange(callback, 3).join(""));
      return (
        `<details class="fold accordion" id="${escapeHtml(id)}"><summary><span class="fold-text"><span class="fold-title">${escapeHtml(title)}</span>` +
        `<span class="fold-description">${line}</span></span></summary><div class="fold-content">${inside}</div></details>`
      );
    });
    const heading = sectionHeading(words.callbacks, { id: "callbacks" }, this.#context);
    return `${heading}<div class="accordion-group">${folds.join("")}</div>`;
  }
}

function label(className: string, text: string): string {
  return `<span class="field-label ${className}">${escapeHtml(text)}</span>`;
}

function schemeText({ type }: SecurityScheme, header: string | undefined, words: ApiWords): string {
  const texts: Partial<Record<SecurityScheme["type"], string>> = {
    bearer: words.bearer,
    basic: words.basic,
    oauth2: words.oauth2,
    openIdConnect: words.openIdConnect,
    mutualTLS: words.mutualTls,
  };
  const text = texts[type];
  if (text === undefined) return "";
  return `<p>${fillIn(escapeHtml(text), `<code>${escapeHtml(header ?? "")}</code>`)}</p>`;
}
