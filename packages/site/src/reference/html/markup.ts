import {
  attributes,
  classNames,
  element,
  escapeHtml,
  html,
  joinHtml,
  trustedHtml,
  wrap,
  type Html,
} from "../../markup/index.ts";

/** Small pieces of the fields' markup. */

export function label(className: string, text: string): Html {
  const start = attributes({ class: classNames("field-label", className) });
  return html`<span${start}>${escapeHtml(text)}</span>`;
}

export function code(text: string): Html {
  return html`<code>${escapeHtml(text)}</code>`;
}

/** The method of a request, or what is done with a message, in its colour. */
export function methodBadge(method: string, word: string): Html {
  return element("span", attributes({ class: `method method-${method}` }), escapeHtml(word));
}

/** A line below a field's description: `Options: a b`. */
export function note(content: Html): Html {
  return wrap("p", "field-note", content);
}

export function wordNote(word: string, content: Html): Html {
  return note(html`${escapeHtml(word)}: ${content}`);
}

const slash = /(?<!\/)\/(?!\/)/g;

/** An address that may break at its slashes. */
export function addressCode(address: string): Html {
  // No slash of what is escaped stands in a tag.
  const breakable = trustedHtml(escapeHtml(address).replaceAll(slash, "<wbr>/"));
  return html`<code>${breakable}</code>`;
}

/** Those of the parts that say something, with a blank between them. */
export function spaced(parts: readonly Html[]): Html {
  return joinHtml(
    parts.filter((part) => part !== ""),
    html` `,
  );
}
