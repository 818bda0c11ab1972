import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";

/** A site as its bundle shows it, in a frame that cannot reach the page around it. */
export function previewFrame(address: string): SafeHtml {
  return safeHtml`<h1 class="unseen">Preview</h1>
    <iframe class="preview" title="The previewed site" sandbox="allow-scripts" src="${address}"></iframe>`;
}
