import { posix } from "node:path";
import { agentFile, baseName, isPersonalGuide, parentFolder } from "../content.ts";
import { documentationSections } from "./documentation-sections.ts";
import {
  agentGuides,
  isWriterGuide,
  ruleFolders,
  wholeRules,
  writerFolders,
} from "./guide-names.ts";
import { importsOf } from "./guide-imports.ts";
import type { Guide } from "./guide.ts";
import type { RepositoryReader } from "./repository-reader.ts";
import { matchesSome, readRuleScope } from "./rule-scope.ts";
import type { RuleScope } from "./rule-scope.ts";
import { readVale, valeFiles } from "./vale.ts";

/** Files of a repository that has more are passed over. */
const maxGuides = 60;
const maxImports = 10;

export interface GuidePlace {
  readonly reader: RepositoryReader;
  /** From the repository's root; empty for the root itself. */
  readonly siteFolder: string;
  /** The site's content, relative to its folder. */
  readonly files: readonly string[];
  /** Of these files those that are pages of the site: no page is a guide. */
  readonly pages: ReadonlySet<string>;
}

interface Candidate {
  readonly path: string;
  readonly kind: "agent" | "rule" | "writer" | "vale" | "nested";
  /** The folder that it is for, from the repository's root. */
  readonly home: string;
}

/**
 * Finds what a repository tells its writers and agents: for the site's folder first, then for each folder
 * above it, then for folders within the site. A text that is found twice is taken once. Guides of one
 * person (`CLAUDE.local.md`, `AGENTS.override.md`) are not read.
 */
export async function findGuides(place: GuidePlace): Promise<readonly Guide[]> {
  const guides = new Map<string, Guide>();
  const texts = new Set<string>();
  const isKnown = (path: string) => guides.has(path) || guides.size >= maxGuides;
  let imports = 0;
  const take = async (candidate: Candidate): Promise<void> => {
    if (isKnown(candidate.path) || isPersonalGuide(candidate.path)) return;
    const guide = await readGuide(place, candidate);
    if (!guide || texts.has(guide.text)) return;
    guides.set(guide.path, guide);
    texts.add(guide.text);
    if (candidate.kind !== "agent" && candidate.kind !== "nested") return;
    for (const path of importsOf(guide.path, guide.text)) {
      imports += 1;
      if (imports <= maxImports) await take({ ...candidate, path });
    }
  };
  for await (const candidate of candidatesOf(place)) await take(candidate);
  return [...guides.values()];
}

async function* candidatesOf(place: GuidePlace): AsyncGenerator<Candidate> {
  const { siteFolder, files } = place;
  for (let home = siteFolder; ; home = parentFolder(home)) {
    for (const name of agentGuides) yield { path: posix.join(home, name), kind: "agent", home };
    yield* rulesOf(place, home);
    yield* writerGuidesOf(place, home);
    for (const name of valeFiles) yield { path: posix.join(home, name), kind: "vale", home };
    if (home === "") break;
  }
  for (const file of files) {
    const isNested = /^(?:AGENTS|CLAUDE)\.md$/.test(baseName(file)) && file.includes("/");
    const path = posix.join(siteFolder, file);
    if (isNested) yield { path, kind: "nested", home: parentFolder(path) };
  }
}

async function* rulesOf({ reader }: GuidePlace, home: string): AsyncGenerator<Candidate> {
  for (const name of wholeRules) yield { path: posix.join(home, name), kind: "rule", home };
  for (const [folder, ending] of ruleFolders) {
    for (const name of await reader.list(posix.join("/", home, folder).slice(1))) {
      const path = posix.join(home, folder, name);
      if (name.endsWith(ending)) yield { path, kind: "rule", home };
    }
  }
}

async function* writerGuidesOf(
  { reader, siteFolder, pages }: GuidePlace,
  home: string,
): AsyncGenerator<Candidate> {
  for (const folder of writerFolders) {
    for (const name of await reader.list(posix.join("/", home, folder).slice(1))) {
      const path = posix.join(home, folder, name);
      const isPage = pages.has(posix.relative(siteFolder, path));
      if (isWriterGuide(name) && !isPage) yield { path, kind: "writer", home };
    }
  }
}

async function readGuide(place: GuidePlace, candidate: Candidate): Promise<Guide | undefined> {
  const { path, kind, home } = candidate;
  const { reader } = place;
  const whole = kind === "vale" ? await readVale(reader, path) : await reader.read(path);
  const { globs, body } = readRuleScope(whole ?? "");
  const text = kind === "rule" ? body : (whole ?? "").trim();
  if (text === "") return undefined;
  const excerpt =
    kind === "rule" ? ruleExcerpt(place, home, { globs, body }) : excerptOf(place, candidate, text);
  return { path, text, excerpt, ...(kind === "nested" && { folder: home }) };
}

function excerptOf(
  { siteFolder }: GuidePlace,
  { path, kind, home }: Candidate,
  text: string,
): string {
  const isContribution = kind === "writer" && /^contributing/i.test(baseName(path));
  const isForAll = kind === "agent" && home !== siteFolder && !path.endsWith(agentFile);
  return isContribution || isForAll ? documentationSections(text, siteFolder) : text;
}

function ruleExcerpt(
  { siteFolder, pages }: GuidePlace,
  home: string,
  { globs, body }: RuleScope,
): string {
  const files = [...pages].map((file) => posix.relative(home, posix.join(siteFolder, file)));
  if (matchesSome(globs, files)) return body;
  const isForEvery = globs.every((glob) => /^\*+(?:\/\*+)?$/.test(glob));
  if (!isForEvery) return "";
  return home === siteFolder ? body : documentationSections(body, siteFolder);
}
