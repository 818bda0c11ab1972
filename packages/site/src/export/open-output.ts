import { constants, openSync, rmSync } from "node:fs";

const { O_RDWR, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;

/** Opens a file of the bundle to be written anew. A link in its place is removed: what it leads to is not the bundle's. */
export function openOutput(file: string): number {
  const open = () => openSync(file, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o666);
  try {
    return open();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ELOOP") throw error;
    rmSync(file);
    return open();
  }
}
