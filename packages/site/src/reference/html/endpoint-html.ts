import {
  renderAddress,
  joinAttributes,
  escapeHtml,
  html,
  joinHtml,
  renderMethodLabel,
  fillHtmlPlaceholders,
  wrapInElement,
} from "../../markup/index.ts";
import type { Html, ApiWords, Template } from "../../markup/index.ts";
import type { AsyncServer, Server, SecurityScheme } from "../../openapi/index.ts";
import type { ApiContext } from "../api-context.ts";
import { renderApiDescription } from "../description.ts";
import type {
  ContentView,
  EndpointView,
  ResponseView,
  ChannelView,
  OperationView,
  MessageView,
} from "../endpoint-view.ts";
import { createFieldIdPart } from "../schema/shape.ts";
import { findAuthorization } from "../sample/request.ts";
import { FieldWriter } from "./fields.ts";
import {
  renderCode,
  joinWithSpaces,
  renderFieldLabel,
  renderNote,
  renderSectionHeading,
  renderTabSet,
  renderLabeledNote,
} from "./markup.ts";

/** Renders the page's own content, then everything about an endpoint except its examples. */
export function renderEndpointHtml(view: EndpointView, context: ApiContext): Html {
  const { description, security } = view.endpoint;
  return joinHtml([
    renderIntroduction(description, context),
    context.renderPageContent(),
    renderServerList(view, context),
    renderSecurity(security, context),
    new ExchangeWriter(context).renderSections(view, 2),
  ]);
}

/** Renders the API's description, unless the page has its own. */
export function renderIntroduction(description: string | undefined, context: ApiContext): Html {
  if (context.hasDescription) return "";
  return renderApiDescription(
    description,
    { position: context.position, hasHeadings: true },
    context.page,
  );
}

/** Lists the servers. A single server without other details is omitted, because examples show its address. */
function renderServerList({ endpoint }: EndpointView, context: ApiContext): Html {
  const hasDetails = endpoint.servers.some(
    ({ description, variables }) => description !== undefined || Object.keys(variables).length > 0,
  );
  const isShown = endpoint.servers.length > 1 || hasDetails || context.settings.showsBaseUrl;
  return isShown ? renderServers(endpoint.servers, context) : "";
}

/** Renders the heading of a section, given its text, its id and the HTML beside it. */
type WriteHeading = (text: string, id: string, aside?: Html) => Html;

const parameterSections = [
  ["path", "pathParameters", "path-parameters"],
  ["query", "queryParameters", "query-parameters"],
  ["header", "headerParameters", "header-parameters"],
  ["cookie", "cookieParameters", "cookie-parameters"],
] as const;

/** Renders the request and the responses of an endpoint or a callback. */
class ExchangeWriter {
  readonly #context: ApiContext;
  readonly #fields: FieldWriter;

  constructor(context: ApiContext) {
    this.#context = context;
    this.#fields = new FieldWriter(context);
  }

  /** Renders all sections. `depth` is the level of their headings. */
  renderSections(view: EndpointView, depth: number): Html {
    const heading = (text: string, id: string, aside: Html = "") =>
      renderSectionHeading(text, { id: view.prefix + id, depth, aside }, this.#context);
    return joinHtml([
      ...this.#renderParameters(view, heading),
      this.#renderBody(view, heading),
      this.#renderCallbacks(view),
      this.#renderResponses(view, heading),
    ]);
  }

  #renderParameters({ parameters, prefix }: EndpointView, heading: WriteHeading): Html[] {
    const marks = prefix === "" ? { isTop: true, alias: "param" } : {};
    return parameterSections.map(([location, word, id]) => {
      const fields = parameters.get(location) ?? [];
      if (fields.length === 0) return "";
      const title = heading(this.#context.words[word], id);
      return joinHtml([title, ...fields.map((field) => this.#fields.renderField(field, marks))]);
    });
  }

  #renderBody({ body, prefix }: EndpointView, heading: WriteHeading): Html {
    if (body === undefined) return "";
    const { page, position, words } = this.#context;
    const alias = prefix === "" ? "param" : undefined;
    return joinHtml([
      heading(words.body, "body", renderMediaAside(body.contents)),
      renderApiDescription(body.description, { position }, page),
      this.#renderContents(body.contents, alias),
    ]);
  }

  /** Renders media types as tabs. A single media type has no tab. */
  #renderContents(contents: readonly ContentView[], alias?: string): Html {
    const [first, ...others] = contents;
    if (first === undefined) return "";
    const firstContent = this.#renderContent(first, alias);
    if (others.length === 0) return firstContent;
    const panels = others.map((content) => ({
      title: content.mediaType,
      html: this.#renderContent(content),
    }));
    return renderTabSet([{ title: first.mediaType, html: firstContent }, ...panels]);
  }

  #renderContent({ shape }: ContentView, alias?: string): Html {
    return shape === undefined ? "" : this.#fields.renderRoot(shape, { alias, isTop: true });
  }

  #renderResponses({ responses, prefix }: EndpointView, heading: WriteHeading): Html {
    if (responses.length === 0) return "";
    const { page, words } = this.#context;
    const title = heading(words.response, "response");
    const panels = responses.map((response) => ({
      id: page.ids.claim(`${prefix}response-${createFieldIdPart(response.status)}`),
      title: response.status,
      html: this.#renderResponse(response),
    }));
    return html`${title}${renderTabSet(panels)}`;
  }

  #renderResponse({ description, headers, contents }: ResponseView): Html {
    const { page, position, words } = this.#context;
    const content = joinHtml([
      renderMediaAside(contents),
      renderApiDescription(description, { position }, page),
      ...headers.map((header) => this.#fields.renderField(header, { location: "header" })),
      this.#renderContents(contents),
    ]);
    return content === "" ? renderNote(escapeHtml(words.noContent)) : content;
  }

  #renderCallbacks({ callbacks }: EndpointView): Html {
    if (callbacks.length === 0) return "";
    const { page, position, words } = this.#context;
    const heading = renderSectionHeading(words.callbacks, { id: "callbacks" }, this.#context);
    const folds = callbacks.map((callback) => {
      const { title, method, path, description, isDeprecated } = callback.endpoint;
      const id = page.ids.claim(`callback-${createFieldIdPart(title)}`);
      const line = joinWithSpaces([
        renderMethodLabel(method, method.toUpperCase()),
        renderCode(path),
        isDeprecated ? renderFieldLabel("field-deprecated", words.deprecated) : "",
      ]);
      const descriptionHtml = renderApiDescription(description, { position }, page);
      const content = html`${descriptionHtml}${page.outline.renderUnlisted(() => this.renderSections(callback, 3))}`;
      const name = html`<span class="fold-title">${escapeHtml(title)}</span>`;
      const text = html`<span class="fold-text">${name}<span class="fold-description">${line}</span></span>`;
      const attributes = joinAttributes({ class: "fold accordion", id });
      return html`<details${attributes}><summary>${text}</summary><div class="fold-content">${content}</div></details>`;
    });
    return html`${heading}<div class="accordion-group">${joinHtml(folds)}</div>`;
  }
}

/** Renders the media type of a body that has only one media type. Several media types are rendered as tabs instead. */
function renderMediaAside([only, ...others]: readonly ContentView[]): Html {
  if (only === undefined || others.length > 0) return "";
  return html`<span class="api-media">${escapeHtml(only.mediaType)}</span>`;
}

/** Renders the addresses of an API, with the values of their variables. */
function renderServers(servers: readonly (Server | AsyncServer)[], { words }: ApiContext): Html {
  if (servers.length === 0) return "";
  const items = joinHtml(servers.map((server) => html`<li>${renderServer(server)}</li>`));
  return html`<div class="api-servers"><p class="api-servers-title">${escapeHtml(words.servers)}</p><ul>${items}</ul></div>`;
}

function renderServer(server: Server | AsyncServer): Html {
  const { url, description, variables } = server;
  const parts: Html[] = [
    "protocol" in server ? renderFieldLabel("", server.protocol) : "",
    renderAddress(url),
  ];
  if (description !== undefined) parts.push(html`<span>${escapeHtml(description)}</span>`);
  for (const [name, variable] of Object.entries(variables)) {
    const values = new Set([variable.default, ...variable.values]);
    const valueCodes = joinWithSpaces(Array.from(values, (value) => renderCode(value)));
    const text =
      variable.description === undefined ? "" : html` ${escapeHtml(variable.description)}`;
    parts.push(html`<span>${renderCode(`{${name}}`)}: ${valueCodes}${text}</span>`);
  }
  return joinWithSpaces(parts);
}

/** Renders the page's own content, then a channel with its messages, without the messages' examples. */
export function renderChannelHtml(view: ChannelView, context: ApiContext): Html {
  const { address, description, servers, security } = view.channel;
  const writer = new ChannelWriter(context);
  return joinHtml([
    html`<div class="operation">${renderCode(address)}</div>`,
    renderIntroduction(description, context),
    context.renderPageContent(),
    renderServers(servers, context),
    renderSecurity(security, context),
    writer.renderParameters(view),
    ...view.operations.map((operation) => writer.renderOperation(operation)),
  ]);
}

class ChannelWriter {
  readonly #context: ApiContext;
  readonly #fields: FieldWriter;

  constructor(context: ApiContext) {
    this.#context = context;
    this.#fields = new FieldWriter(context);
  }

  renderParameters({ parameters }: ChannelView): Html {
    if (parameters.length === 0) return "";
    const { words } = this.#context;
    const heading = renderSectionHeading(words.parameters, { id: "parameters" }, this.#context);
    const marks = { isTop: true, alias: "param" };
    return joinHtml([
      heading,
      ...parameters.map((field) => this.#fields.renderField(field, marks)),
    ]);
  }

  renderOperation({ action, title, description, messages }: OperationView): Html {
    const { page, position, words } = this.#context;
    const word = action === "send" ? words.send : words.receive;
    const badge = renderMethodLabel(action, word);
    const id = `${action}-${createFieldIdPart(title)}`;
    const heading = renderSectionHeading(title, { id, before: badge }, this.#context);
    const text = renderApiDescription(description, { position }, page);
    const [only, ...others] = messages;
    if (only === undefined) return html`${heading}${text}`;
    if (others.length === 0) {
      const message = this.#renderMessage(only);
      return html`${heading}${text}${only.title === title ? message : renderPart(only.title, message)}`;
    }
    const panels = messages.map((message) => ({
      id: page.ids.claim(message.anchor),
      title: message.title,
      html: this.#renderMessage(message),
    }));
    return html`${heading}${text}${renderTabSet(panels)}`;
  }

  #renderMessage({ description, contentType, headers, payload }: MessageView): Html {
    const { page, position, words } = this.#context;
    return joinHtml([
      html`<span class="api-media">${escapeHtml(contentType)}</span>`,
      renderApiDescription(description, { position }, page),
      headers === undefined ? "" : renderPart(words.headers, this.#fields.renderRoot(headers)),
      payload === undefined ? "" : renderPart(words.payload, this.#fields.renderRoot(payload)),
    ]);
  }
}

function renderPart(word: string, content: Html): Html {
  return content === "" ? "" : html`<p class="api-part">${escapeHtml(word)}</p>${content}`;
}

/** Renders the authentication methods of an endpoint or a channel. A line with the word "or" separates alternatives. */
export function renderSecurity(
  alternatives: readonly (readonly SecurityScheme[])[],
  context: ApiContext,
): Html {
  const { words } = context;
  const requiredAlternatives = alternatives.filter((schemes) => schemes.length > 0);
  if (requiredAlternatives.length === 0) return "";
  const isRequired = requiredAlternatives.length === alternatives.length;
  const or = html`<p class="api-or"><span>${escapeHtml(words.or)}</span></p>`;
  const heading = renderSectionHeading(words.authorization, { id: "authorizations" }, context);
  const groups = requiredAlternatives.map((schemes) =>
    joinHtml(schemes.map((scheme) => renderScheme(scheme, isRequired, context))),
  );
  return html`${heading}${joinHtml(groups, or)}`;
}

function renderScheme(scheme: SecurityScheme, isRequired: boolean, context: ApiContext): Html {
  const { page, position, words } = context;
  const header = findAuthorization(scheme);
  const name = header === undefined ? (scheme.keyName ?? scheme.name) : "Authorization";
  const location = header === undefined ? scheme.location : "header";
  const id = escapeHtml(page.ids.claim(`authorization-${createFieldIdPart(name)}`));
  const labels: Html[] = [
    scheme.type === "mutualTLS" ? "" : renderFieldLabel("field-type", "string"),
    location === undefined ? "" : renderFieldLabel("field-location", location),
    scheme.format === undefined ? "" : renderFieldLabel("", scheme.format),
    isRequired ? renderFieldLabel("field-required", words.required) : "",
  ];
  const descriptionHtml = renderApiDescription(scheme.description, { position }, page);
  const usage = descriptionHtml === "" ? renderUsage(scheme, header, words) : descriptionHtml;
  const addresses = Object.entries(scheme.addresses ?? {}).map(([key, address]) =>
    renderLabeledNote(key, renderCode(address)),
  );
  const content = html`${usage}${renderScopes(scheme, words)}${joinHtml(addresses)}`;
  const link = html`<a class="field-name" href="#${id}">${renderCode(name)}</a>`;
  const head = html`<div class="field-head" id="${id}">${link} ${joinWithSpaces(labels)}</div>`;
  return html`<div class="field">${head}${wrapInElement("div", "field-content", content)}</div>`;
}

/** Renders the scopes that the operation requires. If any scope has a description, each scope is on a separate line. */
function renderScopes({ scopes, scopeDescriptions = {} }: SecurityScheme, words: ApiWords): Html {
  if (scopes.length === 0) return "";
  const parts = scopes.map((scope) => {
    const description = Object.hasOwn(scopeDescriptions, scope)
      ? scopeDescriptions[scope]
      : undefined;
    return { code: renderCode(scope), description };
  });
  const isPlain = parts.every(({ description }) => description === undefined);
  if (isPlain)
    return renderLabeledNote(words.scopes, joinWithSpaces(parts.map(({ code }) => code)));
  const lines = parts.map(({ code, description = "" }) =>
    description === "" ? code : html`${code}: ${escapeHtml(description)}`,
  );
  return renderLabeledNote(words.scopes, joinHtml(lines, html`<br>`));
}

/** Renders general instructions for the type of a scheme, for descriptions that do not contain any. */
function renderUsage({ type }: SecurityScheme, header: string | undefined, words: ApiWords): Html {
  if (type === "mutualTLS") return html`<p class="api-usage">${escapeHtml(words.mutualTls)}</p>`;
  const texts: Partial<Record<SecurityScheme["type"], Template<"header">>> = {
    bearer: words.bearer,
    basic: words.basic,
    oauth2: words.oauth2,
    openIdConnect: words.openIdConnect,
  };
  const text = texts[type];
  return text === undefined
    ? ""
    : html`<p class="api-usage">${fillHtmlPlaceholders(text, { header: renderCode(header ?? "") })}</p>`;
}
