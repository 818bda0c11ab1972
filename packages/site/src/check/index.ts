/** What is broken in a rendered site. */
export { checkSite } from "./check-site.ts";
export type { CheckedPage } from "./references.ts";
