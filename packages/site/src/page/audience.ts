import type { Value } from "./script/value.ts";

/** The Markdown of a `Visibility` element. Agents read it, so it omits content meant for people. */
export function markdownForAgents({
  values,
  markdown,
}: {
  readonly values: ReadonlyMap<string, Value>;
  /** The element's content; its first line begins with text, not with white space. */
  readonly markdown: () => string;
}): string {
  const audience = values.get("for");
  const isForReaders = typeof audience === "string" && audience.trim().toLowerCase() === "humans";
  return isForReaders ? "" : withoutIndent(markdown());
}

/** Removes the indentation that all lines but the first have in common. */
function withoutIndent(text: string): string {
  const [first = "", ...lines] = text.split("\n");
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const indent = indents.reduce((min, width) => Math.min(min, width), Number.MAX_SAFE_INTEGER);
  return [first, ...lines.map((line) => line.slice(indent))].join("\n");
}
