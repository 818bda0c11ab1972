/** Environment and flags, validated once and frozen; the only room that reads `process.env`. */
export { baseUrlFor, loadConfig, invocationFolder } from "./config.ts";
export type { Config, SecretSource } from "./config.ts";
export type { ConfigInput } from "./given-settings.ts";
export { readDatabaseUrls } from "./database-url.ts";
export { prepareDataFolder } from "./data-folder.ts";
export { prepareFolder, removeEmptyFolders } from "./folders.ts";
export { readGitHubApp } from "./github-app.ts";
export {
  isColorDisabled,
  loginsFile,
  processEnvironment,
  readAllowList,
  readClientVariables,
  userCacheFolder,
} from "./environment.ts";
export { readSecret } from "./secret-files.ts";
export type { LogLevel, Role } from "./settings.ts";
export type { SettingInForce } from "./settings-in-force.ts";
