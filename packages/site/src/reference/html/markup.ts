import {
  attributes,
  classNames,
  escapeHtml,
  html,
  joinHtml,
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

/** A line below a field's description: `Options: a b`. */
export function note(content: Html): Html {
  return wrap("p", "field-note", content);
}

export function labelledNote(word: string, content: Html): Html {
  return note(html`${escapeHtml(word)}: ${content}`);
}

/** The parts that are not empty, separated by spaces. */
export function joinSpaced(parts: readonly Html[]): Html {
  return joinHtml(
    parts.filter((part) => part !== ""),
    html` `,
  );
}
