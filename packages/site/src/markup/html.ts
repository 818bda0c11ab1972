declare const markup: unique symbol;

/**
 * Text that is markup: every value in it was escaped. It is made by the functions of this file alone, so that
 * raw text where markup belongs does not compile, and neither does joining the two by `+`. Nothing at run time
 * tells it from a string, and it costs no more than one.
 */
export type Html = (string & { readonly [markup]: true }) | "";

/** Markup with values in their places: `` html`<b>${escapeHtml(text)}</b>` ``. */
export function html(parts: TemplateStringsArray, ...values: readonly (Html | number)[]): Html {
  let text = parts[0] ?? "";
  for (let index = 0; index < values.length; index++) {
    text += `${values[index]}${parts[index + 1]}`;
  }
  return text as Html;
}

export function joinHtml(parts: readonly Html[], separator: Html = ""): Html {
  return parts.join(separator) as Html;
}

/** Without blanks at its ends. */
export function trimHtml(content: Html): Html {
  return content.trim() as Html;
}

/** Markup that a library made, or that was taken out of markup. Say at each use why nothing in it is raw. */
export function trustedHtml(text: string): Html {
  return text as Html;
}

const special = /[&<>"\0]/;

/** `text` for use between tags or within a double-quoted attribute. Drops NUL, which HTML cannot hold. */
export function escapeHtml(text: string): Html {
  if (!special.test(text)) return text as Html;
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\0", "") as Html;
}

/**
 * Attributes with a leading blank each, values escaped: ` id="a" open`. `true` gives the bare name;
 * `undefined`, `false` and empty strings are left out.
 */
export function attributes(values: Readonly<Record<string, string | boolean | undefined>>): Html {
  let text = "";
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === false || value === "") continue;
    text += value === true ? ` ${name}` : ` ${name}="${escapeHtml(value)}"`;
  }
  return text as Html;
}

/** The names that are there, joined by blanks. */
export function classNames(...names: readonly (string | false | undefined)[]): string {
  return names.filter((name) => name !== undefined && name !== false && name !== "").join(" ");
}

/** `<name start>content</name>`; `start` is what `attributes` gives. */
export function element(name: string, start: Html, content: Html): Html {
  return `<${name}${start}>${content}</${name}>` as Html;
}

/** `<name start>`, of an element that nothing can stand in. */
export function voidTag(name: string, start: Html): Html {
  return `<${name}${start}>` as Html;
}

/** `<name class="className">content</name>`, and nothing where there is no content. */
export function wrap(name: string, className: string, content: Html): Html {
  return content === "" ? "" : element(name, attributes({ class: className }), content);
}
