const hexColor = /^#?([\da-f]{3}|[\da-f]{4}|[\da-f]{6}|[\da-f]{8})$/i;
const namedColor = /^[a-z]{3,24}$/i;
const colorFunction = /^(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)\([\w\s.,%/+-]{1,80}\)$/i;
const colorVariable = /^var\(--[\w-]{1,60}\)$/;

/**
 * A colour that is safe in a `style` attribute: hex with or without `#`, a name, a colour function or
 * a custom property. Undefined for everything else, so that no declaration can be injected.
 */
export function cssColor(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  const digits = hexColor.exec(text)?.[1];
  if (digits !== undefined) return `#${digits}`;
  const isColor = namedColor.test(text) || colorFunction.test(text) || colorVariable.test(text);
  return isColor ? text : undefined;
}
