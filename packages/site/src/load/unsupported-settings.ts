import type { SiteConfig } from "../site/index.ts";
import { membersOf, placeOf, type JsonNode } from "../text/index.ts";
import type { ProblemLog } from "../core/index.ts";

/** Settings that have no effect in a bundle, and the reason or remedy for each. */
const hostedOnly: ReadonlyMap<string, string> = new Map([
  ["thumbnails", "preview pictures are not generated; set og:image in seo.metatags"],
  [
    "head",
    "it is not part of the format; put styles and scripts into files at the root of the site",
  ],
  ["scripts", "it is not part of the format; put scripts into .js files at the root of the site"],
  ["styles", "it is not part of the format; put styles into .css files at the root of the site"],
]);

/** Reports settings that have no effect in a bundle. `node` is the whole configuration. */
export function warnOfUnsupportedSettings(
  node: JsonNode | undefined,
  config: Pick<SiteConfig, "fonts">,
  problems: ProblemLog,
): void {
  const members = membersOf(node);
  const integrations = members?.get("integrations");
  const names = [...(membersOf(integrations)?.keys() ?? [])];
  if (integrations !== undefined && names.length > 0) {
    const message = `Integrations are ignored (${names.slice(0, 30).join(", ")}): a bundle does not report on its readers.`;
    problems.warn("setting_left_out", message, placeOf(integrations));
  }
  const rating = membersOf(members?.get("feedback"))?.get("thumbsRating");
  if (rating?.value === true) {
    const message = `"feedback.thumbsRating" has no effect: a bundle does not report on its readers.`;
    problems.warn("setting_left_out", message, placeOf(rating));
  }
  for (const [name, reason] of hostedOnly) {
    const setting = members?.get(name);
    if (setting === undefined) continue;
    problems.warn(
      "setting_left_out",
      `The setting "${name}" has no effect: ${reason}.`,
      placeOf(setting),
    );
  }
  const fonts = members?.get("fonts");
  if (fonts !== undefined) warnOfMissingFonts(fonts, config, problems);
}

/** Fonts come from the site or from the reader's machine. */
function warnOfMissingFonts(
  node: JsonNode,
  { fonts }: Pick<SiteConfig, "fonts">,
  problems: ProblemLog,
): void {
  const faces = [fonts?.heading, fonts?.body].filter((font) => font !== undefined);
  const missing = faces.filter(({ source }) => source === undefined);
  for (const family of new Set(missing.map((font) => font.family))) {
    const message = `The font ${JSON.stringify(family)} is used only if readers have it installed: a bundle loads no fonts from other hosts. Add a .woff2 file to the site and name it in "source".`;
    problems.warn("font_not_included", message, placeOf(node));
  }
}
