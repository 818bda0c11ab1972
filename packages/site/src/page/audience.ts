import type { Value } from "./value.ts";

/** The Markdown of a `Visibility`: agents read it, so content for readers of the page is not in it. */
export function markdownForAgents({
  values,
  markdown,
}: {
  readonly values: ReadonlyMap<string, Value>;
  /** What stands in the element; its first line begins where the text does. */
  readonly markdown: () => string;
}): string {
  const audience = values.get("for");
  const isForReaders = typeof audience === "string" && audience.trim().toLowerCase() === "humans";
  return isForReaders ? "" : withoutIndent(markdown());
}

/** Takes off the white space that every line but the first begins with. */
function withoutIndent(text: string): string {
  const [first = "", ...lines] = text.split("\n");
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const indent = indents.reduce((min, width) => Math.min(min, width), Number.MAX_SAFE_INTEGER);
  return [first, ...lines.map((line) => line.slice(indent))].join("\n");
}
