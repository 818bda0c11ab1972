/** Reads environment and flags, validated once and frozen. The only room that reads `process.env`. */
export { getBaseUrl, loadConfig, getInvocationFolder } from "./config.ts";
export type { Config, SecretSource } from "./config.ts";
export type { ConfigInput, EffectiveSetting } from "./given-settings.ts";
export { prepareDataFolder, prepareFolder, removeEmptyFolders } from "./folders.ts";
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
