import { z } from "zod";
import type { NavbarLink, SiteConfig } from "../../site/index.ts";
import { Address } from "./address.ts";

/** Schemas of the parts around every page: navbar, banner, footer. Languages may override these. */

/** Labels for links to networks without a label of their own. */
const networkLabels = { github: "GitHub", discord: "Discord", link: "", button: "" } as const;

/** An icon by its name, or the object form `{ name, style }`. */
export const IconName = z
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
  .regex(/^#?(?:[\da-f]{3}|[\da-f]{6})$/i, 'expected a hex colour such as "#16A34A"')
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
      "expected a hex colour or { light, dark }",
    )
    .exactOptional(),
});
