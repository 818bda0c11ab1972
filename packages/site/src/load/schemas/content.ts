import { z } from "zod";
import { Address } from "./address.ts";

/** Schemas of settings about content: search engines, the 404 page, variables, menus. */

/** Text; unquoted numbers and booleans are converted. */
const Text = z.union([z.string(), z.number(), z.boolean()], "expected text").transform(String);

const WebAddress = z
  .string()
  .regex(/^https?:\/\/[^\s]+$/i, "expected an address that begins with https:");

export const Name = z.string().trim().min(1).max(1_000);
export const Description = z.string().max(10_000);

/** The publisher of the site, as schema.org describes it. */
const Organization = z.object({
  id: WebAddress.exactOptional(),
  name: z.string().exactOptional(),
  legalName: z.string().exactOptional(),
  url: WebAddress.exactOptional(),
  logo: Address.exactOptional(),
  sameAs: z.array(WebAddress).exactOptional(),
});

export const Seo = z.object({
  indexing: z.enum(["navigable", "all"]).default("navigable"),
  metatags: z.record(z.string(), Text).default({}),
  organization: Organization.exactOptional(),
});

export const Errors = z.object({
  "404": z
    .object({
      redirect: z.boolean().default(false),
      title: z.string().exactOptional(),
      description: z.string().exactOptional(),
    })
    .exactOptional(),
});

/** Instructions for agents are added to every page's Markdown. */
const maxInstructions = 10_000;

/** Instructions for agents on every page; the items of a list become lines. */
export const Markdown = z.object({
  instructions: z
    .union([z.string(), z.array(z.string())], "expected a string or a list of strings")
    .transform((lines) => (typeof lines === "string" ? lines : lines.join("\n")).trim())
    .refine(
      (text) => text.length <= maxInstructions,
      `expected at most ${maxInstructions} characters`,
    )
    .optional(),
});
export const Interaction = z.object({ drilldown: z.boolean().exactOptional() });
export const Search = z.object({ prompt: z.string().exactOptional() });
export const Metadata = z.object({ timestamp: z.boolean().default(false) });
export const Feedback = z.object({
  suggestEdit: z.boolean().default(false),
  raiseIssue: z.boolean().default(false),
});

export const Variables = z.record(
  z.string().regex(/^[\w-]+$/, "expected a name of letters, digits and hyphens"),
  Text,
);
