import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { OctavoError } from "@octavo/site/core";

/** A service, and the key for it. */
export interface Login {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string;
}

/** The services that a person signed in to, the one that is used without being named first. */
export type Logins = readonly Login[];

const file = z.array(z.strictObject({ url: z.url(), key: z.string().min(1) }));

/** Throws `invalid_input` for a file that something else wrote. */
export async function readLogins(path: string): Promise<Logins> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "[]";
    throw error;
  });
  try {
    return file.parse(JSON.parse(text));
  } catch (cause) {
    const message = `${path} does not hold what the command login writes; delete it and log in again.`;
    throw new OctavoError("invalid_input", message, { cause });
  }
}

/** Puts a login first, in place of an older one for the same service. */
export async function rememberLogin(path: string, login: Login): Promise<void> {
  const others = (await readLogins(path)).filter(({ url }) => url !== login.url);
  await write(path, [login, ...others]);
}

/** Whether there was a login for the service. */
export async function forgetLogin(path: string, url: string): Promise<boolean> {
  const logins = await readLogins(path);
  const others = logins.filter((login) => login.url !== url);
  if (others.length < logins.length) await write(path, others);
  return others.length < logins.length;
}

/** Nobody else may read it, also while it is written. */
async function write(path: string, logins: Logins): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const partial = `${path}.${process.pid}`;
  await writeFile(partial, `${JSON.stringify(logins, undefined, 2)}\n`, { mode: 0o600 });
  await rename(partial, path);
}
