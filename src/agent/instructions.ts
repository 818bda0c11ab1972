import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { join } from "node:path";
import { resolveInside } from "../core/index.ts";
import { agentFile } from "./content.ts";

/** What a team tells agents about its site. */
export interface SiteInstructions {
  /** Relative to the checkout. */
  readonly file: string;
  readonly text: string;
}

const names = [agentFile, "AGENTS.md", "CLAUDE.md"];
/** Some 4,000 tokens; longer ones are cut. */
const fileLength = 16_000;
const readBytes = 64 * 1_024;

/**
 * Reads the site's own instructions, those of its folder first, then those of the repository's root.
 * Files that are missing, links or no text are passed over, and the same text is taken once.
 */
export async function readInstructions(
  checkout: string,
  siteFolder: string,
): Promise<readonly SiteInstructions[]> {
  const folders = siteFolder === "" ? [""] : [`${siteFolder}/`, ""];
  const found: SiteInstructions[] = [];
  for (const file of folders.flatMap((folder) => names.map((name) => folder + name))) {
    const text = await readStart(checkout, file);
    if (text === undefined || text === "" || found.some((other) => other.text === text)) continue;
    found.push({ file, text });
  }
  return found;
}

async function readStart(checkout: string, file: string): Promise<string | undefined> {
  try {
    await refuseLinkedFolder(checkout, file);
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    await using handle = await open(resolveInside(checkout, file), flags);
    if (!(await handle.stat()).isFile()) return undefined;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(readBytes), 0, readBytes, 0);
    const text = buffer.toString("utf8", 0, bytesRead).trim();
    return text.length > fileLength ? `${text.slice(0, fileLength)}\n(cut)` : text;
  } catch {
    return undefined;
  }
}

async function refuseLinkedFolder(checkout: string, file: string): Promise<void> {
  let folder = checkout;
  for (const part of file.split("/").slice(0, -1)) {
    folder = join(folder, part);
    if ((await lstat(folder)).isSymbolicLink()) throw new Error(`${part} is a link`);
  }
}
