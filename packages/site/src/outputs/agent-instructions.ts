import type { SiteConfig } from "../site/index.ts";

/** The site's instructions for agents as a block of Markdown, without a final line break; undefined if it has none. */
export function agentInstructions({ agentInstructions: text }: SiteConfig): string | undefined {
  if (text === undefined) return undefined;
  return ["## Agent Instructions", ...text.split(/\r?\n/)]
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}
