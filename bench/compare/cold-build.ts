import { randomUUID } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Build } from "../peers/peer.ts";
import { measure } from "../process-meter.ts";
import type { Usage } from "../process-meter.ts";

const timeoutMs = 60 * 60_000;

/** In the folder in which the benchmark works. */
const asideFolder = "aside";

/** Builds a site without anything that an earlier build left. */
export async function buildCold({ command, cwd, env, output, caches }: Build): Promise<Usage> {
  const work = join(cwd, "../../..");
  for (const path of [output, ...caches]) await putAside(path, work);
  return measure(command, { cwd, timeoutMs, ...(env && { env }) });
}

/**
 * Takes a folder out of the way, if it is there, without removing it: for a minute or more after files were removed,
 * ext4 looks at what became free again for each file that it makes, which was a tenth of an export's CPU.
 */
export async function putAside(path: string, work: string): Promise<void> {
  const aside = join(work, asideFolder);
  await mkdir(aside, { recursive: true });
  await rename(path, join(aside, randomUUID())).catch(passOverMissing);
}

/** Removes what was put aside; to be called when nothing is measured any more. */
export async function clearAside(work: string): Promise<void> {
  await rm(join(work, asideFolder), { recursive: true, force: true });
}

function passOverMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
