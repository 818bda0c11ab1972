import type { ElementNode, MarkdownNode } from "../page/index.ts";

/** The five alerts of GitHub's Markdown, by the callouts that look like them. */
const callouts: ReadonlyMap<string, string> = new Map([
  ["NOTE", "Note"],
  ["TIP", "Tip"],
  ["IMPORTANT", "Info"],
  ["WARNING", "Warning"],
  ["CAUTION", "Danger"],
]);

/** The marker of an alert, on a line of its own. */
const mark = /^\[!([A-Z]{3,9})\][ \t]*(?:\n|$)/i;

/** Converts a quote that begins with `[!NOTE]` or the like to its callout; undefined for any other quote. */
export function alertOf(quote: MarkdownNode<"blockquote">): ElementNode | undefined {
  const [first, ...rest] = quote.children;
  if (first?.type !== "paragraph") return undefined;
  const [text, ...words] = first.children;
  if (text?.type !== "text") return undefined;
  const [start = "", kind = ""] = mark.exec(text.value) ?? [];
  const name = callouts.get(kind.toUpperCase());
  if (name === undefined) return undefined;
  const left = text.value.slice(start.length);
  const line = left === "" ? words : [{ ...text, value: left }, ...words];
  const children = line.length === 0 ? rest : [{ ...first, children: line }, ...rest];
  return { type: "element", name, props: {}, children, isFlow: true, place: quote.place };
}
