import type { BundleFolder } from "./bundle-folder.ts";
import type { ExportCache } from "./cache/export-cache.ts";
import type { CompleteSettings } from "./export-settings.ts";
import type { PageKeys } from "./page/page-key.ts";
import type { UsageMeter } from "./pool/usage-meter.ts";
import type { ExportSource } from "./source/read-source.ts";
import type { SharedParts } from "./shared-parts.ts";

/** One export: its settings, its input and its bundle. Each step of the export takes this and the pages. */
export interface ExportRun {
  readonly settings: CompleteSettings;
  readonly cache: ExportCache | undefined;
  readonly source: ExportSource;
  readonly bundle: BundleFolder;
  readonly shared: SharedParts;
  readonly keys: PageKeys;
  readonly meter: UsageMeter;
}
