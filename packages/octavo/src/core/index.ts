/** Values that every room shares: identifiers, repository addresses, names of branches and models. */
export { isId, newId } from "./id.ts";
export type { IdKind } from "./id.ts";
export { hideSecrets } from "./hide-secrets.ts";
export { parseAllowList } from "./allow-list.ts";
export type { AllowList } from "./allow-list.ts";
export { destinationOf, refuseAddresses, refuseDestination } from "./destination.ts";
export type { NetworkDestination } from "./destination.ts";
export { toHostName } from "./host-name.ts";
export { isModelName, parseModelName } from "./model-name.ts";
export { isRefName } from "./ref-name.ts";
export { parseRepositoryAddress } from "./repository-address.ts";
export type { FileAddress, NetworkAddress, RepositoryAddress } from "./repository-address.ts";
export { parseRetryAfter } from "./retry-after.ts";
export { sourceLinks } from "./source-links.ts";
export type { SourceLocation } from "./source-links.ts";
export { systemRefusal } from "./system-refusal.ts";
