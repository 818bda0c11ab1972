import { readBrowserScript } from "../browser-script.ts";

/** The modules of the reader's script; each stands after those that it imports. */
const modules = [
  "page",
  "memory",
  "words",
  "scheme",
  "menu",
  "target",
  "say",
  "page-markdown",
  "copy",
  "code",
  "tables",
  "tabs",
  "tree",
  "views",
  "changelog",
  "outline",
  "sidebar",
  "consent",
  "zoom",
  "diagram",
  "picture-actions",
  "search-results",
  "search",
  "main",
] as const;

/** `octavo.js`, the reader's script. */
export function clientScript(): Promise<string> {
  return readBrowserScript(modules.map((name) => new URL(`client/${name}.ts`, import.meta.url)));
}
