import { markdownToMdast } from "satteri";

const reference = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z][a-zA-Z\d]{1,31});/g;

/** `text` with character references (`&amp;`, `&#8212;`) decoded. */
export function decodeEntities(text: string): string {
  return text.includes("&") ? text.replace(reference, decode) : text;
}

/** The Markdown parser has the table of all 2,231 names. */
function decode(name: string): string {
  const root = markdownToMdast(name, { position: false });
  const paragraph = "children" in root ? root.children[0] : undefined;
  const text = paragraph && "children" in paragraph ? paragraph.children[0] : undefined;
  return text?.type === "text" ? text.value : name;
}
