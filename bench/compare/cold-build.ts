import { randomUUID } from "node:crypto";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Build } from "../peers/peer.ts";
import { measure } from "../process-meter.ts";
import type { Usage } from "../process-meter.ts";

const timeoutMs = 60 * 60_000;

/** Beside the folders of a peer's sites. */
export const asideFolder = "aside";

/**
 * Builds a site without anything that an earlier build left. That is put aside, not removed: after many files
 * were removed, ext4 takes longer to make new ones, for half a minute.
 */
export async function buildCold({ command, cwd, env, output, caches }: Build): Promise<Usage> {
  const aside = join(cwd, "../..", asideFolder, randomUUID());
  for (const [index, path] of [output, ...caches].entries()) {
    await mkdir(aside, { recursive: true });
    await rename(path, join(aside, String(index))).catch(passOverMissing);
  }
  return measure(command, { cwd, timeoutMs, ...(env && { env }) });
}

function passOverMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
