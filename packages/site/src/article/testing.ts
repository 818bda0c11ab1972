/** What tests of other rooms need of this one. Only tests may import it. */
export { renderTree } from "./render-page.ts";
