/** Values that all rooms share: identifiers, repository addresses, and names of branches and models. */
export {
  agentBranchName,
  defaultBranchPrefix,
  isOwnBranch,
  isRefName,
  parseAgentBranch,
  siblingBranch,
} from "./branches.ts";
export {
  codeHostNames,
  commitConventions,
  guessCodeHost,
  hostedRepository,
  hostedRepositoryUrl,
  isOwnCodeHost,
} from "./code-host.ts";
export type { CodeHostName, CommitConvention } from "./code-host.ts";
export { contentTypeOf } from "./content-type.ts";
export { isId, newId } from "./id.ts";
export type { IdKind } from "./id.ts";
export { hideSecrets, hideTokens, isSameSecret } from "./secrets.ts";
export { parseAllowList } from "./allow-list.ts";
export type { AllowList } from "./allow-list.ts";
export { destinationOf, refuseAddresses, refuseDestination } from "./destination.ts";
export type { NetworkDestination } from "./destination.ts";
export { flush, flushParents, flushTree, openDiskSpace, systemRefusal } from "./disk.ts";
export type { DiskSpace, SpaceWatch } from "./disk.ts";
export { allRemoteHosts, parseRemoteHosts, toHostName } from "./hosts.ts";
export type { ModelEffort, ModelList, ModelPrice, PerModel } from "./models.ts";
export {
  allModels,
  costOf,
  formatDollars,
  isModelName,
  modelEfforts,
  nearLimitOpening,
  parseModelList,
  parseModelName,
  parseModelPrice,
  parsePerModel,
  valueFor,
} from "./models.ts";
export { defaultQuotas, fullPlan, organizationPlans, parseQuotas } from "./plan-quotas.ts";
export type { OrganizationPlan, PlanQuotas, Quotas } from "./plan-quotas.ts";
export {
  accessScopes,
  hasRight,
  memberRoles,
  requireGivable,
  requireRight,
  scopesOfRole,
  toPublicActor,
} from "./rights.ts";
export type { AccessScope, Actor, MemberRole, PublicActor, Right, ScopeHolder } from "./rights.ts";
export type { RemoteHosts } from "./hosts.ts";
export {
  formatWrittenSource,
  parseRepositoryAddress,
  parseWrittenSource,
} from "./repository-address.ts";
export type {
  FileAddress,
  NetworkAddress,
  RepositoryAddress,
  WrittenSource,
} from "./repository-address.ts";
export { parseRetryAfter } from "./retry-after.ts";
export { linkToLines, sourceLinks } from "./source-links.ts";
export type { SourceLocation } from "./source-links.ts";
