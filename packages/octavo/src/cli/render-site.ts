import type { Config } from "../config/index.ts";
import type { Isolation } from "../isolation/index.ts";
import type { JobExportSettings, PackFolder, RenderSite, RenderSummary } from "../jobs/index.ts";
import { createRemoteFetch } from "../net/index.ts";
import type { Logger } from "../telemetry/index.ts";

export const packFolder: PackFolder = async (...folder) => {
  const { packFolder: pack } = await import("@octavo/site");
  return await pack(...folder);
};

/** Every export is checked; what is found stands in the bundle's report. Each has a process of its own. */
export function createRenderSite(
  isolation: Isolation,
  { allow, remoteMedia }: Config,
  log: Logger,
): RenderSite {
  const fetchRemote = createRemoteFetch({ allow });
  let isFirst = true;
  return async (settings) => {
    if (isFirst) await warnOfNetwork(log);
    isFirst = false;
    const sent: JobExportSettings = { ...settings, remoteMedia, fetchRemote };
    return (await isolation.run("renderSite", [sent], settings.signal)) as RenderSummary;
  };
}

async function warnOfNetwork(log: Logger): Promise<void> {
  const { hasNetworkIsolation } = await import("@octavo/site");
  if (hasNetworkIsolation()) return;
  log.warn(
    {},
    "This system grants no network namespace, so the processes that render pages are not cut off from the network",
  );
}

/** The same, in the process that it is handed to. */
export async function renderSentSite(settings: JobExportSettings): Promise<RenderSummary> {
  const { checkSite, renderSite } = await import("@octavo/site");
  const isPart = settings.paths !== undefined;
  const { pages, rendered } = await renderSite({
    ...settings,
    check: (site, found) => checkSite(site, found, { isPart }),
    checkedAs: "site",
  });
  return { pages, rendered };
}
