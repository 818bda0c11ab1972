import { readFenceLine, type OpenFence } from "../text/index.ts";

const voidNames = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);

/** Whether `name` is a void element of HTML: one without content and closing tag. */
export function isVoidElement(name: string): boolean {
  return voidNames.has(name.toLowerCase());
}

/** Whether a void element whose tag ends at `end` has no closing tag; `<br></br>` is valid MDX. */
export function isUnclosedVoid(name: string, text: string, end: number): boolean {
  return isVoidElement(name) && !text.startsWith(`</${name}>`, end);
}

/**
 * Adds a slash to every unclosed void element (`<br>`, `<img ...>`) outside code. Undefined if `name` is not a
 * void element or nothing changed. Columns after each slash shift by one.
 */
export function closeVoidTags(text: string, name: string): string | undefined {
  if (!isVoidElement(name)) return undefined;
  const lines = text.split("\n");
  let fence: OpenFence | undefined;
  let isChanged = false;
  for (const [index, line] of lines.entries()) {
    const read = readFenceLine(line, fence);
    fence = read.open;
    if (read.isCode || !line.includes("<")) continue;
    const closed = line
      .split(/(`+[^`]*`+)/)
      .map((part) => (part.startsWith("`") ? part : closeIn(part)))
      .join("");
    if (closed !== line) isChanged = true;
    lines[index] = closed;
  }
  return isChanged ? lines.join("\n") : undefined;
}

const openTag = /<([a-z]{2,6})((?:[ \t][^<>{}]*)?)>/gi;

function closeIn(part: string): string {
  return part.replace(openTag, (tag: string, name: string, rest: string, offset: number) =>
    isUnclosedVoid(name, part, offset + tag.length) && !rest.endsWith("/")
      ? `<${name}${rest}/>`
      : tag,
  );
}
