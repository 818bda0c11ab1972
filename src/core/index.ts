/** The words of the product: errors, identifiers, addresses, paths and hashes that every room shares. */
export { compileCacheFolder } from "./compile-cache.ts";
export { OctavoError, isOctavoError } from "./error.ts";
export type { ErrorCode, OctavoErrorOptions } from "./error.ts";
export { isId, newId } from "./id.ts";
export type { IdKind } from "./id.ts";
export {
  cleanRelativePath,
  realPathInside,
  realPathInsideSync,
  resolveInside,
} from "./contained-path.ts";
export { hashParts, sha256 } from "./hash.ts";
export { hideSecrets } from "./hide-secrets.ts";
export { isPrivateAddress, parseAllowList } from "./allow-list.ts";
export type { AllowList } from "./allow-list.ts";
export { toHostName } from "./host-name.ts";
export { isModelName, parseModelName } from "./model-name.ts";
export { isRefName } from "./ref-name.ts";
export { parseRepositoryAddress } from "./repository-address.ts";
export type { FileAddress, NetworkAddress, RepositoryAddress } from "./repository-address.ts";
export { encodePath } from "./encode-path.ts";
export { sourceLinks } from "./source-links.ts";
export type { SourcePlace } from "./source-links.ts";
