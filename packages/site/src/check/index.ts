/** Whether a rendered site keeps what it promises its readers. */
export { checkSite } from "./check-site.ts";
export type { CheckedPage } from "./checked-page.ts";
