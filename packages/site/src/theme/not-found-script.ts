import { siblingModule } from "../core/index.ts";
import type { BundleFile } from "../core/index.ts";
import { readBrowserFile } from "./browser-file.ts";
import { createSiteLinks, exactRedirects, hasWildcard } from "../site/index.ts";
import type { Site } from "../site/index.ts";

/** Where `404.html` finds it, below the bundle's root. */
export const notFoundScriptPath = "_octavo/not-found.js";

/**
 * The script of `404.html`: leads from addresses that have no file (redirects with wildcards, pages without
 * their ending) to where they are meant to lead, on hosts that read no `_redirects`.
 */
export async function notFoundScript(site: Site): Promise<BundleFile> {
  const { redirects, pages, config } = site;
  const siteMap = {
    pages: pages.map(({ path }) => path),
    home: createSiteLinks(site).home,
    exact: Object.fromEntries(
      Array.from(exactRedirects(redirects), ([path, { destination }]) => [path, destination]),
    ),
    patterns: redirects
      .filter(({ source }) => hasWildcard(source))
      .map(({ source, destination }) => [source, destination]),
    goesHome: config.notFound.redirect,
  };
  const script = await readBrowserFile(siblingModule(import.meta.url, "client/not-found/lead-on"));
  const content = `const octavoSiteMap = ${JSON.stringify(siteMap)};\n${script}`;
  return { path: notFoundScriptPath, content };
}
