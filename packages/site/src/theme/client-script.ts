import { siblingModule } from "../core/index.ts";
import { readBrowserFile } from "./browser-file.ts";

/** The reader's script, `octavo.js`. */
export function clientScript(): Promise<string> {
  return readBrowserFile(siblingModule(import.meta.url, "client/main"));
}

/** `page-markdown.js`, loaded to copy a page if the browser cannot read the file beside it. */
export function pageMarkdownScript(): Promise<string> {
  return readBrowserFile(siblingModule(import.meta.url, "client/page-markdown/page-markdown"));
}

/** `components.js`, which brings components to life; loaded by pages that have some. */
export function componentRuntime(): Promise<string> {
  return readBrowserFile(siblingModule(import.meta.url, "client/components/components"));
}
