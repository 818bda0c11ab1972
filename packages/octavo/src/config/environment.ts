import { join } from "node:path";
import { parseAllowList } from "../core/index.ts";
import type { AllowList } from "../core/index.ts";
import type { ConfigInput } from "./given-settings.ts";

/** Returns the environment of this process. `main.ts` passes it to the code that needs it. */
export function getProcessEnvironment(): ConfigInput["env"] {
  return process.env;
}

/** Reports whether the user has disabled colors (https://no-color.org). */
export function isColorDisabled(env: ConfigInput["env"]): boolean {
  return (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
}

/** Returns the user's folder for cached files, or undefined if the environment does not name one. */
export function findUserCacheFolder(env: ConfigInput["env"]): string | undefined {
  const { XDG_CACHE_HOME: cache = "", HOME: home = "" } = env;
  if (cache !== "") return join(cache, "octavo");
  return home === "" ? undefined : join(home, ".cache", "octavo");
}

/**
 * Returns the path of the file with the user's logins to services, or undefined if the environment does not name a
 * folder for it.
 */
export function findLoginsFile(env: ConfigInput["env"]): string | undefined {
  const { XDG_CONFIG_HOME: config = "", HOME: home = "" } = env;
  if (config !== "") return join(config, "octavo", "logins.json");
  return home === "" ? undefined : join(home, ".config", "octavo", "logins.json");
}

/** Reads the service's address and the key for client commands, if the environment sets them. */
export function readClientVariables(env: ConfigInput["env"]): {
  readonly url: string | undefined;
  readonly key: string | undefined;
} {
  const { OCTAVO_URL: url = "", OCTAVO_KEY: key = "" } = env;
  return { url: url || undefined, key: key || undefined };
}

/**
 * Reads the private and local addresses that the user allows the program to reach (`OCTAVO_ALLOW`). Throws
 * `invalid_input` if the setting is malformed.
 */
export function readAllowList(env: ConfigInput["env"]): AllowList {
  return parseAllowList(env["OCTAVO_ALLOW"] ?? "");
}
