declare const markup: unique symbol;

/**
 * Markup in HTML, or in the XML of feeds and sitemaps, in which every value is escaped. Only the functions in this file
 * create markup. Using raw text as markup, or joining text and markup with `+`, therefore causes a compile error. At
 * run time, markup is a plain string.
 */
export type Html = (string & { readonly [markup]: true }) | "";

/** Text to be escaped, which is any string except markup. Escaping text twice therefore causes a compile error. */
type RawText = string & { readonly [markup]?: never };

/** Creates markup from a template, e.g. `` html`<b>${escapeHtml(text)}</b>` ``. */
export function html(parts: TemplateStringsArray, ...values: readonly (Html | number)[]): Html {
  let text = parts[0] ?? "";
  for (let index = 0; index < values.length; index++) {
    text += values[index];
    text += parts[index + 1];
  }
  return text as Html;
}

export function joinHtml(parts: readonly Html[], separator: Html = ""): Html {
  // `join` is not used because it would copy every part at each level of nesting.
  let text: string = parts[0] ?? "";
  for (let index = 1; index < parts.length; index++) text += separator + parts[index];
  return text as Html;
}

/**
 * Replaces each occurrence of `part`. A pattern must match either whole tags, or only text outside tags and character
 * references.
 */
export function replaceHtml(content: Html, part: Html | RegExp, replacement: Html): Html {
  return content.replaceAll(part, () => replacement) as Html;
}

/** Removes leading and trailing white space. */
export function trimHtml(content: Html): Html {
  return content.trim() as Html;
}

/**
 * Marks text as markup. Use this function for text that a library generated or that is a part of markup, and explain at
 * each use why this is safe.
 */
export function trustHtml(text: string): Html {
  return text as Html;
}

const specialCharacter = /[&<>"\0]/;

/** Escapes text for use between tags or in a double-quoted attribute. Drops NUL, which is invalid in HTML. */
export function escapeHtml(text: RawText): Html {
  if (!specialCharacter.test(text)) return text as Html;
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\0", "") as Html;
}

/**
 * Formats attributes, each with a leading space and an escaped value, e.g. ` id="a" open`. `true` produces only the
 * name. `undefined`, `false` and empty strings are omitted.
 */
export function joinAttributes(
  values: Readonly<Record<string, RawText | boolean | undefined>>,
): Html {
  let text = "";
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === false || value === "") continue;
    text += value === true ? ` ${name}` : ` ${name}="${escapeHtml(value)}"`;
  }
  return text as Html;
}

/** Joins names with spaces. Omits `undefined`, `false` and empty names. */
export function joinClassNames(...names: readonly (string | false | undefined)[]): string {
  return names.filter((name) => name !== undefined && name !== false && name !== "").join(" ");
}

/** Returns `<name attributes>content</name>`. `attributes` is a result of `joinAttributes`. */
export function buildElement(name: string, attributes: Html, content: Html): Html {
  return `<${name}${attributes}>${content}</${name}>` as Html;
}

/** Returns `<name attributes>` for a void element. */
export function buildVoidTag(name: string, attributes: Html): Html {
  return `<${name}${attributes}>` as Html;
}

/** Returns `<name class="className">content</name>`, or an empty string if there is no content. */
export function wrapInElement(name: string, className: string, content: Html): Html {
  return content === "" ? "" : buildElement(name, joinAttributes({ class: className }), content);
}

/** Escapes text for XML and HTML, including attributes with quotation marks of either kind. */
export function escapeXml(text: RawText): Html {
  return replaceHtml(escapeHtml(text), html`'`, html`&#39;`);
}

const hexColor = /^#?([\da-f]{3}|[\da-f]{4}|[\da-f]{6}|[\da-f]{8})$/i;
const namedColor = /^[a-z]{3,24}$/i;
const colorFunction = /^(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)\([\w\s.,%/+-]{1,80}\)$/i;
const colorVariable = /^var\(--[\w-]{1,60}\)$/;

/**
 * Returns a color that is safe in a `style` attribute. Accepts a hexadecimal color with or without `#`, a name, a color
 * function or a custom property. Returns undefined for any other value, so that no declaration can be injected.
 */
export function parseCssColor(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  const digits = hexColor.exec(text)?.[1];
  if (digits !== undefined) return `#${digits}`;
  const isColor = namedColor.test(text) || colorFunction.test(text) || colorVariable.test(text);
  return isColor ? text : undefined;
}
