import { readFile } from "node:fs/promises";
import { OctavoError } from "@octavo/site/core";
import type { PostgresSource } from "./config.ts";

/**
 * The address of the database, with the password from its file. Throws `invalid_input` naming
 * DATABASE_PASSWORD_FILE where the file cannot be read or is empty, or the address has no place for a
 * password; nothing of the password stands in the error.
 */
export async function readDatabaseUrl({ url, passwordFile }: PostgresSource): Promise<string> {
  if (passwordFile === undefined) return url;
  const text = await readFile(passwordFile, "utf8").catch((cause: unknown) => {
    throw unusable(`names ${passwordFile}, which cannot be read`, { cause });
  });
  const password = text.trim();
  if (password === "") throw unusable(`names ${passwordFile}, which is empty`);
  const withPassword = new URL(url);
  withPassword.password = encodeURIComponent(password);
  // An address without a host, as of a socket, keeps no password.
  if (withPassword.password !== "") return withPassword.href;
  throw unusable(
    "is set, and DATABASE_URL names no host; write postgres://user@host:5432/database",
  );
}

function unusable(why: string, options?: ErrorOptions): OctavoError {
  return new OctavoError("invalid_input", `DATABASE_PASSWORD_FILE ${why}.`, options);
}
