import { lazyFile, siblingModule } from "../core/index.ts";
import type { BundleFile } from "../core/index.ts";
import { readBrowserFile } from "./browser-file.ts";
import { createSiteLinks, exactRedirects, hasWildcard } from "../site/index.ts";
import type { Site } from "../site/index.ts";

/** Path in the bundle. */
export const notFoundScriptPath = "_octavo/not-found.js";

/**
 * The script of `404.html`: on hosts that do not read `_redirects`, it redirects addresses that have no file
 * (redirects with wildcards, pages without their ending) to their target. `siteFingerprint` is a hash of everything that the site has, or undefined.
 */
export async function notFoundScript(site: Site, siteFingerprint?: string): Promise<BundleFile> {
  const script = await readBrowserFile(siblingModule(import.meta.url, "client/not-found/redirect"));
  return lazyFile(
    notFoundScriptPath,
    siteFingerprint,
    () => `const octavoSiteMap = ${JSON.stringify(siteMapOf(site))};\n${script}`,
  );
}

function siteMapOf(site: Site) {
  const { addresses, redirects, pages, config } = site;
  return {
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
}
