/**
 * Shows what readers see differently in two bundles of a site. Pages whose bytes differ (`build-difference.ts`) are
 * parsed, their articles are read as blocks (`read-blocks.ts`), which are aligned (`align-blocks.ts`) and compared word
 * by word (`compare-tokens.ts`), and the newer version is marked (`article-marker.ts`).
 */
export { buildDifference } from "./build-difference.ts";
export type { DifferenceRequest, DifferentPage, SiteDifference } from "./build-difference.ts";
export { addDifferenceBar } from "./difference-page.ts";
export type { DifferenceView } from "./difference-page.ts";
