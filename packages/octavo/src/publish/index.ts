/**
 * Published sites: the deployment that each site shows (`publication.ts`), the names of its hosts (`labels.ts`), the
 * table of all hosts that a node keeps in memory (`route-table.ts`), and the hooks with which code hosts report pushes
 * (`hooks/`).
 */
export { choosePreviewBase } from "./preview-base.ts";
export type { ComparableDeployment, PreviewBase } from "./preview-base.ts";
export { createDomains } from "./domains.ts";
export type { Domains, SiteDomain } from "./domains.ts";
export { createHooks, createMissingHookError } from "./hooks/hooks.ts";
export type { HookDelivery, HookHosts, Hooks, KnownHook, ProjectHook } from "./hooks/hooks.ts";
export { hasProof, hookSenders, parseDelivery } from "./hooks/delivery.ts";
export type { HookSender, ParsedDelivery, ReportedPush } from "./hooks/delivery.ts";
export { getBranchLabel, getDeploymentLabel, getPullRequestLabel } from "./labels.ts";
export {
  hasNewerDeployment,
  replaceLiveDeployment,
  publishableKinds,
  takeLiveOffline,
} from "./publication.ts";
export { createSiteReaders, createSiteSecrets, maxLinkDays, maxLinkNoteLength } from "./readers.ts";
export type { SiteLink, SiteReaders } from "./readers.ts";
export { openRouteTable } from "./route-table.ts";
export type { RouteTable, RouteTableOptions } from "./route-table.ts";
export { announceSite, lockSite, settleVisibility } from "./site-row.ts";
export { formatSiteOrigin } from "./sites-domain.ts";
export type { SitesDomain } from "./sites-domain.ts";
export { createSites } from "./sites.ts";
export { listMatchedRefs, matchPattern, maxPreviewPatterns, shortenRef } from "./version-rules.ts";
export type { RepositoryRef, VersionRule } from "./version-rules.ts";
export { updateVersions } from "./versions.ts";
export type { ProjectRefs } from "./versions.ts";
export type { Site, SiteChanges, Sites, SiteVersion, PublishedSitesOptions } from "./sites.ts";
