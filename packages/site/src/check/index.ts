/** Checks a rendered site for broken links, anchors, files and redirects. */
export { checkSite } from "./check-site.ts";
export type { CheckedPage } from "./check-site.ts";
