import type { Site } from "@octavo/site";
import type { Problem } from "@octavo/site/core";
import type { Guide } from "../guides/guide.ts";
import { byteLengthInJson, bytesPerToken } from "../token-estimate.ts";
import { guideSection } from "./guide-section.ts";
import type { PullRequestForm } from "../pull-request/description.ts";
import type { FixedSource } from "../sources/turn-source.ts";
import { problemSummary } from "./problem-summary.ts";
import { pullRequestSection } from "./pull-request-section.ts";
import { pathWords, quoted } from "./quoted.ts";
import { formatRules, task } from "./rules.ts";
import { siteParts, siteSettings } from "./site-facts.ts";
import { drawSiteMap } from "./site-map.ts";
import type { SiteUsage } from "./site-usage.ts";
import { sourceSection } from "./source-section.ts";

export interface PromptInput {
  /** Undefined where the folder is no site yet, or its configuration cannot be read. */
  readonly site: Site | undefined;
  readonly usage: SiteUsage;
  /** What was wrong before anything was changed. */
  readonly problems: readonly Problem[];
  readonly guides: readonly Guide[];
  readonly sources: readonly FixedSource[];
  /** Configuration files besides docs.json. */
  readonly configurationFiles: readonly string[];
  /** The day of the instruction, `2026-11-22`. */
  readonly today: string;
  /** Absent if the work becomes no pull request. */
  readonly pullRequest?: PullRequestForm | undefined;
  readonly maxTokens: number;
}

/** A part of the system prompt; joined by empty lines in their order, they are the whole. */
export interface PromptSection {
  readonly name: string;
  readonly text: string;
}

/** Of what is left beside the rules. */
const guideShare = 0.42;
const minMapLength = 1_500;

const mapIntro = `Map of the site, in the order of its navigation. Each line names a part and, in parentheses, the folder of its pages, then the pages by their paths in that folder (from the site's root if they begin with /), with a title where it says more than the path. The page guides/start is the file guides/start.mdx or .md. "12 pages" or "… 12 more" stands for pages that are not shown: list shows a folder, search finds words. Generated pages have no files; edit the API description that they are made from.`;

/**
 * What the model is told before the first message: who it is, how this site is made, how to end. Quotes of the
 * repository stand in guide and site tags. The same input gives the same bytes.
 */
export function systemPrompt(input: PromptInput): readonly PromptSection[] {
  const { site, guides, maxTokens, pullRequest } = input;
  const maxLength = maxTokens * bytesPerToken;
  const fixed: PromptSection[] = [
    { name: "task", text: task },
    { name: "format", text: formatRules },
    ...sectionOf("pull request", pullRequest && pullRequestSection(pullRequest)),
    ...sectionOf("sources", sourceSection(input.sources)),
  ];
  const guideText = guideSection(guides, (maxLength - lengthOf(fixed)) * guideShare);
  const day = { name: "date", text: `Today is ${input.today}.` };
  const before = [...fixed, ...sectionOf("guides", guideText)];
  const facts = factsOf(input);
  const rest = [{ name: "problems", text: quotedSite(problemSummary(input.problems)) }, day];
  const used = lengthOf([...before, ...facts, ...rest]);
  const room = Math.max(maxLength - used - mapIntro.length - 200, minMapLength);
  const map = site ? [{ name: "map", text: quotedSite(fittingMap(site, room)) }] : [];
  return [...before, ...facts, ...map, ...rest];
}

function factsOf({ site, usage, configurationFiles }: PromptInput): PromptSection[] {
  if (!site) {
    const files = configurationFiles.map((file) => pathWords(file)).join(", ");
    const text = `The folder is no site that can be rendered yet; check says why.${files === "" ? "" : ` Its configuration: ${files}.`}`;
    return [{ name: "settings", text: quotedSite(text) }];
  }
  const parts = siteParts(usage, site);
  return [
    { name: "settings", text: quotedSite(siteSettings(site, configurationFiles)) },
    ...sectionOf("parts", parts === undefined ? undefined : quotedSite(parts)),
  ];
}

/** In bytes of JSON a map is longer than it is drawn: by escaped signs a little, in some scripts three times. */
function fittingMap(site: Site, maxBytes: number): string {
  let maxLength = maxBytes;
  for (;;) {
    const map = drawSiteMap(site, maxLength);
    const bytes = byteLengthInJson(map);
    if (bytes <= maxBytes) return `${mapIntro}\n${map}`;
    maxLength = Math.floor((Math.min(maxLength, map.length) * maxBytes * 0.98) / bytes);
  }
}

function sectionOf(name: string, text: string | undefined): PromptSection[] {
  return text === undefined ? [] : [{ name, text }];
}

function quotedSite(text: string): string {
  return `<site>\n${quoted(text)}\n</site>`;
}

function lengthOf(sections: readonly PromptSection[]): number {
  return sections.reduce((sum, { text }) => sum + byteLengthInJson(text) + 4, 0);
}
