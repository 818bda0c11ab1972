/** What is broken in a rendered site. */
export { checkSite } from "./check-site.ts";
export type { CheckedPage } from "./checked-page.ts";
