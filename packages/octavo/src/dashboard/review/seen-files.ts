import { sha256 } from "@octavo/site/core";
import type { MeasuredChange } from "../../git/index.ts";

/** The files of a pull request that somebody has seen, as this browser remembers them. */
export type SeenFiles = ReadonlySet<string>;

const name = "octavo-seen";
const markLength = 6;
/** A browser stores 4 KB in a cookie. */
const maxMarks = 600;
const maxAgeSeconds = 90 * 24 * 60 * 60;

/** Of a file with its content: a file that changed again has not been seen. */
export function seenMark({ path, object }: Pick<MeasuredChange, "path" | "object">): string {
  const hash = Buffer.from(sha256(`${path}\0${object}`), "hex");
  return hash.toString("base64url").slice(0, markLength);
}

export function readSeenFiles(cookies: string | undefined): SeenFiles {
  const pair = cookies?.split(";").find((text) => text.trim().startsWith(`${name}=`));
  const [, value = ""] = /=([\w-]*)\s*$/.exec(pair ?? "") ?? [];
  return new Set(value.match(/.{6}/g));
}

/** The `Set-Cookie` header for one pull request, whose pages are below `address`; it forgets the oldest marks. */
export function writeSeenFiles(seen: SeenFiles, address: string, isSecure: boolean): string {
  const value = [...seen].slice(-maxMarks).join("");
  const attributes = `Path=${address}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  return `${name}=${value}; Max-Age=${maxAgeSeconds}; ${attributes}`;
}

/** The files that were seen, with one more or less. */
export function toggleSeen(seen: SeenFiles, mark: string): SeenFiles {
  const changed = new Set(seen);
  if (!changed.delete(mark)) changed.add(mark);
  return changed;
}
