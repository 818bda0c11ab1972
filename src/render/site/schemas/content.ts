import { z } from "zod";

/** Settings of what is found and said: search engines, the 404 page, variables, menus. */

/** A text; numbers and booleans, which authors forget to quote, are taken as they are written. */
const Text = z.union([z.string(), z.number(), z.boolean()], "expected a text").transform(String);

export const Name = z.string().trim().min(1).max(1_000);
export const Description = z.string().max(10_000);

export const Seo = z.object({
  indexing: z.enum(["navigable", "all"]).default("navigable"),
  metatags: z.record(z.string(), Text).default({}),
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

export const Interaction = z.object({ drilldown: z.boolean().exactOptional() });
export const Search = z.object({ prompt: z.string().exactOptional() });
export const Metadata = z.object({ timestamp: z.boolean().default(false) });

export const Variables = z.record(
  z.string().regex(/^[\w-]+$/, "expected a name of letters, digits and hyphens"),
  Text,
);

/** The names of built-in entries; entries that an author describes as an object stay in `extra`. */
export const Contextual = z.object({
  options: z
    .array(z.union([z.string(), z.record(z.string(), z.unknown())], "expected a name or an object"))
    .default([])
    .transform((options) => options.filter((option) => typeof option === "string")),
});
