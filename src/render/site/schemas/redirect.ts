import { z } from "zod";
import type { Redirect as SiteRedirect } from "../site.ts";
import { Address, hasControl } from "./address.ts";

/** File names on common systems hold 255 bytes; a stub page is named after the last part and ".html". */
const partBytes = 240;

/** Each wildcard multiplies what matching an address can cost. Real redirects have one. */
const wildcards = 4;
export const wildcardPattern = /:[A-Za-z_]\w*\*?|\*/g;

const Source = z
  .string()
  .trim()
  .min(1, "expected a path such as /old-page")
  .max(2_000)
  .refine((source) => !/[#?]/.test(source), "a source cannot hold # or ?; remove that part")
  .refine((source) => !/^[a-z][a-z\d+.-]*:|^\/\//i.test(source), "expected a path of this site")
  .refine((source) => !hasControl(source) && !source.includes("\\"), "expected a path")
  .refine(
    (source) =>
      source.split("/").every((part) => part !== ".." && Buffer.byteLength(part) <= partBytes),
    `expected a path without ".." and with parts of at most ${partBytes} bytes`,
  )
  .refine(
    (source) => (source.match(wildcardPattern)?.length ?? 0) <= wildcards,
    `a source cannot hold more than ${wildcards} wildcards`,
  );

/** One redirect. `source` and `destination` stay as authored. */
export const Redirect: z.ZodType<SiteRedirect> = z.object({
  source: Source,
  destination: Address.max(2_000),
  permanent: z.boolean().default(true),
});

export const Redirects = z.array(Redirect);
