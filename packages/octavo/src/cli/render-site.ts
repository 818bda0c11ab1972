import type { Config } from "../config/index.ts";
import type { PackFolder, RenderSite } from "../jobs/index.ts";
import { createRemoteFetch } from "../net/index.ts";
import type { Logger } from "../telemetry/index.ts";

export const packFolder: PackFolder = async (...folder) => {
  const { packFolder: pack } = await import("@octavo/site");
  return await pack(...folder);
};

/**
 * Every export is checked; what is found stands in the bundle's report. The renderer is loaded with the
 * first one: it would make each start 0.1 s longer.
 */
export function createRenderSite({ allow, remoteMedia }: Config, log: Logger): RenderSite {
  const fetchRemote = createRemoteFetch({ allow });
  let isFirst = true;
  return async (settings) => {
    const { checkSite, hasNetworkIsolation, renderSite } = await import("@octavo/site");
    if (isFirst && !hasNetworkIsolation()) {
      log.warn(
        {},
        "This system grants no network namespace, so the processes that render pages are not cut off from the network",
      );
    }
    isFirst = false;
    const isPart = settings.paths !== undefined;
    return renderSite({
      ...settings,
      remoteMedia,
      fetchRemote,
      check: (site, pages) => checkSite(site, pages, { isPart }),
      checkedAs: "site",
    });
  };
}
