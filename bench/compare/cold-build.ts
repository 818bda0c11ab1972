import { rm } from "node:fs/promises";
import type { Build } from "../peers/peer.ts";
import { measure } from "../process-meter.ts";
import type { Usage } from "../process-meter.ts";

const timeoutMs = 60 * 60_000;

/** Builds a site without anything that an earlier build left. */
export async function buildCold({ command, cwd, env, output, caches }: Build): Promise<Usage> {
  for (const path of [output, ...caches]) await rm(path, { recursive: true, force: true });
  return measure(command, { cwd, timeoutMs, ...(env && { env }) });
}
