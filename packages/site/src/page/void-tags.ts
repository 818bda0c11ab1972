import { readFenceLine, type OpenFence } from "../text/index.ts";

const voidNames = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);

/** Whether an element of HTML has no content and no end. */
export function isVoidElement(name: string): boolean {
  return voidNames.has(name.toLowerCase());
}

/** Whether a void element whose tag ends at `end` lacks the closing tag that some write: `<br></br>` is MDX. */
export function isUnclosedVoid(name: string, text: string, end: number): boolean {
  return isVoidElement(name) && !text.startsWith(`</${name}>`, end);
}

/**
 * `text` with a slash in every `<br>`, `<img ...>`, ... outside code, where `name` is such an element
 * and any was found; else undefined. Columns move by one behind each.
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
