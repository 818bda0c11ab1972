import { siblingModule } from "../core/index.ts";
import type { BundleFile } from "../core/index.ts";
import { readBrowserFile } from "./browser-file.ts";
import { createSiteLinks, exactRedirects, hasWildcard } from "../site/index.ts";
import type { Site } from "../site/index.ts";

/** Path in the bundle. */
export const notFoundScriptPath = "_octavo/not-found.js";

/**
 * The script of `404.html`: on hosts that do not read `_redirects`, it redirects addresses that have no file
 * (redirects with wildcards, pages without their ending) to their target.
 */
export async function notFoundScript(site: Site): Promise<BundleFile> {
  const { addresses, redirects, pages, config } = site;
  const siteMap = {
    pages: pages.map(({ path }) => path),
    addresses,
    home: createSiteLinks(site).home,
    exact: Object.fromEntries(
      Array.from(exactRedirects(redirects), ([path, { destination }]) => [path, destination]),
    ),
    patterns: redirects
      .filter(({ source }) => hasWildcard(source))
      .map(({ source, destination }) => [source, destination]),
    goesHome: config.notFound.redirect,
  };
  const script = await readBrowserFile(siblingModule(import.meta.url, "client/not-found/redirect"));
  const content = `const octavoSiteMap = ${JSON.stringify(siteMap)};\n${script}`;
  return { path: notFoundScriptPath, content };
}
