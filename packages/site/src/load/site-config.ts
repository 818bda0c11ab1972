import type { z } from "zod";
import { findSimilarName, omitUndefined, type ProblemLog } from "../core/index.ts";
import type { SiteConfig, SiteRedirect } from "../site/index.ts";
import {
  findJsonItems,
  findJsonMembers,
  locateJsonNode,
  toPlain,
  type JsonNode,
} from "../text/index.ts";
import { sectionSchemas } from "./config-sections.ts";

const defaultName = "Documentation";
const defaultPrimary = "#2563EB";

/** The sections that `SiteConfig` covers entirely. All other sections are also in `extra`, as authored. */
const wholeSections: ReadonlySet<string> = new Set([
  "$schema",
  "$ref",
  "name",
  "description",
  "theme",
  "colors",
  "logo",
  "favicon",
  "appearance",
  "fonts",
  "icons",
  "background",
  "navbar",
  "footer",
  "banner",
  "errors",
  "feedback",
  "interaction",
  "variables",
  "navigation",
  "redirects",
]);

/** The other sections of the format, which later stages read. */
const otherSections: ReadonlySet<string> = new Set([
  "api",
  "contextual",
  "head",
  "integrations",
  "markdown",
  "metadata",
  "scripts",
  "search",
  "seo",
  "styles",
  "styling",
  "thumbnails",
]);

type SectionName = keyof typeof sectionSchemas;
type SectionValue<Name extends SectionName> = z.output<(typeof sectionSchemas)[Name]>;

/** Reads sections of one configuration object by name. */
class Sections {
  readonly #members: ReadonlyMap<string, JsonNode> | undefined;
  readonly #problems: ProblemLog;

  constructor(node: JsonNode | undefined, problems: ProblemLog) {
    this.#members = findJsonMembers(node);
    this.#problems = problems;
  }

  read<Name extends SectionName>(name: Name): SectionValue<Name> | undefined {
    const schema = sectionSchemas[name] as z.ZodType<SectionValue<Name>>;
    return readSetting(this.#members?.get(name), schema, { name, problems: this.#problems });
  }

  /** Reads a section. If it is missing or invalid, every value has its default. */
  readOrDefault<Name extends SectionName>(name: Name): SectionValue<Name> {
    return this.read(name) ?? (sectionSchemas[name].parse({}) as SectionValue<Name>);
  }
}

/** Reads and validates a site's configuration. Without a file, every setting has its default. */
export function readSiteConfig(node: JsonNode | undefined, problems: ProblemLog): SiteConfig {
  const sections = new Sections(node, problems);
  const seo = sections.readOrDefault("seo");
  const styling = sections.readOrDefault("styling");
  const { "404": notFound = { redirect: false } } = sections.readOrDefault("errors");
  const { drilldown } = sections.readOrDefault("interaction");
  const { prompt } = sections.readOrDefault("search");
  const fonts = sections.read("fonts");
  warnOfUnsupportedSettings(node, fonts === undefined ? {} : { fonts }, problems);
  return omitUndefined({
    name: sections.read("name") ?? defaultName,
    description: sections.read("description"),
    theme: sections.read("theme") ?? "mint",
    colors: addDefaultColors(sections.readOrDefault("colors")),
    logo: sections.read("logo"),
    favicon: sections.read("favicon"),
    appearance: sections.readOrDefault("appearance"),
    fonts,
    iconLibrary: sections.readOrDefault("icons").library,
    background: sections.readOrDefault("background"),
    eyebrows: styling.eyebrows,
    navbar: sections.readOrDefault("navbar"),
    footer: sections.readOrDefault("footer"),
    banner: sections.read("banner"),
    contextual: sections.readOrDefault("contextual"),
    seo,
    notFound,
    drilldown,
    searchPrompt: prompt,
    showTimestamps: sections.readOrDefault("metadata").timestamp,
    feedback: sections.readOrDefault("feedback"),
    agentInstructions: sections.readOrDefault("markdown").instructions || undefined,
    variables: sections.readOrDefault("variables"),
    codeTheme: styling.codeblocks,
    hasFormulas: styling.latex,
    extra: readExtra(node, problems),
  });
}

/** Reads a language's overrides for the parts around its pages. Returns undefined if the language has no overrides. */
export function readOverrides(
  node: JsonNode,
  problems: ProblemLog,
): Pick<Partial<SiteConfig>, "banner" | "footer" | "navbar"> | undefined {
  const sections = new Sections(node, problems);
  const overrides = omitUndefined({
    banner: sections.read("banner"),
    footer: sections.read("footer"),
    navbar: sections.read("navbar"),
  });
  return Object.keys(overrides).length > 0 ? overrides : undefined;
}

/** Reads the redirects as authored. */
export function readRedirects(
  node: JsonNode | undefined,
  problems: ProblemLog,
): readonly SiteRedirect[] {
  return new Sections(node, problems).read("redirects") ?? [];
}

function addDefaultColors(colors: Partial<SiteConfig["colors"]>): SiteConfig["colors"] {
  const primary = colors.primary ?? defaultPrimary;
  return { primary, light: colors.light ?? primary, dark: colors.dark ?? primary };
}

function readExtra(node: JsonNode | undefined, problems: ProblemLog): Record<string, unknown> {
  const extra: Record<string, unknown> = {};
  for (const [key, child] of findJsonMembers(node) ?? []) {
    if (wholeSections.has(key) || key === "__proto__") continue;
    extra[key] = toPlain(child);
    if (otherSections.has(key)) continue;
    const similar = findSimilarName(key, [...wholeSections, ...otherSections]);
    const hint = similar === undefined ? "" : ` Did you mean ${JSON.stringify(similar)}?`;
    const message = `The format has no setting ${JSON.stringify(key)}; it has no effect.${hint}`;
    problems.warn("setting_unknown", message, locateJsonNode(child));
  }
  return extra;
}

/**
 * The maximum number of rounds in which invalid parts are removed and the remaining value is validated. These schemas
 * have three levels.
 */
const maxRounds = 8;

/**
 * Reads one section of the configuration. Reports parts that do not match the schema (one link of a list, one of three
 * colors) with their locations, removes them, and uses the remaining parts. Returns undefined if the section is missing
 * or invalid as a whole.
 */
function readSetting<T>(
  node: JsonNode | undefined,
  schema: z.ZodType<T>,
  setting: { readonly name: string; readonly problems: ProblemLog },
): T | undefined {
  let current = node;
  for (let round = 0; current && round < maxRounds; round++) {
    const result = schema.safeParse(toPlain(current), { error: formatReason });
    if (result.success) return result.data;
    const invalid = new Set<JsonNode>();
    for (const issue of result.error.issues) {
      const { found, isMissing } = findValue(current, issue.path);
      const path = [setting.name, ...issue.path].join(".");
      const message = isMissing
        ? `The setting "${path}" is missing; the part that requires it is ignored.`
        : `The setting "${path}" is ignored: ${issue.message}.${suggestValue(issue, found)}`;
      // A part that is missing in a later round was removed and reported in an earlier round.
      const isReported = invalid.has(found) || (isMissing && round > 0);
      if (!isReported) setting.problems.warn("setting_invalid", message, locateJsonNode(found));
      invalid.add(found);
    }
    current = removeInvalidParts(current, invalid);
  }
  return undefined;
}

/** Returns ` Did you mean "mint"?` for a value that is probably misspelled; otherwise an empty string. */
function suggestValue(issue: z.core.$ZodIssue, found: JsonNode): string {
  const written = toPlain(found);
  if (issue.code !== "invalid_value" || typeof written !== "string") return "";
  const names = issue.values.filter((value) => typeof value === "string");
  const similar = findSimilarName(written, names);
  return similar === undefined ? "" : ` Did you mean ${JSON.stringify(similar)}?`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "text in quotes",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object in braces",
  record: "an object in braces",
};

/** Returns the reason why a value does not match, for schemas without their own message. */
function formatReason(issue: z.core.$ZodRawIssue): string {
  if (issue.code === "invalid_type") {
    return `expected ${typeNames[issue.expected] ?? "another kind of value"}`;
  }
  if (issue.code === "invalid_value") {
    return `expected ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
  }
  if (issue.code === "too_small") return "it must not be empty";
  return "it does not match the format of this setting";
}

/** Finds the value at `path`. If it does not exist, returns the innermost existing value along the path. */
function findValue(
  start: JsonNode,
  path: readonly PropertyKey[],
): { readonly found: JsonNode; readonly isMissing: boolean } {
  let found = start;
  for (const key of path) {
    const child =
      typeof key === "number"
        ? findJsonItems(found)?.[key]
        : findJsonMembers(found)?.get(String(key));
    if (!child) return { found, isMissing: true };
    found = child;
  }
  return { found, isMissing: false };
}

/** Returns the value without the parts in `invalid`, or undefined if the value itself is invalid. */
function removeInvalidParts(node: JsonNode, invalid: ReadonlySet<JsonNode>): JsonNode | undefined {
  if (invalid.has(node)) return undefined;
  const items = findJsonItems(node);
  if (items) {
    const keptItems = items
      .map((item) => removeInvalidParts(item, invalid))
      .filter((item) => item !== undefined);
    return { ...node, value: keptItems };
  }
  const members = findJsonMembers(node);
  if (!members) return node;
  const keptMembers = new Map<string, JsonNode>();
  for (const [key, child] of members) {
    const value = removeInvalidParts(child, invalid);
    if (value) keptMembers.set(key, value);
  }
  return { ...node, value: keptMembers };
}

/** The settings that have no effect in a bundle, each with the reason or a remedy. */
const unsupportedSettings: ReadonlyMap<string, string> = new Map([
  ["thumbnails", "preview pictures are not generated; set og:image in seo.metatags"],
  [
    "head",
    "it is not part of the format; put styles and scripts into files at the root of the site",
  ],
  ["scripts", "it is not part of the format; put scripts into .js files at the root of the site"],
  ["styles", "it is not part of the format; put styles into .css files at the root of the site"],
]);

/** Reports settings that have no effect in a bundle. `node` is the whole configuration. */
function warnOfUnsupportedSettings(
  node: JsonNode | undefined,
  config: Pick<SiteConfig, "fonts">,
  problems: ProblemLog,
): void {
  const members = findJsonMembers(node);
  const integrations = members?.get("integrations");
  const names = [...(findJsonMembers(integrations)?.keys() ?? [])];
  if (integrations !== undefined && names.length > 0) {
    const message = `Integrations are ignored (${names.slice(0, 30).join(", ")}), because a bundle does not send data about its readers.`;
    problems.warn("setting_left_out", message, locateJsonNode(integrations));
  }
  const rating = findJsonMembers(members?.get("feedback"))?.get("thumbsRating");
  if (rating?.value === true) {
    const message = `"feedback.thumbsRating" has no effect, because a bundle does not send data about its readers.`;
    problems.warn("setting_left_out", message, locateJsonNode(rating));
  }
  for (const [name, reason] of unsupportedSettings) {
    const setting = members?.get(name);
    if (setting === undefined) continue;
    problems.warn(
      "setting_left_out",
      `The setting "${name}" has no effect: ${reason}.`,
      locateJsonNode(setting),
    );
  }
  const fonts = members?.get("fonts");
  if (fonts !== undefined) warnOfMissingFonts(fonts, config, problems);
}

/** Reports fonts that readers may lack: a bundle uses only the fonts of the site and of the reader's machine. */
function warnOfMissingFonts(
  node: JsonNode,
  { fonts }: Pick<SiteConfig, "fonts">,
  problems: ProblemLog,
): void {
  const faces = [fonts?.heading, fonts?.body].filter((font) => font !== undefined);
  const missingFonts = faces.filter(({ source }) => source === undefined);
  for (const family of new Set(missingFonts.map((font) => font.family))) {
    const message = `The font ${JSON.stringify(family)} is used only if readers have it installed, because a bundle does not load fonts from other hosts. Add a .woff2 file to the site and name it in "source".`;
    problems.warn("font_not_included", message, locateJsonNode(node));
  }
}
