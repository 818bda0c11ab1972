import { siblingModule } from "../core/index.ts";
import { readBrowserFile } from "./browser-file.ts";

/** `octavo.js`, the reader's script. */
export function clientScript(): Promise<string> {
  return readBrowserFile(siblingModule(import.meta.url, "client/main"));
}

/** `page-markdown.js`, loaded for who copies a page where no file can be read beside it. */
export function pageMarkdownScript(): Promise<string> {
  return readBrowserFile(siblingModule(import.meta.url, "client/page-markdown/page-markdown"));
}
