import { createInputError, getBaseName } from "@octavo/site/core";

/**
 * Classifies the files of a site by name. All functions here are pure; `workspace.ts` applies these rules to the file
 * system.
 */

/** The kind of a content file. `page` includes snippets. `data` means JSON and YAML, only some of which is content. */
type ContentFileKind = "page" | "configuration" | "data" | "media" | "text";

/** The names of the configuration file, which must be at the site's root. The first one that exists is used. */
export const configurationNames = ["docs.json", "mint.json"] as const;
/** The site's instructions for agents: the only file in a dot folder that may be read. */
export const agentFile = ".mintlify/AGENTS.md";

const maxPathLength = 1_000;
/**
 * The maximum length of a name in a path. File systems allow 255 bytes, and a page's outputs add their own suffixes.
 */
const maxSegmentBytes = 240;
const maxPathDepth = 32;

const textNames: ReadonlySet<string> = new Set(["llms.txt", "llms-full.txt"]);
const mediaPattern = /\.(?:png|jpe?g|gif|svg|webp|avif|ico|bmp|mp4|webm|mov|mp3|wav|ogg|m4a|pdf)$/i;
/** Folders that the renderer ignores or that belong to programs. */
const foreignFolders: ReadonlySet<string> = new Set([
  "node_modules",
  "build",
  "dist",
  "coverage",
  "tmp",
  "temp",
  "_octavo",
]);
/** Files that configure programs, whatever they contain. */
const programFilePattern =
  /^(?:package(?:-lock)?|npm-shrinkwrap|composer|tsconfig.*|jsconfig.*|deno|bun|bunfig|vercel|now|netlify|firebase|app|manifest|renovate|lerna|nx|turbo|project|angular|biome|babel.*|pnpm-.*|(?:docker-)?compose.*|mkdocs|azure-pipelines.*|cloudbuild.*|appveyor|buildspec.*|serverless.*|action|codecov|dependabot|template|samconfig|settings|tasks|launch)\.(?:json|ya?ml)$/i;
/** Guides for people and programs that work on the repository. They can be read but not written. */
const guidePattern =
  /^(?:agents|claude|gemini|copilot-instructions|skill|contributing|code_of_conduct|security|license|readme|changelog)\.md$/i;
/** Instructions for one person's agents on one machine. They are not content, even if they are committed. */
const personalGuidePattern =
  /^(?:agents|claude|gemini|codex|copilot-instructions)\.(?:[^/]*\.)?(?:override|local)\.mdx?$/i;
/** Files that are pages only in a folder without a configuration. */
const plainPagePattern = /^(?:readme|changelog)\.md$/i;

/**
 * Returns `path` if it could name content of a site. Throws `invalid_input` with the reason for absolute paths, `..`,
 * hidden or reserved names, and characters that some systems treat as other characters.
 */
export function checkPath(path: string): string {
  const fault = findPathFault(path);
  if (fault === undefined) return path;
  throw createInputError(
    `The path ${JSON.stringify(path.slice(0, 200))} cannot be used: ${fault}.`,
  );
}

/** Removes a leading `/` or `./`, as used in links. */
export function stripLeadingSlash(path: string): string {
  return path.replace(/^(?:\.?\/)+(?=[^/])/, "");
}

function findPathFault(path: string): string | undefined {
  if (path === "" || path.length > maxPathLength) return "it is empty or too long";
  if (!path.isWellFormed() || /[\p{Cc}\p{Cf}\u{FFFD}]/u.test(path)) {
    return "it contains invisible characters";
  }
  if (path.includes("\\")) return "folders must be separated by forward slashes";
  if (path.startsWith("/"))
    return "it must be relative to the site's folder, without a leading slash";
  const segments = path.split("/");
  if (segments.length > maxPathDepth) return "it is nested too deeply";
  if (path === agentFile) return undefined;
  for (const segment of segments) {
    const fault = findSegmentFault(segment);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function findSegmentFault(segment: string): string | undefined {
  // Some systems treat similar characters as equal, such as U+FF0E and a dot, or U+FF0F and a slash.
  const normalized = segment.normalize("NFKC");
  if (segment === "") return "it contains an empty name";
  if (segment === "." || normalized === "..") return "it must not contain . or ..";
  if (normalized.startsWith(".")) return "hidden files and folders are not content";
  if (/^\s|[\s.]$/.test(normalized))
    return "a name must not begin with a space or end with a space or dot";
  if (/[<>:"|?*\\/]/.test(normalized)) return 'a name must not contain any of < > : " | ? *';
  if (/~\d/.test(normalized)) return "a name must not contain ~ before a digit";
  if (/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(normalized))
    return "a name is reserved on some systems";
  if (Buffer.byteLength(segment) > maxSegmentBytes) return "a name is too long";
  if (foreignFolders.has(normalized.toLowerCase()))
    return `${segment} is not a folder of the site's content`;
  return undefined;
}

/** Returns the kind of file that a checked path names, or undefined if the file can never be content. */
export function classifyPath(path: string): ContentFileKind | undefined {
  if (path === agentFile) return "page";
  const name = getBaseName(path);
  if (programFilePattern.test(name) || personalGuidePattern.test(name)) return undefined;
  if (configurationNames.some((known) => known === path)) return "configuration";
  if (/\.mdx?$/.test(name)) return "page";
  if (/\.(?:json|ya?ml)$/.test(name)) return "data";
  if (mediaPattern.test(name)) return "media";
  return textNames.has(path) ? "text" : undefined;
}

/** Reports whether a page, judging by its name, may be read but not written, moved or deleted. */
export function isGuide(path: string, options: { readonly isPlain: boolean }): boolean {
  if (path === agentFile) return true;
  const name = getBaseName(path);
  return guidePattern.test(name) && !(options.isPlain && plainPagePattern.test(name));
}

/** Reports whether a model can write a file that both sides of a merge changed. */
export function canResolveConflict(path: string): boolean {
  const kind = findPathFault(path) === undefined ? classifyPath(path) : undefined;
  const isText = kind === "page" || kind === "configuration";
  return isText && !isGuide(path, { isPlain: false });
}

/** Reports whether a file is a guide for one person's agents, which no one else reads or writes. */
export function isPersonalGuide(path: string): boolean {
  return personalGuidePattern.test(getBaseName(path));
}

/** Reports whether a text is an OpenAPI or AsyncAPI description, judging by its top level. */
export function isSpecification(path: string, text: string): boolean {
  if (!path.endsWith(".json")) {
    return /^(?:openapi|swagger|asyncapi)[ \t]*:[ \t]*["']?\d/m.test(text.slice(0, 64 * 1024));
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return false;
    const { openapi, swagger, asyncapi } = value as Readonly<Record<string, unknown>>;
    return [openapi, swagger, asyncapi].some((version) => /^\d/.test(String(version)));
  } catch {
    return false;
  }
}

/** Folds a name. Names that fold to the same string are the same file on some systems. */
export function foldName(name: string): string {
  return name.normalize("NFC").toLowerCase().normalize("NFC");
}
