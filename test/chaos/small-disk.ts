import { execFileSync } from "node:child_process";
import { mkdir, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";

const megabyte = 1_000_000;
const diskBytes = 160 * megabyte;

/** A folder on a file system of its own that can be filled. */
export interface SmallDisk extends AsyncDisposable {
  /** Leaves so much. */
  fill(freeBytes: number): Promise<void>;
  empty(): Promise<void>;
}

/** Mounts one at `path`; undefined where the system does not let this user. */
export async function mountSmallDisk(path: string): Promise<SmallDisk | undefined> {
  await mkdir(path, { recursive: true });
  try {
    const options = `size=${diskBytes},mode=0700`;
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  const unmount = () => {
    execFileSync("umount", ["--lazy", path], { stdio: "ignore" });
  };
  process.once("exit", unmount);
  const filler = join(path, "filler");
  return {
    async fill(freeBytes) {
      const { bavail, bsize } = await statfs(path);
      const bytes = Math.max(0, bavail * bsize - freeBytes);
      // What does not fit is not there: the disk is then as full as it can be.
      await writeFile(filler, Buffer.alloc(bytes)).catch(() => undefined);
    },
    empty: () => rm(filler, { force: true }),
    [Symbol.asyncDispose]() {
      process.off("exit", unmount);
      unmount();
      return Promise.resolve();
    },
  };
}
