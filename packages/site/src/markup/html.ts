const special = /[&<>"\0]/;

/** `text` for use between tags or within a double-quoted attribute. Drops NUL, which HTML cannot hold. */
export function escapeHtml(text: string): string {
  if (!special.test(text)) return text;
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\0", "");
}

/**
 * Attributes with a leading blank each, values escaped: ` id="a" open`. `true` gives the bare name;
 * `undefined`, `false` and empty strings are left out.
 */
export function attributes(values: Readonly<Record<string, string | boolean | undefined>>): string {
  let html = "";
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === false || value === "") continue;
    html += value === true ? ` ${name}` : ` ${name}="${escapeHtml(value)}"`;
  }
  return html;
}

/** The names that are there, joined by blanks. */
export function classNames(...names: readonly (string | false | undefined)[]): string {
  return names.filter((name) => name !== undefined && name !== false && name !== "").join(" ");
}

/** `<name class="className">content</name>`, and nothing where there is no content. */
export function wrap(name: string, className: string, content: string): string {
  return content === "" ? "" : `<${name} class="${className}">${content}</${name}>`;
}
