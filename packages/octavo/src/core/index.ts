/** Values that every room shares: identifiers, repository addresses, names of branches and models. */
export {
  agentBranchName,
  defaultBranchPrefix,
  isOwnBranch,
  parseAgentBranch,
  siblingBranch,
} from "./branches.ts";
export { toPublicActor } from "./actor.ts";
export type { Actor, PublicActor } from "./actor.ts";
export { codeHostNames, isOwnCodeHost } from "./code-host.ts";
export type { CodeHostName } from "./code-host.ts";
export { commitConventions } from "./commit-convention.ts";
export type { CommitConvention } from "./commit-convention.ts";
export { isId, newId } from "./id.ts";
export type { IdKind } from "./id.ts";
export { hideSecrets } from "./secrets.ts";
export { hideTokens } from "./hide-tokens.ts";
export { parseAllowList } from "./allow-list.ts";
export type { AllowList } from "./allow-list.ts";
export { destinationOf, refuseAddresses, refuseDestination } from "./destination.ts";
export type { NetworkDestination } from "./destination.ts";
export { openDiskSpace } from "./disk.ts";
export type { DiskSpace, SpaceWatch } from "./disk.ts";
export { flush, flushParents, flushTree } from "./flush.ts";
export { toHostName } from "./hosts.ts";
export { hostedRepository, hostedRepositoryUrl } from "./hosted-repository.ts";
export { modelEfforts } from "./model-effort.ts";
export type { ModelEffort } from "./model-effort.ts";
export { allModels, parseModelList } from "./model-list.ts";
export type { ModelList } from "./model-list.ts";
export { costOf, formatDollars, parseModelPrice } from "./model-price.ts";
export type { ModelPrice } from "./model-price.ts";
export { isModelName, parseModelName } from "./models.ts";
export { nearLimitOpening } from "./near-limit.ts";
export { parsePerModel, valueFor } from "./per-model.ts";
export type { PerModel } from "./per-model.ts";
export { defaultQuotas, organizationPlans, parseQuotas } from "./plan-quotas.ts";
export type { OrganizationPlan, PlanQuotas, Quotas } from "./plan-quotas.ts";
export { isRefName } from "./ref-name.ts";
export {
  accessScopes,
  hasRight,
  memberRoles,
  requireGivable,
  requireRight,
  scopesOfRole,
} from "./rights.ts";
export type { AccessScope, MemberRole, Right, ScopeHolder } from "./rights.ts";
export { allRemoteHosts, parseRemoteHosts } from "./remote-hosts.ts";
export type { RemoteHosts } from "./remote-hosts.ts";
export { parseRepositoryAddress } from "./repository-address.ts";
export type { FileAddress, NetworkAddress, RepositoryAddress } from "./repository-address.ts";
export { parseRetryAfter } from "./retry-after.ts";
export { isSameSecret } from "./same-secret.ts";
export { linkToLines, sourceLinks } from "./source-links.ts";
export type { SourceLocation } from "./source-links.ts";
export { systemRefusal } from "./system-refusal.ts";
export { formatWrittenSource, parseWrittenSource } from "./written-source.ts";
export type { WrittenSource } from "./written-source.ts";
