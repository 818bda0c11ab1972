import { z } from "zod";
import { themeNames, type SiteConfig, type Themed, wildcardPattern } from "../site/index.ts";
import type { ContextualMenu, ContextualOption, NavbarLink, SiteRedirect } from "../site/index.ts";

const schemePattern = /^([a-z][a-z\d+.-]*):/i;
const allowedSchemes: ReadonlySet<string> = new Set(["http", "https", "mailto", "tel"]);

/**
 * Reports whether `text` is a valid target of a link: an HTTP, mail or telephone address, or a path of this site.
 * Rejects schemes that run code (`javascript:`) and control characters, which would break a line of `_redirects`.
 */
export function isAddress(text: string): boolean {
  const scheme = schemePattern.exec(text)?.[1];
  return (
    (scheme === undefined || allowedSchemes.has(scheme.toLowerCase())) && !hasControlCharacter(text)
  );
}

/** Reports whether `text` contains a control character. */
function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

/** A link that an author wrote: an address or a path of the site. */
const Address = z
  .string("expected an address or a path")
  .trim()
  .min(1, "expected an address or a path")
  .refine(isAddress, "expected a path or an address that begins with https:");

/** Common systems limit file names to 255 bytes. A redirect stub is named after the last segment, plus ".html". */
const maxPartBytes = 240;

/**
 * Wildcards that can match in several ways multiply the number of steps on hosts that match by backtracking: with two
 * such wildcards, an address of 2,000 characters takes 4 million steps. Wildcards that are whole segments (`/:a/:b`)
 * match in only one way.
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
  .refine((source) => !hasControlCharacter(source) && !source.includes("\\"), "expected a path")
  .refine(
    (source) =>
      source.split("/").every((part) => part !== ".." && Buffer.byteLength(part) <= maxPartBytes),
    `expected a path without ".." and with parts of at most ${maxPartBytes} bytes`,
  )
  .refine(
    (source) => countOpenWildcards(source) <= maxOpenWildcards,
    `a source cannot have more than ${maxOpenWildcards} wildcards, not counting whole parts such as /:name/`,
  );

/** One redirect. `source` and `destination` stay as written, except for spaces around them. */
const Redirect: z.ZodType<SiteRedirect> = z.object({
  source: Source,
  destination: Address.max(2_000),
  permanent: z.boolean().default(true),
});

const Redirects = z.array(Redirect);

/** The schemas of a site's appearance: theme, colors, logos, fonts. */

const Theme = z.enum(themeNames, `expected one of ${themeNames.join(", ")}`);

const Hex = z
  .string('expected a hex color such as "#16A34A"')
  .regex(/^#?(?:[\da-f]{3}|[\da-f]{6})$/i, 'expected a hex color such as "#16A34A"')
  .transform((hex) => (hex.startsWith("#") ? hex : `#${hex}`));

const Colors = z.object({
  primary: Hex.exactOptional(),
  light: Hex.exactOptional(),
  dark: Hex.exactOptional(),
});

/** Accepts one string for both color schemes, or one per scheme. A string for only one scheme is used for both. */
function createThemedSchema(text: z.ZodType<string>, expected: string) {
  const Pair = z
    .object({ light: text.exactOptional(), dark: text.exactOptional() })
    .refine(({ light, dark }) => (light ?? dark) !== undefined, expected);
  return z
    .union([text, Pair], expected)
    .transform((value) => (typeof value === "string" ? toPair(value) : completePair(value)));
}

function toPair(value: string): Themed {
  return { light: value, dark: value };
}

function completePair(pair: Partial<Themed>): Themed {
  const light = pair.light ?? pair.dark ?? "";
  return { light, dark: pair.dark ?? light };
}

const Favicon = createThemedSchema(Address, "expected a path or { light, dark }");

const LogoPair = z
  .object({
    light: Address.exactOptional(),
    dark: Address.exactOptional(),
    href: Address.exactOptional(),
  })
  .refine(({ light, dark }) => (light ?? dark) !== undefined, "expected { light, dark, href }");

const Logo = z
  .union([Address, LogoPair], "expected a path or { light, dark, href }")
  .transform((value): NonNullable<SiteConfig["logo"]> => {
    if (typeof value === "string") return toPair(value);
    const pair = completePair(value);
    return value.href === undefined ? pair : { ...pair, href: value.href };
  });

const Appearance = z.object({
  default: z.enum(["system", "light", "dark"]).default("system"),
  strict: z.boolean().default(false),
});

const FontText = z.string().trim().min(1).max(200);
const FontSource = {
  weight: z.number().min(1).max(1000).exactOptional(),
  source: Address.exactOptional(),
  format: z.enum(["woff", "woff2"]).exactOptional(),
};
const Font = z.object({ family: FontText, ...FontSource });

/** A font for all text, fonts for headings and for the body, or a combination of these. */
const Fonts = z
  .object({
    family: FontText.exactOptional(),
    ...FontSource,
    heading: Font.exactOptional(),
    body: Font.exactOptional(),
  })
  .transform(({ heading, body, family, ...source }) => {
    const general = family === undefined ? undefined : { family, ...source };
    return {
      ...(heading || general ? { heading: heading ?? general } : {}),
      ...(body || general ? { body: body ?? general } : {}),
    } as NonNullable<SiteConfig["fonts"]>;
  });

const Icons = z.object({
  library: z.enum(["fontawesome", "lucide", "tabler"]).default("fontawesome"),
});

const Background = z.object({
  decoration: z.enum(["gradient", "grid", "windows"]).exactOptional(),
  color: z.object({ light: Hex.exactOptional(), dark: Hex.exactOptional() }).exactOptional(),
  image: createThemedSchema(Address, "expected a path or { light, dark }").exactOptional(),
});

/** The Shiki theme for the value `"dark"`, with which code blocks are dark in both color schemes. */
const darkCodeTheme = "github-dark";
const CodeThemeName = z
  .string()
  .regex(/^[a-z][a-z\d-]{0,60}$/, 'expected the name of a Shiki theme, "system" or "dark"')
  .transform((name) => (name === "dark" ? darkCodeTheme : name));
const CodeTheme = createThemedSchema(
  CodeThemeName,
  "expected the name of a Shiki theme or { light, dark }",
);

const Styling = z.object({
  eyebrows: z.enum(["section", "breadcrumbs"]).default("section"),
  latex: z.boolean().default(true),
  codeblocks: z
    .union(
      [CodeThemeName, z.object({ theme: CodeTheme.exactOptional() })],
      'expected "system", "dark", the name of a Shiki theme or { theme }',
    )
    .transform((value) => (typeof value === "string" ? toPair(value) : value.theme))
    // The value "system" selects the default.
    .transform((theme) => (theme?.light === "system" ? undefined : theme))
    .optional(),
});

/** The schemas of settings about content: search engines, the 404 page, variables, menus. */

/** Text. Unquoted numbers and booleans are converted. */
const Text = z.union([z.string(), z.number(), z.boolean()], "expected text").transform(String);

const WebAddress = z
  .string()
  .regex(/^https?:\/\/[^\s]+$/i, "expected an address that begins with https:");

const Name = z.string().trim().min(1).max(1_000);
const Description = z.string().max(10_000);

/** The publisher of the site, as schema.org describes it. */
const Organization = z.object({
  id: WebAddress.exactOptional(),
  name: z.string().exactOptional(),
  legalName: z.string().exactOptional(),
  url: WebAddress.exactOptional(),
  logo: Address.exactOptional(),
  sameAs: z.array(WebAddress).exactOptional(),
});

const Seo = z.object({
  indexing: z.enum(["navigable", "all"]).default("navigable"),
  metatags: z.object({ canonical: WebAddress.exactOptional() }).catchall(Text).default({}),
  organization: Organization.exactOptional(),
});

const Errors = z.object({
  "404": z
    .object({
      redirect: z.boolean().default(false),
      title: z.string().exactOptional(),
      description: z.string().exactOptional(),
    })
    .exactOptional(),
});

/** The maximum length of instructions for agents, which are added to every page's Markdown. */
const maxInstructionsLength = 10_000;

/** Instructions for agents, which are added to every page. The items of a list become lines. */
const Markdown = z.object({
  instructions: z
    .union([z.string(), z.array(z.string())], "expected a string or a list of strings")
    .transform((lines) => (typeof lines === "string" ? lines : lines.join("\n")).trim())
    .refine(
      (text) => text.length <= maxInstructionsLength,
      `expected at most ${maxInstructionsLength} characters`,
    )
    .optional(),
});
const Interaction = z.object({ drilldown: z.boolean().exactOptional() });
const Search = z.object({ prompt: z.string().exactOptional() });
const Metadata = z.object({ timestamp: z.boolean().default(false) });
const Feedback = z.object({
  suggestEdit: z.boolean().default(false),
  raiseIssue: z.boolean().default(false),
});

const Variables = z.record(
  z.string().regex(/^[\w-]+$/, "expected a name of letters, digits and hyphens"),
  Text,
);

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

const Navbar = z.object({
  links: z.array(Link).default([]),
  primary: Primary.exactOptional(),
});

const Column = z.object({
  header: z.string().exactOptional(),
  items: z.array(z.object({ label: z.string(), href: Address })),
});

const Footer = z
  .object({
    socials: z.record(z.string(), Address).default({}),
    links: z.array(Column).default([]),
  })
  .transform(({ socials, links }): SiteConfig["footer"] => ({ socials, columns: links }));

const BannerColor = z
  .string()
  .regex(/^#?(?:[\da-f]{3}|[\da-f]{6})$/i, 'expected a hex color such as "#16A34A"')
  .transform((hex) => (hex.startsWith("#") ? hex : `#${hex}`));

const Banner = z.object({
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
const Contextual: z.ZodType<ContextualMenu> = z.object({
  options: z
    .array(z.union([z.string(), Option], "expected a name or { title, description, icon, href }"))
    .max(100)
    .default([]),
  display: z.enum(["header", "toc"]).default("header"),
});

/** The schemas of the sections of a configuration, by their names. */
export const sectionSchemas = {
  name: Name,
  description: Description,
  theme: Theme,
  colors: Colors,
  logo: Logo,
  favicon: Favicon,
  appearance: Appearance,
  fonts: Fonts,
  icons: Icons,
  background: Background,
  navbar: Navbar,
  footer: Footer,
  banner: Banner,
  contextual: Contextual,
  seo: Seo,
  styling: Styling,
  errors: Errors,
  interaction: Interaction,
  search: Search,
  metadata: Metadata,
  feedback: Feedback,
  markdown: Markdown,
  variables: Variables,
  redirects: Redirects,
};
