/** The exports for tests of other folders. Only tests may import them. */
export { findGuides } from "./guides/find-guides.ts";
