import {
  attributes,
  classNames,
  element,
  escapeHtml,
  html,
  joinHtml,
  replaceHtml,
  wrap,
  type Html,
} from "../../markup/index.ts";

/** A small label in a field's head. */

export function label(className: string, text: string): Html {
  const start = attributes({ class: classNames("field-label", className) });
  return html`<span${start}>${escapeHtml(text)}</span>`;
}

export function codeElement(text: string): Html {
  return html`<code>${escapeHtml(text)}</code>`;
}

/** The method of a request, or the action on a message, in its colour. */
export function methodLabel(method: string, word: string): Html {
  return element("span", attributes({ class: `method method-${method}` }), escapeHtml(word));
}

/** A line below a field's description: `Options: a b`. */
export function note(content: Html): Html {
  return wrap("p", "field-note", content);
}

export function labelledNote(word: string, content: Html): Html {
  return note(html`${escapeHtml(word)}: ${content}`);
}

const slash = /(?<!\/)\/(?!\/)/g;

/** An address that may break at its slashes. */
export function addressCode(address: string): Html {
  return html`<code>${replaceHtml(escapeHtml(address), slash, html`<wbr>/`)}</code>`;
}

/** The parts that are not empty, separated by spaces. */
export function joinSpaced(parts: readonly Html[]): Html {
  return joinHtml(
    parts.filter((part) => part !== ""),
    html` `,
  );
}
