import { readFile } from "node:fs/promises";
import { OctavoError } from "@octavo/site/core";
import type { PostgresSource } from "./config.ts";

export interface DatabaseUrls {
  readonly url: string;
  readonly directUrl: string | undefined;
}

/**
 * The addresses of the database, with the password from its file. Throws `invalid_input` naming
 * DATABASE_PASSWORD_FILE if the file cannot be read or is empty, or an address has no place for a
 * password; nothing of the password stands in the error.
 */
export async function readDatabaseUrls(source: PostgresSource): Promise<DatabaseUrls> {
  const { url, directUrl, passwordFile } = source;
  if (passwordFile === undefined) return { url, directUrl };
  const text = await readFile(passwordFile, "utf8").catch((cause: unknown) => {
    throw unusable(`names ${passwordFile}, which cannot be read`, { cause });
  });
  const password = text.trim();
  if (password === "") throw unusable(`names ${passwordFile}, which is empty`);
  return {
    url: withPassword("DATABASE_URL", url, password),
    directUrl: directUrl && withPassword("DATABASE_DIRECT_URL", directUrl, password),
  };
}

function withPassword(variable: string, url: string, password: string): string {
  const parsed = new URL(url);
  // An address of its own user has its own password.
  if (parsed.password !== "") return url;
  parsed.password = encodeURIComponent(password);
  // An address without a host, as of a socket, keeps no password.
  if (parsed.password !== "") return parsed.href;
  throw unusable(`is set, and ${variable} names no host; write postgres://user@host:5432/database`);
}

function unusable(why: string, options?: ErrorOptions): OctavoError {
  return new OctavoError("invalid_input", `DATABASE_PASSWORD_FILE ${why}.`, options);
}
