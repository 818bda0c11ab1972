/** What tests of other rooms need of this one. Only tests may import it. */
export { findGuides } from "./guides/find-guides.ts";
