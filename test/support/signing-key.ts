import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface SigningKeyFixture {
  readonly privateKey: string;
  /** `ssh-ed25519 AAAA...` */
  readonly publicKey: string;
}

/** A key as a person makes it. */
export async function makeSigningKey(
  folder: string,
  { type = "ed25519", passphrase = "" }: { type?: string; passphrase?: string } = {},
): Promise<SigningKeyFixture> {
  const file = join(folder, `key-${type}-${passphrase.length}`);
  await run("ssh-keygen", ["-q", "-t", type, "-N", passphrase, "-C", "", "-f", file]);
  const publicKey = (await readFile(`${file}.pub`, "utf8")).trim();
  return { privateKey: await readFile(file, "utf8"), publicKey };
}

/**
 * Returns git's report on a commit's signature for a person who trusts the key for this address. Throws if it is
 * invalid.
 */
export async function verifyCommit(
  repository: string,
  commit: string,
  { folder, email, publicKey }: { folder: string; email: string; publicKey: string },
): Promise<string> {
  const trusted = join(folder, "allowed-signers");
  await writeFile(trusted, `${email} ${publicKey}\n`);
  const settings = ["-c", "gpg.format=ssh", "-c", `gpg.ssh.allowedSignersFile=${trusted}`];
  const { stderr } = await run("git", [...settings, "verify-commit", commit], { cwd: repository });
  return stderr;
}
