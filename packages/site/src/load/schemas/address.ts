import { z } from "zod";
import { wildcardPattern } from "../../site/index.ts";
import type { SiteRedirect } from "../../site/index.ts";

const schemePattern = /^([a-z][a-z\d+.-]*):/i;
const allowedSchemes: ReadonlySet<string> = new Set(["http", "https", "mailto", "tel"]);

/**
 * Reports whether `text` is a valid target of a link: an HTTP, mail or telephone address, or a path of this site.
 * Rejects schemes that run code (`javascript:`) and control characters, which would break a line of `_redirects`.
 */
export function isAddress(text: string): boolean {
  const scheme = schemePattern.exec(text)?.[1];
  return (scheme === undefined || allowedSchemes.has(scheme.toLowerCase())) && !hasControl(text);
}

/** Reports whether `text` contains a control character. */
function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

/** A link that an author wrote: an address or a path of the site. */
export const Address = z
  .string("expected an address or a path")
  .trim()
  .min(1, "expected an address or a path")
  .refine(isAddress, "expected a path or an address that begins with https:");

/** Common systems limit file names to 255 bytes. A redirect stub is named after the last segment, plus ".html". */
const maxPartBytes = 240;

/**
 * Wildcards that can match in several ways multiply the steps of hosts that backtrack: with two such wildcards, an
 * address of 2,000 characters takes 4 million steps. Wildcards that are whole segments (`/:a/:b`) match in only one
 * way.
 */
const maxOpenWildcards = 2;

function countOpenWildcards(source: string): number {
  const parts = source.split("/").filter((part) => !/^:[A-Za-z_]\w*$/.test(part));
  return parts.reduce((count, part) => count + (part.match(wildcardPattern)?.length ?? 0), 0);
}

const Source = z
  .string()
  .trim()
  .min(1, "expected a path such as /old-page")
  .max(2_000)
  .refine((source) => !/[#?]/.test(source), "a source cannot contain # or ?; remove that part")
  .refine((source) => !/^[a-z][a-z\d+.-]*:|^\/\//i.test(source), "expected a path of this site")
  .refine((source) => !hasControl(source) && !source.includes("\\"), "expected a path")
  .refine(
    (source) =>
      source.split("/").every((part) => part !== ".." && Buffer.byteLength(part) <= maxPartBytes),
    `expected a path without ".." and with parts of at most ${maxPartBytes} bytes`,
  )
  .refine(
    (source) => countOpenWildcards(source) <= maxOpenWildcards,
    `a source cannot have more than ${maxOpenWildcards} wildcards besides whole parts such as /:name/`,
  );

/** One redirect. `source` and `destination` are not changed. */
const Redirect: z.ZodType<SiteRedirect> = z.object({
  source: Source,
  destination: Address.max(2_000),
  permanent: z.boolean().default(true),
});

export const Redirects = z.array(Redirect);
