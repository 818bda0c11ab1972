import { join } from "node:path";
import { parseAllowList } from "../core/index.ts";
import type { AllowList } from "../core/index.ts";
import type { ConfigInput } from "./config.ts";

/** The environment that this process was started in; `main.ts` hands it to whoever needs a value. */
export function processEnvironment(): ConfigInput["env"] {
  return process.env;
}

/** Whether the person wants no colours (https://no-color.org). */
export function refusesColor(env: ConfigInput["env"]): boolean {
  return (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
}

/** This person's folder for what can be made again; undefined where there is no home. */
export function userCacheFolder(env: ConfigInput["env"]): string | undefined {
  const { XDG_CACHE_HOME: cache = "", HOME: home = "" } = env;
  if (cache !== "") return join(cache, "octavo");
  return home === "" ? undefined : join(home, ".cache", "octavo");
}

/**
 * What this person lets the program reach although it is private or local (`OCTAVO_ALLOW`). Throws
 * `invalid_input` where it cannot be read.
 */
export function allowedPlaces(env: ConfigInput["env"]): AllowList {
  return parseAllowList(env["OCTAVO_ALLOW"] ?? "");
}
