import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { OctavoError, isSystemError } from "@octavo/site/core";

/** A service and an API key for it. */
export interface Login {
  /** The URL, without a trailing slash. */
  readonly url: string;
  readonly key: string;
}

/** The services to which a person has logged in. The first service is used by default. */
export type Logins = readonly Login[];

const loginsSchema = z.array(z.strictObject({ url: z.url(), key: z.string().min(1) }));

/** Reads the logins. Throws `invalid_input` if the file is not valid. */
export async function readLogins(path: string): Promise<Logins> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isSystemError(error, "ENOENT")) return "[]";
    throw error;
  });
  try {
    return loginsSchema.parse(JSON.parse(text));
  } catch (cause) {
    const message = `${path} is not a valid login file; delete it and log in again.`;
    throw new OctavoError("invalid_input", message, { cause });
  }
}

/** Stores a login as the first one and removes an older login for the same service. */
export async function storeLogin(path: string, login: Login): Promise<void> {
  const others = (await readLogins(path)).filter(({ url }) => url !== login.url);
  await writeLogins(path, [login, ...others]);
}

/** Removes the login for a service. Returns false if there was no login. */
export async function removeLogin(path: string, url: string): Promise<boolean> {
  const logins = await readLogins(path);
  const others = logins.filter((login) => login.url !== url);
  if (others.length < logins.length) await writeLogins(path, others);
  return others.length < logins.length;
}

/** Writes the file. Other users cannot read it, even while it is being written. */
async function writeLogins(path: string, logins: Logins): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const partial = `${path}.${process.pid}`;
  await writeFile(partial, `${JSON.stringify(logins, undefined, 2)}\n`, { mode: 0o600 });
  await rename(partial, path);
}
