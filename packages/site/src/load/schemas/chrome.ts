import { z } from "zod";
import type { ContextualMenu, ContextualOption, NavbarLink, SiteConfig } from "../../site/index.ts";
import { Address } from "./address.ts";

/** The schemas of the parts around every page: navbar, banner, footer. Languages may override these parts. */

/** The labels of links that have no label of their own, by network. */
const networkLabels = { github: "GitHub", discord: "Discord", link: "", button: "" } as const;

/** An icon by its name, or the object form `{ name, style }`. */
const IconName = z
  .union([z.string(), z.object({ name: z.string() })], "expected the name of an icon")
  .transform((icon) => (typeof icon === "string" ? icon : icon.name));

const LinkParts = {
  label: z.string().exactOptional(),
  href: Address,
  icon: IconName.exactOptional(),
  iconType: z.string().exactOptional(),
};

const Link = z
  .object({ type: z.enum(["github", "discord", "link"]).default("link"), ...LinkParts })
  .transform(({ label, ...rest }): NavbarLink => ({
    ...rest,
    label: label ?? networkLabels[rest.type],
  }));

const Primary = z
  .object({ type: z.enum(["button", "github", "discord"]).default("button"), ...LinkParts })
  .transform(({ label, ...rest }): NavbarLink => ({
    ...rest,
    label: label ?? networkLabels[rest.type],
  }));

export const Navbar = z.object({
  links: z.array(Link).default([]),
  primary: Primary.exactOptional(),
});

const Column = z.object({
  header: z.string().exactOptional(),
  items: z.array(z.object({ label: z.string(), href: Address })),
});

export const Footer = z
  .object({
    socials: z.record(z.string(), Address).default({}),
    links: z.array(Column).default([]),
  })
  .transform(({ socials, links }): SiteConfig["footer"] => ({ socials, columns: links }));

const BannerColor = z
  .string()
  .regex(/^#?(?:[\da-f]{3}|[\da-f]{6})$/i, 'expected a hex color such as "#16A34A"')
  .transform((hex) => (hex.startsWith("#") ? hex : `#${hex}`));

export const Banner = z.object({
  content: z.string().min(1),
  dismissible: z.boolean().default(false),
  type: z.enum(["info", "warning", "critical"]).default("info"),
  color: z
    .union(
      [
        BannerColor.transform((color) => ({ light: color, dark: color })),
        z.object({ light: BannerColor.exactOptional(), dark: BannerColor.exactOptional() }),
      ],
      "expected a hex color or { light, dark }",
    )
    .exactOptional(),
});

/** The query parameters of an address: `[{ key, value }]` or an object. */
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

/** The menu of a page: names of built-in entries, and custom entries. */
export const Contextual: z.ZodType<ContextualMenu> = z.object({
  options: z
    .array(z.union([z.string(), Option], "expected a name or { title, description, icon, href }"))
    .max(100)
    .default([]),
  display: z.enum(["header", "toc"]).default("header"),
});
