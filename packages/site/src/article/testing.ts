/** Exports for tests of other rooms. Only tests may import it. */
export { renderTree } from "./render-page.ts";
