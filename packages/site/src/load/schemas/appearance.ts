import { z } from "zod";
import { themeNames, type SiteConfig, type Themed } from "../../site/index.ts";
import { Address } from "./address.ts";

/** The schemas of a site's appearance: theme, colors, logos, fonts. */

export const Theme = z.enum(themeNames, `expected one of ${themeNames.join(", ")}`);

const Hex = z
  .string('expected a hex color such as "#16A34A"')
  .regex(/^#?(?:[\da-f]{3}|[\da-f]{6})$/i, 'expected a hex color such as "#16A34A"')
  .transform((hex) => (hex.startsWith("#") ? hex : `#${hex}`));

export const Colors = z.object({
  primary: Hex.exactOptional(),
  light: Hex.exactOptional(),
  dark: Hex.exactOptional(),
});

/** Accepts one string for both color schemes, or one per scheme. A string for only one scheme is used for both. */
function themed(text: z.ZodType<string>, expected: string) {
  const Pair = z
    .object({ light: text.exactOptional(), dark: text.exactOptional() })
    .refine(({ light, dark }) => (light ?? dark) !== undefined, expected);
  return z
    .union([text, Pair], expected)
    .transform((value) => (typeof value === "string" ? both(value) : completePair(value)));
}

function both(value: string): Themed {
  return { light: value, dark: value };
}

function completePair(pair: Partial<Themed>): Themed {
  const light = pair.light ?? pair.dark ?? "";
  return { light, dark: pair.dark ?? light };
}

export const Favicon = themed(Address, "expected a path or { light, dark }");

const LogoPair = z
  .object({
    light: Address.exactOptional(),
    dark: Address.exactOptional(),
    href: Address.exactOptional(),
  })
  .refine(({ light, dark }) => (light ?? dark) !== undefined, "expected { light, dark, href }");

export const Logo = z
  .union([Address, LogoPair], "expected a path or { light, dark, href }")
  .transform((value): NonNullable<SiteConfig["logo"]> => {
    if (typeof value === "string") return both(value);
    const pair = completePair(value);
    return value.href === undefined ? pair : { ...pair, href: value.href };
  });

export const Appearance = z.object({
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

/** Fonts for all text, headings, the body, or any of these. */
export const Fonts = z
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

export const Icons = z.object({
  library: z.enum(["fontawesome", "lucide", "tabler"]).default("fontawesome"),
});

export const Background = z.object({
  decoration: z.enum(["gradient", "grid", "windows"]).exactOptional(),
  color: z.object({ light: Hex.exactOptional(), dark: Hex.exactOptional() }).exactOptional(),
  image: themed(Address, "expected a path or { light, dark }").exactOptional(),
});

/** The Shiki theme for `"dark"`, which means dark code blocks in both color schemes. */
const darkCodeTheme = "github-dark";
const CodeThemeName = z
  .string()
  .regex(/^[a-z][a-z\d-]{0,60}$/, 'expected the name of a Shiki theme, "system" or "dark"')
  .transform((name) => (name === "dark" ? darkCodeTheme : name));
const CodeTheme = themed(CodeThemeName, "expected the name of a Shiki theme or { light, dark }");

export const Styling = z.object({
  eyebrows: z.enum(["section", "breadcrumbs"]).default("section"),
  latex: z.boolean().default(true),
  codeblocks: z
    .union(
      [CodeThemeName, z.object({ theme: CodeTheme.exactOptional() })],
      'expected "system", "dark", the name of a Shiki theme or { theme }',
    )
    .transform((value) => (typeof value === "string" ? both(value) : value.theme))
    // "system" means the default.
    .transform((theme) => (theme?.light === "system" ? undefined : theme))
    .optional(),
});

/** The schemas of settings about content: search engines, the 404 page, variables, menus. */

/** Text. Unquoted numbers and booleans are converted. */
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
  metatags: z.object({ canonical: WebAddress.exactOptional() }).catchall(Text).default({}),
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

/** The maximum length of instructions for agents, which are added to every page's Markdown. */
const maxInstructions = 10_000;

/** Instructions for agents on every page. The items of a list become lines. */
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
