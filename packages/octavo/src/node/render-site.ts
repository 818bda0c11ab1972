import type { RenderChildren } from "@octavo/site";
import type { Config } from "../config/index.ts";
import type { Isolation } from "../isolation/index.ts";
import type { JobExportSettings, RenderedSite, RenderSite } from "../jobs/index.ts";
import { createRemoteFetch } from "../net/index.ts";

/** The operations of `createRenderSite` that run in a separate process. */
export interface RenderOperations {
  /** Loads the modules that every site needs, and starts a process that renders pages. */
  prepareRendering(): Promise<void>;
  renderSite(settings: JobExportSettings): Promise<RenderedSite>;
}

/**
 * Creates the renderer of exports. Every export is checked, and its problems are listed in the bundle's report. An
 * export is rendered in a separate process, which is reused for jobs of the same project. All jobs of a project share a
 * cache.
 */
export function createRenderSite(
  isolation: Isolation<RenderOperations>,
  { allow, remoteHosts, remoteMedia }: Config,
): RenderSite {
  const fetchRemote = createRemoteFetch({ hosts: remoteHosts, allow });
  // Remote API descriptions are always fetched, because the operator decides which hosts may be contacted.
  const remoteOptions = { remoteMedia, remoteApis: true, fetchRemote };
  return async ({ cacheDir, signal, prepare }) =>
    await isolation.run(
      async (program) => {
        const preparation = program.prepareRendering();
        // The promise is awaited below. Until then, an unhandled rejection would terminate the process.
        preparation.catch(() => undefined);
        const settings = await prepare();
        await preparation;
        return await program.renderSite({ ...settings, ...remoteOptions, cacheDir, signal });
      },
      { signal, owner: cacheDir },
    );
}

/** The interval of progress messages. A message for each page would take as long as reading a page from the cache. */
const reportIntervalMs = 100;

/** Renders a site in the process to which it was sent. */
export async function renderSentSite(
  settings: JobExportSettings,
  children: RenderChildren,
): Promise<RenderedSite> {
  const library = await import("@octavo/site");
  const tune = library.tuneForRendering();
  let nextReportMs = 0;
  const isPartial = settings.paths !== undefined;
  const firstNames = new Set<string>();
  const { pages, rendered, problems } = await library.renderSite({
    ...settings,
    children,
    check(site, found) {
      for (const { path } of site.pages) firstNames.add(path.split("/", 1)[0] ?? "");
      return library.checkSite(site, found, { isPart: isPartial });
    },
    // Links to omitted pages are not checked.
    checkName: isPartial ? undefined : "site",
    onProgress(progress) {
      tune(progress);
      const now = performance.now();
      if (now < nextReportMs && progress.done < progress.total) return;
      nextReportMs = now + reportIntervalMs;
      settings.onProgress(progress);
    },
  });
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  return { pages, rendered, errors, warnings, firstSegments: [...firstNames] };
}
