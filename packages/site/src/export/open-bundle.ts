import { makeFolder } from "../core/index.ts";
import { packFiles } from "./archive/pack-files.ts";
import { openBundleArchive } from "./bundle-archive.ts";
import { createDryRunBundle, openBundleFolder } from "./bundle-folder.ts";
import type { BundleFolder } from "./bundle-folder.ts";
import type { ExportCache } from "./cache/export-cache.ts";
import type { ExportRun } from "./export-run.ts";
import type { ExportSettings, PageCounts, RenderResult } from "./export-settings.ts";

export async function openBundle(
  { outDir, archive, isNewFolder = false }: ExportSettings,
  cache: ExportCache | undefined,
): Promise<BundleFolder> {
  if (outDir === undefined) return createDryRunBundle();
  makeFolder(outDir);
  return archive
    ? openBundleArchive(outDir, { isNewFolder })
    : openBundleFolder(outDir, cache?.manifests.read(outDir));
}

/** Packs the archive, or puts the files in place and caches the manifest for the next export. */
export async function finishBundle(
  { settings, cache, bundle }: ExportRun,
  counts: PageCounts,
): Promise<Pick<RenderResult, "bytes" | "packed">> {
  const { outDir, archive, signal } = settings;
  const { bytes, manifest, files } = bundle.finish();
  if (files && archive) {
    settings.onPacking?.(counts);
    const blocks = cache?.pages?.blocks;
    const packed = await packFiles(files, archive.format, archive.file, { blocks, signal });
    return { bytes, packed };
  }
  if (outDir !== undefined) cache?.manifests.write(outDir, manifest);
  return { bytes };
}
