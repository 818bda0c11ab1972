import type { Problem } from "../core/index.ts";
import type { ExportRun } from "./export-run.ts";
import { mapBounded } from "./map-bounded.ts";

const concurrentCopies = 16;

/** Copies the site's own files into the bundle; a file that cannot be read is a problem. */
export async function copyAssets({
  settings,
  source,
  bundle,
}: Pick<ExportRun, "settings" | "source" | "bundle">): Promise<Problem[]> {
  const { root, assets, styles, scripts } = source.site;
  const paths = [...assets, ...styles, ...scripts];
  const results = await mapBounded(paths, concurrentCopies, async (path): Promise<Problem[]> => {
    settings.signal?.throwIfAborted();
    if (bundle.isTaken(path)) return [];
    try {
      await bundle.copyAsset(root, path);
      return [];
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return [{ severity: "error", code: "asset_unreadable", message, file: path }];
    }
  });
  return results.flat();
}
