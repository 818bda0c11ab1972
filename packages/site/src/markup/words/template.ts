import { escapeHtml, trustHtml } from "../html.ts";
import type { Html } from "../html.ts";

type WithSlot<Name extends string> = `${string}{${Name}}${string}`;

/** A sentence with `{name}` for each of one or two names, in the order of its language. */
export type Template<Name extends string, Other extends string = Name> = WithSlot<Name> &
  WithSlot<Other>;

const slots = /\{(\w+)\}/g;

/** Replaces the names in `template` with their values; names inside values are not replaced. */
export function fillPlaceholders<Name extends string>(
  template: WithSlot<Name>,
  values: Readonly<Record<Name, string>>,
): string {
  return template.replaceAll(slots, (_, name: Name) => values[name]);
}

/** Like `fill`, but with markup as values; escapes the rest of the template. */
export function fillHtmlPlaceholders<Name extends string>(
  template: WithSlot<Name>,
  values: Readonly<Record<Name, Html>>,
): Html {
  const text = escapeHtml(template);
  return trustHtml(text.replaceAll(slots, (_, name: Name) => values[name]));
}
