/** Serves published sites to readers. Knows neither projects nor keys, and reads no database. */
export { createSiteHandler, createSitesHandler } from "./sites-server.ts";
export type { SitesOptions } from "./sites-server.ts";
export type {
  ComparedBase,
  LiveSites,
  ServedDeployment,
  ServedSite,
  ServedVersion,
  SiteAccess,
  SiteNote,
} from "./live-sites.ts";
