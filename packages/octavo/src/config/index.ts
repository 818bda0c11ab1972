/** Environment and flags, checked once and frozen; the only room that knows `process.env`. */
export { baseUrlFor, loadConfig, standingFolder } from "./config.ts";
export type { Config, ConfigInput, SecretSource } from "./config.ts";
export { readDatabaseUrl } from "./database-url.ts";
export { prepareDataFolder } from "./data-folder.ts";
export { readGitHubApp } from "./github-app.ts";
export { allowedPlaces, processEnvironment, refusesColor, userCacheFolder } from "./environment.ts";
export { readSecret } from "./secret.ts";
export type { LogLevel, Role } from "./settings.ts";
