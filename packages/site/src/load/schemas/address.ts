import { z } from "zod";

const schemePattern = /^([a-z][a-z\d+.-]*):/i;
const allowedSchemes: ReadonlySet<string> = new Set(["http", "https", "mailto", "tel"]);

/**
 * Whether `text` may stand in a link: an address of the web, of mail or of this site. Nothing that
 * runs (`javascript:`), and no control characters, which would break out of a line of `_redirects`.
 */
export function isAddress(text: string): boolean {
  const scheme = schemePattern.exec(text)?.[1];
  return (scheme === undefined || allowedSchemes.has(scheme.toLowerCase())) && !hasControl(text);
}

/** Whether a control character stands in `text`. */
export function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

/** A link that an author may give: an address of the web or a path of the site. */
export const Address = z
  .string("expected an address or a path")
  .trim()
  .min(1, "expected an address or a path")
  .refine(isAddress, "expected a path or an address that begins with https:");
