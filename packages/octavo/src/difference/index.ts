/**
 * Shows the differences that readers see between two bundles of a site. Pages whose bytes differ
 * (`build-difference.ts`) are parsed, their articles are split into blocks (`read-blocks.ts`), the blocks are aligned
 * (`align-blocks.ts`) and compared word by word (`compare-tokens.ts`), and the newer version is marked
 * (`article-marker.ts`). A node caches the differences that it has built (`differences.ts`), and adds a bar to the
 * pages that it shows (`difference-page.ts`).
 */
export { buildDifference } from "./build-difference.ts";
export type {
  DifferenceOperations,
  DifferenceRequest,
  DifferentPage,
  SiteDifference,
} from "./build-difference.ts";
export { createDifferences } from "./differences.ts";
export type { Differences, DifferencesOptions, OpenDifference } from "./differences.ts";
export { addDifferenceBar, readDifferenceAsset } from "./difference-page.ts";
export type { DifferenceView } from "./difference-page.ts";
