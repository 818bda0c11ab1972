import { join } from "node:path";
import { parseAllowList } from "../core/index.ts";
import type { AllowList } from "../core/index.ts";
import type { ConfigInput } from "./config.ts";

/** The environment of this process; `main.ts` passes it to the code that needs it. */
export function processEnvironment(): ConfigInput["env"] {
  return process.env;
}

/** Whether the user has turned colours off (https://no-color.org). */
export function isColorDisabled(env: ConfigInput["env"]): boolean {
  return (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
}

/** The user's folder for cached files; undefined if there is no home folder. */
export function userCacheFolder(env: ConfigInput["env"]): string | undefined {
  const { XDG_CACHE_HOME: cache = "", HOME: home = "" } = env;
  if (cache !== "") return join(cache, "octavo");
  return home === "" ? undefined : join(home, ".cache", "octavo");
}

/**
 * The private and local addresses that the user lets the program reach (`OCTAVO_ALLOW`). Throws
 * `invalid_input` if the setting is malformed.
 */
export function readAllowList(env: ConfigInput["env"]): AllowList {
  return parseAllowList(env["OCTAVO_ALLOW"] ?? "");
}
