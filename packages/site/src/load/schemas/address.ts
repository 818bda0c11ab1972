import { z } from "zod";

const schemePattern = /^([a-z][a-z\d+.-]*):/i;
const allowedSchemes: ReadonlySet<string> = new Set(["http", "https", "mailto", "tel"]);

/**
 * Whether `text` is a valid target of a link: an HTTP, mail or telephone address, or a path of this site.
 * No scheme that runs code (`javascript:`), and no control characters, which would break a line of `_redirects`.
 */
export function isAddress(text: string): boolean {
  const scheme = schemePattern.exec(text)?.[1];
  return (scheme === undefined || allowedSchemes.has(scheme.toLowerCase())) && !hasControl(text);
}

/** Whether `text` contains a control character. */
export function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

/** An author's link: an address or a path of the site. */
export const Address = z
  .string("expected an address or a path")
  .trim()
  .min(1, "expected an address or a path")
  .refine(isAddress, "expected a path or an address that begins with https:");
