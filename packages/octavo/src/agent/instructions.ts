import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { join } from "node:path";
import { resolveInside } from "@octavo/site/core";
import { agentFile } from "./content.ts";

/** What a team tells agents about its site. */
export interface SiteInstructions {
  /** For the model: its path in the checkout, or what it is where it lies outside. */
  readonly file: string;
  readonly text: string;
}

const names = [agentFile, "AGENTS.md", "CLAUDE.md"];
/** Some 4,000 tokens; longer ones are cut. */
const fileLength = 16_000;
const readBytes = 64 * 1_024;
/** Of a file that can be read whole only; a larger one is no guide. */
const outsideBytes = 1_024 * 1_024;

export interface InstructionPlace {
  /** Links resolved. */
  readonly checkout: string;
  /** Relative to the checkout; empty for its root. */
  readonly siteFolder: string;
  readonly readOutside: ReadOutside | undefined;
}

/**
 * Reads a file of the repository's root where the checkout does not begin there: at most `maxBytes`;
 * undefined for what is missing, larger, or no plain file.
 */
export type ReadOutside = (path: string, maxBytes: number) => Promise<string | undefined>;

/**
 * Reads the site's own instructions, those of its folder first, then those of the repository's root.
 * Files that are missing, links or no text are passed over, and the same text is taken once.
 */
export async function readInstructions({
  checkout,
  siteFolder,
  readOutside,
}: InstructionPlace): Promise<readonly SiteInstructions[]> {
  const folders = siteFolder === "" ? [""] : [`${siteFolder}/`, ""];
  const found: SiteInstructions[] = [];
  const take = (file: string, text: string | undefined): void => {
    const isKnown = found.some((other) => other.text === text);
    if (text !== undefined && text !== "" && !isKnown) found.push({ file, text });
  };
  for (const file of folders.flatMap((folder) => names.map((name) => folder + name))) {
    take(file, await readStart(checkout, file));
  }
  if (!readOutside) return found;
  for (const name of names) {
    const text = await readOutside(name, outsideBytes);
    take(`the repository's ${name}`, text === undefined ? undefined : shortened(text));
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
    return shortened(buffer.toString("utf8", 0, bytesRead));
  } catch {
    return undefined;
  }
}

function shortened(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > fileLength ? `${trimmed.slice(0, fileLength)}\n(cut)` : trimmed;
}

async function refuseLinkedFolder(checkout: string, file: string): Promise<void> {
  let folder = checkout;
  for (const part of file.split("/").slice(0, -1)) {
    folder = join(folder, part);
    if ((await lstat(folder)).isSymbolicLink()) throw new Error(`${part} is a link`);
  }
}
