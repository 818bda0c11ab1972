import { escapeHtml, html, joinHtml, type Html, renderMethodLabel } from "../../markup/index.ts";
import type { ApiContext } from "../api-context.ts";
import type { ChannelView, MessageView, OperationView } from "../channel-view.ts";
import { renderApiDescription } from "../description.ts";
import { createFieldIdPart } from "../schema/shape.ts";
import { renderIntroduction, renderServers } from "./endpoint-html.ts";
import { FieldWriter } from "./fields.ts";
import { renderCode, renderSectionHeading, renderTabSet } from "./markup.ts";
import { renderSecurity } from "./security.ts";

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
    writer.parameters(view),
    ...view.operations.map((operation) => writer.operation(operation)),
  ]);
}

class ChannelWriter {
  readonly #context: ApiContext;
  readonly #fields: FieldWriter;

  constructor(context: ApiContext) {
    this.#context = context;
    this.#fields = new FieldWriter(context);
  }

  parameters({ parameters }: ChannelView): Html {
    if (parameters.length === 0) return "";
    const { words } = this.#context;
    const heading = renderSectionHeading(words.parameters, { id: "parameters" }, this.#context);
    const marks = { isTop: true, alias: "param" };
    return joinHtml([heading, ...parameters.map((field) => this.#fields.field(field, marks))]);
  }

  operation({ action, title, description, messages }: OperationView): Html {
    const { page, place, words } = this.#context;
    const word = action === "send" ? words.send : words.receive;
    const badge = renderMethodLabel(action, word);
    const id = `${action}-${createFieldIdPart(title)}`;
    const heading = renderSectionHeading(title, { id, before: badge }, this.#context);
    const text = renderApiDescription(description, { place }, page);
    const [only, ...others] = messages;
    if (only === undefined) return html`${heading}${text}`;
    if (others.length === 0) {
      const message = this.#message(only);
      return html`${heading}${text}${only.title === title ? message : part(only.title, message)}`;
    }
    const panels = messages.map((message) => ({
      id: page.ids.claim(message.anchor),
      title: message.title,
      html: this.#message(message),
    }));
    return html`${heading}${text}${renderTabSet(panels)}`;
  }

  #message({ description, contentType, headers, payload }: MessageView): Html {
    const { page, place, words } = this.#context;
    return joinHtml([
      html`<span class="api-media">${escapeHtml(contentType)}</span>`,
      renderApiDescription(description, { place }, page),
      headers === undefined ? "" : part(words.headers, this.#fields.root(headers)),
      payload === undefined ? "" : part(words.payload, this.#fields.root(payload)),
    ]);
  }
}

function part(word: string, content: Html): Html {
  return content === "" ? "" : html`<p class="api-part">${escapeHtml(word)}</p>${content}`;
}
