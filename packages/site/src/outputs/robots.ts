import type { BundleFile } from "../core/index.ts";
import type { Site } from "../site/index.ts";
import { getFileAddress } from "../site/index.ts";
import type { OutputOptions, PageOutput } from "./output.ts";

/**
 * Creates `robots.txt`, which allows everything to be fetched. Pages that must not be indexed say so in their head,
 * which search engines see only if they may fetch the page.
 */
export function createRobotsFiles(
  _site: Site,
  _pages: readonly PageOutput[],
  { baseUrl }: OutputOptions,
): BundleFile[] {
  const lines = ["User-agent: *", "Allow: /"];
  // The format requires an absolute address.
  if (baseUrl !== undefined) lines.push("", `Sitemap: ${getFileAddress("sitemap.xml", baseUrl)}`);
  return [{ path: "robots.txt", content: `${lines.join("\n")}\n` }];
}
