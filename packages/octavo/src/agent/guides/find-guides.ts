import { constants } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { join, posix } from "node:path";
import {
  cleanRelativePath,
  getBaseName,
  getParentFolder,
  isOctavoError,
  resolveInside,
} from "@octavo/site/core";
import { findCodeBlocks, findFrontmatter, isInCode, readHeadingLine } from "@octavo/site/text";
import { agentFile, isPersonalGuide } from "../content.ts";
import { createPathMatcher } from "../patterns.ts";

/** A text in a repository that explains to people or agents how to work on it. */
export interface Guide {
  /** The path from the repository's root. */
  readonly path: string;
  /** The complete text. For an editor's rule, without its frontmatter. */
  readonly text: string;
  /** The part that concerns documentation: the whole text, some sections, or an empty string. */
  readonly excerpt: string;
  /**
   * The folder to which the guide applies, as a path from the repository's root. Omitted if it applies to the whole
   * site.
   */
  readonly folder?: string;
}

/** The maximum number of guides. Further guides in the repository are ignored. */
const maxGuides = 60;
const maxImports = 10;

interface GuideContext {
  readonly reader: RepositoryReader;
  /** The path from the repository's root; empty for the root. */
  readonly siteFolder: string;
  /** The site's content, relative to its folder. */
  readonly files: readonly string[];
  /** The files that are pages of the site, and therefore not guides. */
  readonly pages: ReadonlySet<string>;
}

interface Candidate {
  readonly path: string;
  readonly kind: "agent" | "rule" | "writer" | "vale" | "nested";
  /** The folder to which the guide applies, as a path from the repository's root. */
  readonly home: string;
}

/** The scope in the frontmatter of a Cursor or Copilot rule. */
interface RuleScope {
  /** Path patterns; empty if the frontmatter contains no patterns. */
  readonly globs: readonly string[];
  /** The rule without its frontmatter. */
  readonly body: string;
}

const maxGlobs = 20;
/** The maximum length of the path patterns that are read from one rule, in characters. */
const maxGlobsLength = 4_000;
const matchAllGlobs: ReadonlySet<string> = new Set(["*", "**", "**/*"]);

/** Headings of sections about writing. */
const writingHeading =
  /\b(?:docs?|documentation|writ\w*|style|tone|voice|wording|language|terminology|terms|formatting|mdx|markdown|pages?|links?|images?|translations?|locali[sz]ation)\b/i;
/** Words that identify a section about documentation under any heading. */
const writingText = /\bdocumentation\b|\.mdx\b|\bdocs\.json\b|\bmint\.json\b/i;

/** The maximum length of a guide that is not split. */
const maxUnsplitLength = 1_200;

interface Section {
  readonly heading: string;
  readonly level: number;
  readonly text: string;
}

const importPattern = /^[ \t]*(?:[-*][ \t]+)?@([^\s@`]{1,500})[ \t]*\r?$/gm;

/** Guides for agents; the most specific guide comes first. */
const agentGuides = [agentFile, "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md"] as const;
/** Editor rules that apply to all files. */
const globalRules = [".cursorrules", ".github/copilot-instructions.md"] as const;
/** Folders of rules, and the suffixes of rule names. */
const ruleFolders = [
  [".cursor/rules", ".mdc"],
  [".github/instructions", ".instructions.md"],
] as const;
/** Subfolders that may contain guides for writers. An empty string means the folder itself. */
const writerFolders = ["", "docs", ".github"] as const;

const writerGuidePattern =
  /^(?:contributing|(?:docs?|documentation|content|writing)?[-_ ]?style[-_ ]?(?:guides?)?|(?:docs?|documentation|writing)[-_ ]?(?:guides?|guidelines?))\.mdx?$/i;

/**
 * Finds a repository's guides for writers and agents: first for the site's folder, then for each folder above it, then
 * for folders within the site. A text that occurs twice is returned once. Guides for one person's agents
 * (`CLAUDE.local.md`, `AGENTS.override.md`) are not read.
 */
export async function findGuides(context: GuideContext): Promise<readonly Guide[]> {
  const guides = new Map<string, Guide>();
  const texts = new Set<string>();
  const shouldSkip = (path: string) => guides.has(path) || guides.size >= maxGuides;
  let imports = 0;
  const addGuide = async (candidate: Candidate): Promise<void> => {
    if (shouldSkip(candidate.path) || isPersonalGuide(candidate.path)) return;
    const guide = await readGuide(context, candidate);
    if (!guide || texts.has(guide.text)) return;
    guides.set(guide.path, guide);
    texts.add(guide.text);
    if (candidate.kind !== "agent" && candidate.kind !== "nested") return;
    for (const path of findGuideImports(guide.path, guide.text)) {
      imports += 1;
      if (imports <= maxImports) await addGuide({ ...candidate, path });
    }
  };
  for await (const candidate of listCandidates(context)) await addGuide(candidate);
  return [...guides.values()];
}

async function* listCandidates(context: GuideContext): AsyncGenerator<Candidate> {
  const { siteFolder, files } = context;
  for (let home = siteFolder; ; home = getParentFolder(home)) {
    for (const name of agentGuides) yield { path: posix.join(home, name), kind: "agent", home };
    yield* listRules(context, home);
    yield* listWriterGuides(context, home);
    for (const name of valeFiles) yield { path: posix.join(home, name), kind: "vale", home };
    if (home === "") break;
  }
  for (const file of files) {
    const isNested = /^(?:AGENTS|CLAUDE)\.md$/.test(getBaseName(file)) && file.includes("/");
    const path = posix.join(siteFolder, file);
    if (isNested) yield { path, kind: "nested", home: getParentFolder(path) };
  }
}

async function* listRules({ reader }: GuideContext, home: string): AsyncGenerator<Candidate> {
  for (const name of globalRules) yield { path: posix.join(home, name), kind: "rule", home };
  for (const [folder, suffix] of ruleFolders) {
    for (const name of await reader.list(posix.join("/", home, folder).slice(1))) {
      const path = posix.join(home, folder, name);
      if (name.endsWith(suffix)) yield { path, kind: "rule", home };
    }
  }
}

async function* listWriterGuides(
  { reader, siteFolder, pages }: GuideContext,
  home: string,
): AsyncGenerator<Candidate> {
  for (const folder of writerFolders) {
    for (const name of await reader.list(posix.join("/", home, folder).slice(1))) {
      const path = posix.join(home, folder, name);
      const isPage = pages.has(posix.relative(siteFolder, path));
      if (writerGuidePattern.test(name) && !isPage) yield { path, kind: "writer", home };
    }
  }
}

async function readGuide(context: GuideContext, candidate: Candidate): Promise<Guide | undefined> {
  const { path, kind, home } = candidate;
  const { reader } = context;
  const source = kind === "vale" ? await readVale(reader, path) : await reader.read(path);
  const { globs, body } = readRuleScope(source ?? "");
  const text = kind === "rule" ? body : (source ?? "").trim();
  if (text === "") return undefined;
  const excerpt =
    kind === "rule"
      ? getRuleExcerpt(context, home, { globs, body })
      : extractExcerpt(context, candidate, text);
  return { path, text, excerpt, ...(kind === "nested" && { folder: home }) };
}

function extractExcerpt(
  { siteFolder }: GuideContext,
  { path, kind, home }: Candidate,
  text: string,
): string {
  const isContributionGuide = kind === "writer" && /^contributing/i.test(getBaseName(path));
  const isForRepository = kind === "agent" && home !== siteFolder && !path.endsWith(agentFile);
  return isContributionGuide || isForRepository
    ? extractDocumentationSections(text, siteFolder)
    : text;
}

function getRuleExcerpt(
  { siteFolder, pages }: GuideContext,
  home: string,
  { globs, body }: RuleScope,
): string {
  const files = [...pages].map((file) => posix.relative(home, posix.join(siteFolder, file)));
  if (matchesAnyGlob(globs, files)) return body;
  const isForAllFiles = globs.every((glob) => /^\*+(?:\/\*+)?$/.test(glob));
  if (!isForAllFiles) return "";
  return home === siteFolder ? body : extractDocumentationSections(body, siteFolder);
}

/**
 * Reads `globs` (Cursor) and `applyTo` (Copilot), which may be a single value with commas or a list. The frontmatter is
 * not parsed as YAML, because `globs: *.mdx`, as Cursor writes it, is not valid YAML.
 */
function readRuleScope(text: string): RuleScope {
  const block = findFrontmatter(text);
  if (!block || block === "unclosed") return { globs: [], body: text.trim() };
  const [, inline = "", list = ""] =
    /^(?:globs|applyTo):[ \t]*(.*)((?:\r?\n[ \t]+-[ \t].*|\r?\n-[ \t].*)*)/m.exec(block.text) ?? [];
  const items = [inline.replace(/^\[(.*)\]\s*$/, "$1"), ...list.split(/\r?\n\s*-\s/)];
  const globs = items.flatMap(splitGlobs).slice(0, maxGlobs);
  return { globs, body: text.slice(block.bodyStart).trim() };
}

/**
 * Splits a text at commas outside braces. Because each match looks ahead, the time grows with the square of the length.
 */
function splitGlobs(text: string): string[] {
  const globs = text.slice(0, maxGlobsLength).split(/,(?![^{}]*\})/);
  return globs
    .map((glob) => glob.trim().replaceAll(/^["']|["']$/g, ""))
    .filter((glob) => glob !== "");
}

/**
 * Reports whether any pattern matches any of the files. Patterns for every file, and patterns in an unknown syntax,
 * match nothing.
 */
function matchesAnyGlob(globs: readonly string[], files: readonly string[]): boolean {
  return globs.some((glob) => !matchAllGlobs.has(glob) && matchesAnyFile(glob, files));
}

function matchesAnyFile(glob: string, files: readonly string[]): boolean {
  try {
    return files.some(createPathMatcher(glob));
  } catch (error) {
    if (isOctavoError(error)) return false;
    throw error;
  }
}

/**
 * Returns the sections of a guide that concern documentation, either because of their heading (then with their
 * subsections), or because they mention pages or the site's folder. Returns an empty string if no section does. Returns
 * the whole text if it is short or consists mostly of such sections.
 */
function extractDocumentationSections(text: string, siteFolder: string): string {
  if (text.length <= maxUnsplitLength) return text;
  const folder = siteFolder === "" ? undefined : `${siteFolder}/`;
  const keptSections: string[] = [];
  let keptLevel = Infinity;
  for (const { heading, level, text: sectionText } of splitSections(text)) {
    const isSubsection = level > keptLevel;
    if (!isSubsection) keptLevel = level > 1 && writingHeading.test(heading) ? level : Infinity;
    const mentionsFolder = folder !== undefined && sectionText.includes(folder);
    if (isSubsection || keptLevel === level || writingText.test(sectionText) || mentionsFolder)
      keptSections.push(sectionText);
  }
  const excerpt = keptSections.join("");
  return excerpt.length > text.length * 0.7 ? text : excerpt.trim();
}

/** Splits a text into the part before the first heading and one part for each heading. */
function splitSections(text: string): Section[] {
  const code = findCodeBlocks(text);
  const sections: Section[] = [];
  let [start, heading, level] = [0, "", 1];
  const endSection = (end: number) => {
    if (end > start) sections.push({ heading, level, text: text.slice(start, end) });
  };
  for (let position = 0; position < text.length;) {
    const next = text.indexOf("\n", position) + 1 || text.length;
    const found = isInCode(code, position)
      ? undefined
      : readHeadingLine(text.slice(position, next));
    if (found) {
      endSection(position);
      [start, heading, level] = [position, found.text, found.level];
    }
    position = next;
  }
  endSection(text.length);
  return sections;
}

/**
 * Returns the files that a guide imports by lines of the form `@path`, as paths from the repository's root. Includes
 * only files inside the repository, and no guides for one person's agents.
 */
function findGuideImports(path: string, text: string): readonly string[] {
  const code = findCodeBlocks(text);
  const found: string[] = [];
  for (const match of text.matchAll(importPattern)) {
    const target = match[1] ?? "";
    if (isInCode(code, match.index) || /^[~/]/.test(target)) continue;
    const imported = posix.join(posix.dirname(path), target);
    if (isImportable(imported)) found.push(imported);
  }
  return found;
}

function isImportable(path: string): boolean {
  const parts = path.split("/");
  const isInside = !parts.includes("..") && !parts.some((part) => part.toLowerCase() === ".git");
  return isInside && /\.(?:md|mdx|mdc|txt)$/i.test(path) && !isPersonalGuide(path);
}

const valeFiles = [".vale.ini", "_vale.ini"];
const maxVocabularies = 5;
const maxTerms = 150;

/**
 * Summarizes the terminology rules in a configuration for the linter Vale: its styles, and the terms that its
 * vocabularies accept and reject. Returns undefined if there are no rules.
 */
async function readVale(reader: RepositoryReader, path: string): Promise<string | undefined> {
  const text = await reader.read(path);
  if (text === undefined) return undefined;
  const styles = readValues(text, "BasedOnStyles");
  const folder = posix.join(posix.dirname(path), readValues(text, "StylesPath")[0] ?? "styles");
  const [accepted, rejected]: [string[], string[]] = [[], []];
  for (const name of readValues(text, "Vocab").slice(0, maxVocabularies)) {
    accepted.push(...(await readTerms(reader, { folder, name, list: "accept" })));
    rejected.push(...(await readTerms(reader, { folder, name, list: "reject" })));
  }
  const lines = [
    ...formatTerms("Styles that the linter Vale checks", styles),
    ...formatTerms("Spell these as they are here", accepted),
    ...formatTerms("Avoid", rejected),
  ];
  return lines.length === 0 ? undefined : lines.join("\n");
}

function formatTerms(label: string, items: readonly string[]): string[] {
  const names = [...new Set(items)];
  if (names.length === 0) return [];
  const omissionNote = names.length > maxTerms ? `, and ${names.length - maxTerms} more` : "";
  return [`${label}: ${names.slice(0, maxTerms).join(", ")}${omissionNote}.`];
}

/** Returns the values of every line of the form `key = a, b`. */
function readValues(text: string, key: string): string[] {
  const lines = text.matchAll(new RegExp(`^[ \\t]*${key}[ \\t]*=(.*)$`, "gm"));
  const values = [...lines].flatMap(([, list = ""]) => list.split(","));
  return values
    .map((value) => value.trim().replaceAll(/^"|"$/g, ""))
    .filter((value) => value !== "");
}

interface TermList {
  /** The `StylesPath`, from the repository's root. */
  readonly folder: string;
  /** The vocabulary's name. */
  readonly name: string;
  readonly list: "accept" | "reject";
}

/** Reads a list of terms, one per line, without the flag `(?i)` of patterns. */
async function readTerms(
  reader: RepositoryReader,
  { folder, name, list }: TermList,
): Promise<string[]> {
  for (const subfolder of ["config/vocabularies", "Vocab"]) {
    const text = await reader.read(posix.join(folder, subfolder, name, `${list}.txt`));
    if (text === undefined) continue;
    const lines = text.split("\n").map((line) => line.replace(/^\(\?i\)/, "").trim());
    return lines.filter((line) => line !== "" && !line.startsWith("#"));
  }
  return [];
}

/** The maximum size of a guide. Larger files are ignored. */
export const maxGuideBytes = 256 * 1024;

/**
 * A reader of a repository's regular files, by path from its root. Does not follow symbolic links, enter submodules or
 * throw; files that cannot be read are treated as missing.
 */
export interface RepositoryReader {
  /**
   * Returns the sorted names of the files in a folder, or an empty list if the folder does not exist. The root is "".
   */
  list(folder: string): Promise<readonly string[]>;
  /** Returns a file's text, or undefined if the file does not exist or is larger than `maxGuideBytes`. */
  read(path: string): Promise<string | undefined>;
}

/** Reads a folder on disk that is a repository's root. `root` is an absolute path with symbolic links resolved. */
export function createFolderReader(root: string): RepositoryReader {
  return {
    async list(folder) {
      try {
        await checkPlainPath(root, folder);
        const entries = await readdir(join(root, folder), { withFileTypes: true });
        return entries
          .filter((entry) => entry.isFile())
          .map(({ name }) => name)
          .toSorted();
      } catch {
        return [];
      }
    },
    async read(path) {
      try {
        if (cleanRelativePath(path) !== path) return undefined;
        await checkPlainPath(root, path);
        return await readText(resolveInside(root, path));
      } catch {
        return undefined;
      }
    },
  };
}

/** Without `O_NONBLOCK`, opening a named pipe would block until a writer appears. */
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function readText(path: string): Promise<string | undefined> {
  await using handle = await open(path, readFlags);
  const stats = await handle.stat();
  if (!stats.isFile() || stats.size > maxGuideBytes) return undefined;
  return await handle.readFile("utf8");
}

/** Throws if a folder on the path is a symbolic link or belongs to a different repository. */
async function checkPlainPath(root: string, path: string): Promise<void> {
  let current = root;
  for (const part of path.split("/").filter((name) => name !== "")) {
    current = join(current, part);
    const stats = await lstat(current);
    if (stats.isSymbolicLink()) throw new Error(`${part} is a link`);
    if (stats.isDirectory() && (await isRepository(current)))
      throw new Error(`${part} is a submodule`);
  }
}

async function isRepository(folder: string): Promise<boolean> {
  return await lstat(join(folder, ".git")).then(
    () => true,
    () => false,
  );
}
