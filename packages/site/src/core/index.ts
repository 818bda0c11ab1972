/** What every room stands on: errors, problems, paths, hashes and limits. Imports nothing. */
export { addressForms } from "./address-form.ts";
export type { AddressForm } from "./address-form.ts";
export { compileCacheFolder } from "./compile-cache.ts";
export { OctavoError, isOctavoError } from "./error.ts";
export type { ErrorCode, OctavoErrorOptions } from "./error.ts";
export {
  cleanRelativePath,
  realPathInside,
  realPathInsideSync,
  resolveInside,
} from "./contained-path.ts";
export { makeFolder } from "./make-folder.ts";
export { similarName } from "./similar-name.ts";
export { siblingModule } from "./sibling-module.ts";
export { timeoutSignal } from "./timeout-signal.ts";
export { hashParts, sha256 } from "./hash.ts";
export { encodePath } from "./encode-path.ts";
export {
  fileStat,
  hasFileStat,
  hasStatAt,
  isSameStat,
  isSettled,
  joinStats,
  statAt,
} from "./file-stat.ts";
export type { FileStat } from "./file-stat.ts";
export { binarySearch } from "./binary-search.ts";
export { createSortedLookup } from "./sorted-lookup.ts";
export { lazyFile } from "./lazy-file.ts";
export { lazyList } from "./lazy-list.ts";
export type { BundleFile, FilePart } from "./bundle-file.ts";
export { isAllowedAddress, readRemoteOrigins } from "./remote-hosts.ts";
export type { RemoteOrigins } from "./remote-hosts.ts";
export { limits } from "./limits.ts";
export { ProblemLog, byCodeUnit, sortProblems } from "./problem-log.ts";
export type { ProblemPlace } from "./problem-log.ts";
export type { Problem } from "./problem.ts";
export { withoutUndefined, type WithoutUndefined } from "./without-undefined.ts";
export { groupProblems } from "./group-problems.ts";
export type { ProblemGroup } from "./group-problems.ts";
export { countProblems } from "./count-problems.ts";
export type { ProblemCounts } from "./count-problems.ts";
