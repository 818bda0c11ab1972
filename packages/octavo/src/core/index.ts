/**
 * Types and functions that all folders share, e.g. for identifiers, repository addresses, and names of branches and
 * models.
 */
export {
  formatAgentBranch,
  defaultBranchPrefix,
  isOwnBranch,
  isRefName,
  parseAgentBranch,
  renumberAgentBranch,
} from "./branches.ts";
export {
  codeHostNames,
  commitConventions,
  guessCodeHost,
  hostedRepository,
  getHostedRepositoryUrl,
  isOwnCodeHost,
} from "./code-host.ts";
export type { CodeHostName, CommitConvention, KnownHosts } from "./code-host.ts";
export { formatCount, formatNumber } from "./format-text.ts";
export { getContentType } from "./http-headers.ts";
export { isId, createId } from "./id.ts";
export type { IdKind } from "./id.ts";
export { formatOriginalLength, maxSummaryLength, shortenText } from "./format-text.ts";
export { tryParseJson } from "./json.ts";
export { createMemory } from "./memory.ts";
export { createProxyCheck, toNetwork } from "./proxy-check.ts";
export { redactSecrets, redactTokens, isSameSecret } from "./secrets.ts";
export { parseAllowList } from "./allow-list.ts";
export type { AllowList } from "./allow-list.ts";
export {
  findDestination,
  explainAddressRefusal,
  explainDestinationRefusal,
} from "./destination.ts";
export type { NetworkDestination } from "./destination.ts";
export { openOnce } from "./concurrency.ts";
export { flush, flushParents, flushTree, openDiskSpace } from "./disk.ts";
export type { DiskSpace, SpaceWatch } from "./disk.ts";
export { allRemoteHosts, isHostWithin, parseRemoteHosts, toHostName } from "./hosts.ts";
export type { ModelEffort, ModelList, ModelPrice, PerModel } from "./models.ts";
export {
  allModels,
  computeCost,
  formatDollars,
  isModelName,
  modelEfforts,
  nearLimitOpening,
  parseModelList,
  parseModelName,
  parseModelPrice,
  parsePerModel,
  findModelValue,
} from "./models.ts";
export { defaultQuotas, fullPlan, organizationPlans, parseQuotas } from "./plan-quotas.ts";
export type { OrganizationPlan, Quotas } from "./plan-quotas.ts";
export {
  accessScopes,
  createLimitedKeyError,
  hasRight,
  memberRoles,
  requireGrantable,
  requireRight,
  scopesOfRole,
  toPublicActor,
} from "./rights.ts";
export type { AccessScope, Actor, MemberRole, PublicActor, Right, ScopeHolder } from "./rights.ts";
export type { RemoteHosts } from "./hosts.ts";
export { formatSourceSpec, parseRepositoryAddress, parseSourceSpec } from "./repository-address.ts";
export type { FileAddress, NetworkAddress, SourceSpec } from "./repository-address.ts";
export { createSiteToken, hashPassword, verifyPassword, parseSiteToken } from "./site-access.ts";
export type { ParsedSiteToken } from "./site-access.ts";
export { createSlots } from "./concurrency.ts";
export type { DrawnPage, DrawPage } from "./draw-page.ts";
export { parseRetryAfter } from "./http-headers.ts";
export { findLinesUrl, findSourceLinks } from "./source-links.ts";
