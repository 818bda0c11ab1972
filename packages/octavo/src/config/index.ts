/**
 * Reads and validates environment variables and flags once, and freezes the result. This is the only folder that reads
 * `process.env`.
 */
export {
  getBaseUrl,
  getOwnHosts,
  getSitesDomain,
  loadConfig,
  getInvocationFolder,
} from "./config.ts";
export type { Config, SecretSource } from "./config.ts";
export type { ConfigInput, EffectiveSetting } from "./given-settings.ts";
export {
  describeFolderRefusal,
  prepareDataFolder,
  prepareFolder,
  removeEmptyFolders,
} from "./folders.ts";
export {
  isColorDisabled,
  findLoginsFile,
  getProcessEnvironment,
  readAllowList,
  readClientVariables,
  findUserCacheFolder,
} from "./environment.ts";
export { readDatabaseUrls, readGitHubApp, readSecret } from "./secret-files.ts";
export type { LogLevel, Role } from "./settings.ts";
