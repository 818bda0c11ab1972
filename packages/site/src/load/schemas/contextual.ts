import { z } from "zod";
import type { ContextualMenu, ContextualOption } from "../../site/index.ts";
import { Address } from "./address.ts";
import { IconName } from "./chrome.ts";

/** Parameters of an address: `[{ key, value }]`, or an object. */
const Query = z
  .union(
    [z.array(z.object({ key: z.string(), value: z.string() })), z.record(z.string(), z.string())],
    "expected a list of { key, value }",
  )
  .transform((query) =>
    Array.isArray(query)
      ? query.map(({ key, value }) => [key, value] as const)
      : Object.entries(query),
  );

const Option = z
  .object({
    title: z.string().trim().min(1).max(200),
    description: z.string().max(1_000).exactOptional(),
    icon: IconName.exactOptional(),
    href: z.union([Address, z.object({ base: Address, query: Query.default([]) })]),
  })
  .transform(({ href, ...option }): ContextualOption => {
    const isPlain = typeof href === "string";
    return { ...option, href: isPlain ? href : href.base, query: isPlain ? [] : href.query };
  });

/** The menu of a page: names of built-in entries, and the author's own. */
export const Contextual: z.ZodType<ContextualMenu> = z.object({
  options: z
    .array(z.union([z.string(), Option], "expected a name or { title, description, icon, href }"))
    .max(100)
    .default([]),
  display: z.enum(["header", "toc"]).default("header"),
});
