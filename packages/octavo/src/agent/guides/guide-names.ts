import { agentFile } from "../content.ts";

/** Guides for agents, the most particular first. */
export const agentGuides = [agentFile, "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md"] as const;
/** Rules of editors for every file. */
export const wholeRules = [".cursorrules", ".github/copilot-instructions.md"] as const;
/** Folders of rules, and what the names of rules end with. */
export const ruleFolders = [
  [".cursor/rules", ".mdc"],
  [".github/instructions", ".instructions.md"],
] as const;
/** Where guides for writers are besides a folder itself. */
export const writerFolders = ["", "docs", ".github"] as const;

const writerGuide =
  /^(?:contributing|(?:docs?|documentation|content|writing)?[-_ ]?style[-_ ]?(?:guides?)?|(?:docs?|documentation|writing)[-_ ]?(?:guides?|guidelines?))\.mdx?$/i;

export function isWriterGuide(name: string): boolean {
  return writerGuide.test(name);
}
