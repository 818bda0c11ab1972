/** A title for what has none: `getting-started` becomes `Getting started`. */
export function titleFromPath(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const words = name.replace(/[-_\s]+/g, " ").trim();
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** A heading is not longer than this; what stands behind it on a line is not looked at. */
const lineLength = 1_000;
const fencePattern = /^ {0,3}(`{3,}|~{3,})/;
const headingPattern = /^ {0,3}#{1,6}[ \t]+(\S.*)$/;
const htmlHeadingPattern = /<h1\b[^>]*>([^<]{1,300})<\/h1>/i;

/**
 * The text of the first heading of a Markdown body, or undefined; headings in code do not count.
 * Reads `# Title`, a line underlined by `=` and `<h1>`, the ways in which a README begins.
 */
export function firstHeading(body: string): string | undefined {
  let fence = "";
  let previous = "";
  for (const fullLine of body.split(/\r?\n/)) {
    const line = fullLine.slice(0, lineLength);
    const marker = fencePattern.exec(line)?.[1];
    if (marker !== undefined && (fence === "" || marker.startsWith(fence))) {
      fence = fence === "" ? marker : "";
    } else if (fence === "") {
      const heading = headingOf(line, previous);
      if (heading) return heading;
    }
    previous = line;
  }
  return undefined;
}

function headingOf(line: string, previous: string): string | undefined {
  const underlined = /^=+[ \t]*$/.test(line) ? previous : undefined;
  const text = headingPattern.exec(line)?.[1] ?? htmlHeadingPattern.exec(line)?.[1] ?? underlined;
  return text === undefined ? undefined : plainText(text);
}

/** Inline Markdown as plain text: what links, pictures, code and emphasis say. */
function plainText(markdown: string): string {
  return markdown
    .replace(/\s#+\s*$/, "")
    .replace(/\{#[^{}]*\}\s*$/, "")
    .replace(/!\[[^[\]]*\]\([^()]*\)/g, "")
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replace(/<[^<>]*>/g, "")
    .replace(/[`*]|\b__|__\b/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
