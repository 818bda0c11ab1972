import type { Site } from "../site/index.ts";

/** Extensions of files that are copied into the bundle. Everything else (programs, keys, databases) is not. */
const mediaExtensions = [
  "png jpg jpeg gif webp avif svg ico bmp apng",
  "mp4 webm mov m4v ogv vtt mp3 wav ogg m4a aac flac",
  "woff woff2 ttf otf eot",
  "pdf txt csv tsv xml json yaml yml toml",
  "zip gz tgz docx xlsx pptx epub ipynb wasm webmanifest",
].flatMap((endings) => endings.split(" "));
const codeExtensions = ["css", "js"];
const publishedExtensions: ReadonlySet<string> = new Set([...mediaExtensions, ...codeExtensions]);
const publishedInPlainFolder: ReadonlySet<string> = new Set(mediaExtensions);

/** Files of tools, not of the site, in any folder. */
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
const toolPattern = /\.config\.(?:js|json)$|(?:^|[-.])lock\.(?:json|yaml|toml)$/;

/** The files of a site that are copied into the bundle, in the order of `files`. */
export function assetsOf(
  files: readonly string[],
  site: { readonly isPlain: boolean; readonly configFiles: readonly string[] },
): string[] {
  const extensions = site.isPlain ? publishedInPlainFolder : publishedExtensions;
  const configuration = new Set(site.configFiles);
  return files.filter(
    (file) => extensions.has(extensionOf(file)) && !configuration.has(file) && !isToolFile(file),
  );
}

/**
 * Styles and scripts at the root, which the format adds to every page. Not in a folder without
 * configuration: a script at its root is a program, not part of the pages.
 */
export function injectedFiles(
  files: readonly string[],
  isPlain: boolean,
): Pick<Site, "styles" | "scripts"> {
  const atRoot = isPlain ? [] : files.filter((file) => !file.includes("/") && !isToolFile(file));
  return {
    styles: atRoot.filter((file) => file.endsWith(".css")),
    scripts: atRoot.filter((file) => file.endsWith(".js")),
  };
}

function isToolFile(file: string): boolean {
  const name = file.slice(file.lastIndexOf("/") + 1);
  return toolFiles.has(name) || toolPattern.test(name);
}

function extensionOf(file: string): string {
  const name = file.slice(file.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase();
}
