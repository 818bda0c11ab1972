import type { BundleFile } from "../core/index.ts";
import type { Site } from "../site/index.ts";
import { fileAddress } from "../site/index.ts";
import type { OutputOptions, PageOutput } from "./output.ts";

/**
 * `robots.txt`: everything may be fetched. What search engines must not keep says so in its own head,
 * which they only see when they may fetch it.
 */
export function robots(
  _site: Site,
  _pages: readonly PageOutput[],
  { baseUrl }: OutputOptions,
): BundleFile[] {
  const lines = ["User-agent: *", "Allow: /"];
  // The address of a sitemap must be absolute here.
  if (baseUrl !== undefined) lines.push("", `Sitemap: ${fileAddress("sitemap.xml", baseUrl)}`);
  return [{ path: "robots.txt", content: `${lines.join("\n")}\n` }];
}
