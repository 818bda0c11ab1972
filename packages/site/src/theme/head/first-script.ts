import { createHash } from "node:crypto";
import { resolveSiblingModule } from "../../core/index.ts";
import { html, trustHtml, type Html } from "../../markup/index.ts";
import { readBrowserFile } from "../browser-file.ts";

/**
 * The script that runs before a page is painted (`client/first-script.ts`). It is the same for every page of every
 * site.
 */
export interface FirstScript {
  readonly text: string;
  /** The source for `script-src` with which a host's policy can allow the script. The manual documents it. */
  readonly hash: string;
}

/** Reads the first script, for all documents of a bundle. */
export async function readFirstScript(): Promise<FirstScript> {
  const file = resolveSiblingModule(import.meta.url, "../client/first-script");
  const text = (await readBrowserFile(file)).trim();
  return { text, hash: `sha256-${createHash("sha256").update(text).digest("base64")}` };
}

/**
 * Renders the first script without escaping it. Browsers do not parse markup within a script, and the script does not
 * contain `</script>`.
 */
export function renderFirstScript({ text }: FirstScript): Html {
  return html`<script>${trustHtml(text)}</script>`;
}
