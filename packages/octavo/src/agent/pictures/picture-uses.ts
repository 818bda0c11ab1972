import { isOctavoError } from "@octavo/site/core";
import { baseName } from "../content.ts";
import type { Workspace } from "../workspace.ts";

/** A line of a page or snippet that names a picture. */
export interface PictureUse {
  readonly file: string;
  readonly line: number;
  /** Undefined where the line holds none. */
  readonly alt?: string;
}

const maxUses = 20;
const maxLine = 5_000;

/** The lines of pages that show a picture, found by its path, each with its alternative text. */
export async function findPictureUses(
  workspace: Workspace,
  path: string,
  signal: AbortSignal,
): Promise<readonly PictureUse[]> {
  const uses: PictureUse[] = [];
  for (const file of await workspace.files()) {
    signal.throwIfAborted();
    if (!/\.mdx?$/.test(file)) continue;
    for (const use of usesIn(file, await readOptional(workspace, file), baseName(path))) {
      if (uses.push(use) === maxUses) return uses;
    }
  }
  return uses;
}

function* usesIn(file: string, text: string, name: string): Generator<PictureUse> {
  if (!text.includes(name)) return;
  for (const [index, whole] of text.split("\n").entries()) {
    const line = whole.slice(0, maxLine);
    const at = line.indexOf(name);
    if (at === -1 || /[\w-]/.test(line[at - 1] ?? "")) continue;
    const alt = altOf(line, at);
    yield { file, line: index + 1, ...(alt !== undefined && { alt }) };
  }
}

/** The words in brackets before the address, or the attribute of the tag around it. */
function altOf(line: string, at: number): string | undefined {
  const start = line.lastIndexOf("![", at);
  const end = line.indexOf("](", Math.max(start, 0));
  if (start !== -1 && end !== -1 && end < at) return line.slice(start + 2, end);
  return /\balt=(?:"([^"]{0,500})"|'([^']{0,500})'|\{"([^"]{0,500})"\})/
    .exec(line)
    ?.slice(1)
    .find(Boolean);
}

async function readOptional(workspace: Workspace, file: string): Promise<string> {
  try {
    return await workspace.readText(file);
  } catch (error) {
    if (isOctavoError(error)) return "";
    throw error;
  }
}
