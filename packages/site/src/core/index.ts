/** The foundation of every room: errors, problems, paths, hashes and limits. It does not import any room. */
export { addressForms, createLazyFile } from "./bundle-file.ts";
export type { AddressForm, BundleFile, FilePart } from "./bundle-file.ts";
export { findCompileCacheFolder, resolveSiblingModule } from "./modules.ts";
export { OctavoError, createInputError, isOctavoError } from "./error.ts";
export type { ErrorCode, OctavoErrorOptions } from "./error.ts";
export {
  cleanRelativePath,
  encodePath,
  resolveRealPath,
  resolveRealPathSync,
  resolveInside,
  getBaseName,
  getParentFolder,
} from "./paths.ts";
export {
  describeSystemRefusal,
  isSystemError,
  nameFileInError,
  toFileStat,
  matchesFileStat,
  hasStatAt,
  isSameStat,
  isSettled,
  joinStats,
  makeFolder,
  getStatAt,
} from "./file-system.ts";
export type { FileStat } from "./file-system.ts";
export {
  findOnlySimilarName,
  findSimilarName,
  countEdits,
  foldLettersAndDigits,
} from "./similar-name.ts";
export { createTimeoutSignal } from "./timeout-signal.ts";
export { hashParts, sha256 } from "./hash.ts";
export { bisect, compareCodeUnits, createSortedLookup, createLazyList } from "./lists.ts";
export { isAllowedAddress, readRemoteOrigins } from "./remote-hosts.ts";
export type { RemoteOrigins } from "./remote-hosts.ts";
export { limits } from "./limits.ts";
export { countLosses, countProblems, groupProblems, ProblemLog, sortProblems } from "./problem.ts";
export type { Problem, ProblemCounts, ProblemGroup, ProblemLocation } from "./problem.ts";
export { omitUndefined, type WithoutUndefined } from "./without-undefined.ts";
export { isPlaceholder, parseRedirectRules, redirectRuleLimits } from "./redirect-rules.ts";
export type { RedirectRule, RedirectRules } from "./redirect-rules.ts";
