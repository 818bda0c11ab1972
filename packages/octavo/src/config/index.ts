/** Reads environment and flags, validated once and frozen. The only room that reads `process.env`. */
export { baseUrlFor, loadConfig, invocationFolder } from "./config.ts";
export type { Config, SecretSource } from "./config.ts";
export type { ConfigInput, SettingInForce } from "./given-settings.ts";
export { prepareDataFolder, prepareFolder, removeEmptyFolders } from "./folders.ts";
export {
  isColorDisabled,
  loginsFile,
  processEnvironment,
  readAllowList,
  readClientVariables,
  userCacheFolder,
} from "./environment.ts";
export { readDatabaseUrls, readGitHubApp, readSecret } from "./secret-files.ts";
export type { LogLevel, Role } from "./settings.ts";
