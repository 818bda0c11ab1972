import { readBrowserScript } from "./browser-script.ts";

/** The modules of the reader's script; each stands after those that it imports. */
const modules = [
  "page",
  "memory",
  "words",
  "scheme",
  "menu",
  "target",
  "say",
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
  return joined(modules);
}

/** `page-markdown.js`, loaded for who copies a page where no file can be read beside it. */
export function pageMarkdownScript(): Promise<string> {
  return joined(["page", "page-markdown/page-markdown"]);
}

function joined(names: readonly string[]): Promise<string> {
  return readBrowserScript(names.map((name) => new URL(`client/${name}.ts`, import.meta.url)));
}
