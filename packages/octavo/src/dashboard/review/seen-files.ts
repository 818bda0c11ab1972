import { sha256 } from "@octavo/site/core";
import type { MeasuredChange } from "../../git/index.ts";

const cookieName = "octavo-seen";
const markLength = 6;
/** The maximum number of marks. A browser stores at most 4 KB in a cookie. */
const maxMarks = 600;
const maxAgeSeconds = 90 * 24 * 60 * 60;

/**
 * Returns the mark of a file with its current content, so that a file that changes again is no longer marked as viewed.
 */
export function createSeenMark({ path, object }: Pick<MeasuredChange, "path" | "object">): string {
  const hash = Buffer.from(sha256(`${path}\0${object}`), "hex");
  return hash.toString("base64url").slice(0, markLength);
}

/** Returns the marks of a pull request's viewed files that this browser stores. */
export function readSeenFiles(cookies: string | undefined): ReadonlySet<string> {
  const pair = cookies?.split(";").find((text) => text.trim().startsWith(`${cookieName}=`));
  const [, value = ""] = /=([\w-]*)\s*$/.exec(pair ?? "") ?? [];
  return new Set(value.match(/.{6}/g));
}

/**
 * Returns the `Set-Cookie` header for one pull request, whose pages are below `address`. The oldest marks are dropped
 * if there are too many.
 */
export function writeSeenFiles(
  seen: ReadonlySet<string>,
  address: string,
  isSecure: boolean,
): string {
  const value = [...seen].slice(-maxMarks).join("");
  const attributes = `Path=${address}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  return `${cookieName}=${value}; Max-Age=${maxAgeSeconds}; ${attributes}`;
}

/** Adds or removes a mark. */
export function toggleSeen(seen: ReadonlySet<string>, mark: string): ReadonlySet<string> {
  const toggledMarks = new Set(seen);
  if (!toggledMarks.delete(mark)) toggledMarks.add(mark);
  return toggledMarks;
}
