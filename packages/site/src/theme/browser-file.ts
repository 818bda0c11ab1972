import { readFile } from "node:fs/promises";

/** The repository's module that builds the files for browsers. The installed library does not include it. */
interface BrowserFileMaker {
  readonly makeBrowserFile: (file: URL) => Promise<string>;
}

const makerUrl = new URL("../../build/browser-file.ts", import.meta.url);
const isBuilt = import.meta.url.endsWith(".js");

/**
 * Reads a module or a style sheet in minified form. A module is bundled as a classic script, because browsers do not
 * load modules from `file://`. In `dist/`, the file itself is ready to use; in `src/`, it is built on each call.
 */
export async function readBrowserFile(file: URL): Promise<string> {
  if (isBuilt) return await readFile(file, "utf8");
  const { makeBrowserFile } = (await import(makerUrl.href)) as BrowserFileMaker;
  return await makeBrowserFile(file);
}
