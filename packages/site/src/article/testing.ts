/** Exports for tests in other folders. Only tests may import this module. */
export { renderTree } from "./render-page.ts";
