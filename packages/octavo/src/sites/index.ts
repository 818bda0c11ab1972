/** Serves published sites to readers. Does not depend on projects or keys, and does not read the database. */
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
