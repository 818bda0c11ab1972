import { escapeHtml, trustedHtml, type Html } from "../html.ts";

type WithSlot<Name extends string> = `${string}{${Name}}${string}`;

/** A sentence that holds `{name}` for each of one or two names, in the order that its language asks for. */
export type Template<Name extends string, Other extends string = Name> = WithSlot<Name> &
  WithSlot<Other>;

const slots = /\{(\w+)\}/g;

/** `template` with its names replaced by their values, which are not looked into. */
export function fill<Name extends string>(
  template: WithSlot<Name>,
  values: Readonly<Record<Name, string>>,
): string {
  return template.replaceAll(slots, (_, name: Name) => values[name]);
}

/** Likewise as markup, with markup for its names. */
export function fillHtml<Name extends string>(
  template: WithSlot<Name>,
  values: Readonly<Record<Name, Html>>,
): Html {
  const text = escapeHtml(template);
  return trustedHtml(text.replaceAll(slots, (_, name: Name) => values[name]));
}
