import { join } from "node:path";
import { createBundleCopies, type BundleCopies } from "../bundles/index.ts";
import { openOnce } from "../core/index.ts";
import type { Differences } from "../difference/index.ts";
import type { NodeParts } from "./node-parts.ts";

/** The maximum size of the differences on this machine, which are built again when they are needed. */
const maxBytes = 256 * 1024 * 1024;

/** Creates the copies of bundles, whose folder all parts of a node share. */
export function createSiteCopies({
  config,
  storage,
}: Pick<NodeParts, "config" | "storage">): BundleCopies {
  return createBundleCopies(storage, {
    folder: join(config.dataFolder, "cache", "sites"),
    maxBytes: config.sites.cacheBytes,
  });
}

/**
 * Creates the differences of bundles, whose folder all parts of a node share. They are loaded when they are first needed,
 * so that a service starts without them.
 */
export function createNodeDifferences(
  { config, isolation }: Pick<NodeParts, "config" | "isolation">,
  copies: BundleCopies,
): Differences {
  let opened: Differences | undefined;
  const load = openOnce(async () => {
    const { createDifferences } = await import("../difference/index.ts");
    const folder = join(config.dataFolder, "cache", "differences");
    return (opened = createDifferences({ copies, isolation, folder, maxBytes }));
  });
  return {
    open: async (before, after) => await (await load()).open(before, after),
    [Symbol.dispose]: () => opened?.[Symbol.dispose](),
  };
}
