import { stat } from "node:fs/promises";
import { dirname } from "node:path";

/** The user "nobody" on Linux. */
const nobody = 65_534;

/** The user of processes that must not run as root: "nobody" if root runs the tests, else the same user. */
export const unprivilegedUser: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

/** Whether every user can read a file or folder. */
export async function isReachableByAll(path: string): Promise<boolean> {
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    const { mode } = await stat(at);
    if ((mode & 0o005) !== 0o005) return false;
  }
  return true;
}
