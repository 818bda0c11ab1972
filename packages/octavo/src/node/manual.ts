import type { RequestListener } from "node:http";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { OctavoError, sha256 } from "@octavo/site/core";
import { parseBasePath } from "../api/index.ts";
import { openBundle } from "../bundles/index.ts";
import { getBaseUrl } from "../config/index.ts";
import { openOnce } from "../core/index.ts";
import { openProcessFolder } from "../jobs/index.ts";
import type { ServedSite } from "../sites/index.ts";
import type { NodeParts } from "./node-parts.ts";
import { createRenderSite } from "./render-site.ts";

/** The exported manual in an installed package. */
const packedManual = fileURLToPath(new URL("../manual.zip", import.meta.url));
/** The manual's pages in the repository. */
const manualSource = fileURLToPath(new URL("../../../../docs", import.meta.url));

/** The manual that this node serves under `/manual`, until it is disposed. */
export interface ServedManual extends AsyncDisposable {
  /**
   * Returns the listener for requests for the manual. The first call opens the manual. If the program runs from its
   * sources, this call also exports the manual, which takes a few seconds, or less after a restart.
   */
  readonly load: () => Promise<RequestListener>;
}

export function createManual(parts: NodeParts): ServedManual {
  const { config, address, log } = parts;
  const resources = new AsyncDisposableStack();
  const load = openOnce(async () => {
    const file = existsSync(packedManual) ? packedManual : await exportManual(parts, resources);
    const bundle = await openBundle(file);
    resources.defer(() => bundle.close());
    const { createSiteHandler } = await import("../sites/index.ts");
    const site = describeManual(getBaseUrl(config, address.port), await readFile(file));
    return createSiteHandler(site, { copies: { open: async () => bundle }, log });
  });
  return { load, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** Exports the manual into a file that exists as long as the node runs. */
async function exportManual(
  { config, log, isolation }: NodeParts,
  resources: AsyncDisposableStack,
): Promise<string> {
  const folder = resources.use(await openProcessFolder(join(config.dataFolder, "work"), log));
  const file = join(folder.path, "manual.zip");
  const stopController = new AbortController();
  resources.defer(() => stopController.abort());
  const render = createRenderSite(isolation, config);
  const { errors } = await render({
    cacheDir: join(config.dataFolder, "cache", "manual"),
    signal: stopController.signal,
    prepare: async () => ({
      siteDir: manualSource,
      outDir: join(folder.path, "manual"),
      archive: { format: "zip", file },
      addresses: "clean",
      onProgress: () => undefined,
      onPacking: () => undefined,
    }),
  });
  // On a very busy machine, pages can reach their time limit. The others are in the cache for the next request.
  if (errors > 0) {
    throw new OctavoError(
      "unavailable",
      "The manual could not be exported completely. Try again in a moment.",
    );
  }
  return file;
}

function describeManual(baseUrl: string, archive: Buffer): ServedSite {
  return {
    kind: "production",
    origin: new URL(baseUrl).origin,
    basePath: parseBasePath(baseUrl),
    isRedirected: false,
    versions: [
      {
        slug: "manual",
        title: "Manual",
        isDefault: false,
        isHidden: true,
        state: "current",
        deployment: {
          id: "manual",
          archive: { key: sha256(archive), format: "zip", bytes: archive.length },
          commit: undefined,
          publishedAt: new Date(),
        },
      },
    ],
    recent: [],
    access: { kind: "public" },
    note: undefined,
  };
}
