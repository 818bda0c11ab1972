/** What every room stands on: errors, problems, paths, hashes and limits. Imports nothing. */
export { addressForms, lazyFile } from "./bundle-file.ts";
export type { AddressForm, BundleFile, FilePart } from "./bundle-file.ts";
export { compileCacheFolder, siblingModule } from "./modules.ts";
export { OctavoError, isOctavoError } from "./error.ts";
export type { ErrorCode, OctavoErrorOptions } from "./error.ts";
export {
  cleanRelativePath,
  encodePath,
  realPathInside,
  realPathInsideSync,
  resolveInside,
} from "./paths.ts";
export {
  fileStat,
  hasFileStat,
  hasStatAt,
  isSameStat,
  isSettled,
  joinStats,
  makeFolder,
  statAt,
} from "./file-system.ts";
export type { FileStat } from "./file-system.ts";
export { similarName } from "./similar-name.ts";
export { timeoutSignal } from "./timeout-signal.ts";
export { hashParts, sha256 } from "./hash.ts";
export { binarySearch, byCodeUnit, createSortedLookup, lazyList } from "./lists.ts";
export { isAllowedAddress, readRemoteOrigins } from "./remote-hosts.ts";
export type { RemoteOrigins } from "./remote-hosts.ts";
export { limits } from "./limits.ts";
export { countProblems, groupProblems, ProblemLog, sortProblems } from "./problem.ts";
export type { Problem, ProblemCounts, ProblemGroup, ProblemPlace } from "./problem.ts";
export { withoutUndefined, type WithoutUndefined } from "./without-undefined.ts";
