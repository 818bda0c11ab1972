import { escapeHtml, trustHtml } from "../html.ts";
import type { Html } from "../html.ts";

type WithSlot<Name extends string> = `${string}{${Name}}${string}`;

/**
 * A sentence that contains a placeholder such as `{name}` for each of one or two names, in the order that its language
 * requires.
 */
export type Template<Name extends string, Other extends string = Name> = WithSlot<Name> &
  WithSlot<Other>;

const slots = /\{(\w+)\}/g;

/** Replaces the names in `template` with their values. Names inside values are not replaced. */
export function fillPlaceholders<Name extends string>(
  template: WithSlot<Name>,
  values: Readonly<Record<Name, string>>,
): string {
  return template.replaceAll(slots, (_, name: Name) => values[name]);
}

/** Works like `fillPlaceholders`, but the values are markup, and the text of the template is escaped. */
export function fillHtmlPlaceholders<Name extends string>(
  template: WithSlot<Name>,
  values: Readonly<Record<Name, Html>>,
): Html {
  const text = escapeHtml(template);
  return trustHtml(text.replaceAll(slots, (_, name: Name) => values[name]));
}
