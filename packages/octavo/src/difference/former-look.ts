import { getAttribute, getClasses } from "./dom.ts";
import type { Block } from "./read-blocks.ts";

const names: Readonly<Record<string, string>> = {
  p: "a paragraph",
  ul: "a bulleted list",
  ol: "a numbered list",
  li: "an item of a list",
  blockquote: "a quotation",
  table: "a table",
  pre: "code",
  h1: "a title",
  h2: "a heading of level 2",
  h3: "a heading of level 3",
  h4: "a heading of level 4",
  h5: "a heading of level 5",
  h6: "a heading of level 6",
};

/** Describes how a block looked before, for one that now looks different. */
export function describeFormerLook(old: Block, own: Block): string {
  const [former, current] = [getName(old), getName(own)];
  return former === current || former === undefined ? "Looks different" : `Was ${former}`;
}

/** Names a block as readers know it: by its label, such as “Tip”, by its component, or by its element. */
function getName({ element }: Block): string | undefined {
  if (!element) return undefined;
  const label = getAttribute(element, "aria-label");
  if (label !== undefined && label.length <= 60) return `“${label}”`;
  const [component] = getClasses(element);
  return names[element.tagName] ?? (component === undefined ? undefined : `“${component}”`);
}
