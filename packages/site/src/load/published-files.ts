import { existsSync, statSync, type Stats } from "node:fs";
import {
  limits,
  resolveInside,
  resolveRealPathSync,
  type ProblemLog,
  getParentFolder,
  getBaseName,
} from "../core/index.ts";
import type { Site } from "../site/index.ts";

/** The extensions of files that are copied into the bundle. Other files (programs, keys, databases) are not copied. */
const mediaExtensions = [
  "png jpg jpeg jfif gif webp avif jxl svg svgz ico cur bmp apng tif tiff heic",
  "mp4 webm mov m4v ogv vtt mp3 wav ogg oga opus weba m4a aac flac",
  "woff woff2 ttf otf ttc otc eot",
  "pdf txt csv tsv xml json yaml yml toml",
  "zip gz tgz docx xlsx pptx epub ipynb wasm webmanifest",
].flatMap((endings) => endings.split(" "));
const codeExtensions = ["css", "js"];
const publishedExtensions: ReadonlySet<string> = new Set([...mediaExtensions, ...codeExtensions]);
/** Scripts are excluded because scripts in folders of build output belong to programs. */
const spareExtensions: ReadonlySet<string> = new Set([...mediaExtensions, "css"]);
const publishedInPlainFolder: ReadonlySet<string> = new Set(mediaExtensions);

/** The names of tools' files, which are not part of the site in any folder. */
const toolFiles: ReadonlySet<string> = new Set([
  "docs.json",
  "mint.json",
  "package.json",
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "pnpm-workspace.yaml",
  "yarn.lock",
  "composer.json",
  "tsconfig.json",
  "jsconfig.json",
  "deno.json",
  "turbo.json",
  "vercel.json",
  "netlify.toml",
  "wrangler.toml",
  "pyproject.toml",
  "Cargo.toml",
  "requirements.txt",
  "docker-compose.yml",
  "docker-compose.yaml",
]);
const toolPattern =
  /\.(?:config|conf|setup)\.(?:js|json)$|(?:^|[-.])lock\.(?:json|yaml|toml)$|^(?:gulpfile|Gruntfile|webpack\.\w+)\.js$/;

/** Selects the files of build output folders that a bundle includes if a page or another file refers to them. */
export function selectSpareAssets(files: readonly string[]): string[] {
  return files.filter((file) => spareExtensions.has(getExtension(file)));
}

/** Lists the files of a site that are copied into the bundle, in the order of `files`. */
export function listAssets(
  files: readonly string[],
  site: { readonly isPlain: boolean; readonly configFiles: readonly string[] },
): string[] {
  const extensions = site.isPlain ? publishedInPlainFolder : publishedExtensions;
  const configuration = new Set(site.configFiles);
  return files.filter(
    (file) => extensions.has(getExtension(file)) && !configuration.has(file) && !isToolFile(file),
  );
}

/** Matches paths in the folder of snippets that pages import. */
const snippetFolder = /^_?snippets\//;
/** Folders of third-party packages. */
const packageFolder = /(?:^|\/)(?:node_modules|bower_components|jspm_packages)\//;

/**
 * Lists the style sheets and scripts, in any folder, that the format adds to every page. Excludes tool configuration
 * and the files of packages in the site, such as a program with a `package.json`. The result is empty for a site
 * without configuration, where scripts are programs and not part of the pages.
 */
export function listInjectedFiles(
  files: readonly string[],
  { isPlain, problems }: { readonly isPlain: boolean; readonly problems: ProblemLog },
): Pick<Site, "styles" | "scripts"> {
  if (isPlain) return { styles: [], scripts: [] };
  const code = files.filter((file) => /\.(?:css|js)$/.test(file));
  const packages = new Set(
    files.filter((file) => file.endsWith("/package.json")).map(getParentFolder),
  );
  const siteCode = code.filter((file) => !isToolFile(file) && !isInPackage(file, packages));
  const styles = siteCode.filter((file) => file.endsWith(".css"));
  const scripts = siteCode.filter((file) => file.endsWith(".js") && !snippetFolder.test(file));
  return {
    styles: takeFirstFiles(styles, "style sheets", problems),
    scripts: takeFirstFiles(scripts, "scripts", problems),
  };
}

function isInPackage(file: string, packages: ReadonlySet<string>): boolean {
  if (packageFolder.test(file)) return true;
  for (let folder = getParentFolder(file); folder !== ""; folder = getParentFolder(folder)) {
    if (packages.has(folder)) return true;
  }
  return false;
}

function takeFirstFiles(
  files: readonly string[],
  kind: string,
  problems: ProblemLog,
): readonly string[] {
  const [unused] = files.slice(limits.injectedFiles);
  if (unused === undefined) return files;
  const message = `The site has ${files.length} ${kind}; only the first ${limits.injectedFiles} are added to its pages.`;
  problems.fail("too_many_injected_files", message, { file: unused });
  return files.slice(0, limits.injectedFiles);
}

function isToolFile(file: string): boolean {
  const name = getBaseName(file);
  return toolFiles.has(name) || toolPattern.test(name);
}

function getExtension(file: string): string {
  const name = getBaseName(file);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase();
}

/**
 * Returns the reason why a file or page in the site's folder is not part of the site, as the end of a sentence. Returns
 * undefined if the folder does not contain it. Looks only at the names of files inside the folder.
 */
export function explainExclusion(
  { root, configFile, problems }: Pick<Site, "root" | "configFile" | "problems">,
  path: string,
): string | undefined {
  const file = [path, `${path}.mdx`, `${path}.md`].find((name) => statInside(root, name)?.isFile());
  // An unreadable page is reported as a separate problem.
  if (file === undefined || problems.some((problem) => problem.file === file)) return undefined;
  if (/(?:^|\/)\./.test(file)) return "names that begin with a dot are not published";
  if (isToolFile(file)) return "the configuration of tools is not published";
  const isPage = /\.mdx?$/.test(file);
  if (isPage && snippetFolder.test(file)) return "snippets are not pages";
  const extensions = configFile === "none" ? publishedInPlainFolder : publishedExtensions;
  if (isPage || extensions.has(getExtension(file))) return "the ignore rules exclude it";
  return "files of this kind are not published";
}

/** Returns the end of a sentence about a missing file: either that it is not in the site, or why it is excluded. */
export function describeMissingFile(
  site: Pick<Site, "root" | "configFile" | "problems">,
  path: string,
): string {
  const reason = explainExclusion(site, path);
  if (reason !== undefined) return `is in the site's folder, but not part of the site: ${reason}`;
  const stats = statInside(site.root, path);
  if (stats === undefined || stats.isFile()) return "is not in this site";
  return stats.isDirectory() ? "is a folder" : "is a pipe, a socket or a device, not a file";
}

function statInside(root: string, path: string): Stats | undefined {
  try {
    // Few of these files exist, and an error for a missing file takes fifty times as long as this check.
    if (!existsSync(resolveInside(root, path))) return undefined;
    return statSync(resolveRealPathSync(root, path));
  } catch {
    return undefined;
  }
}
