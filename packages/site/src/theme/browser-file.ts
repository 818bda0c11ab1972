import { readFile } from "node:fs/promises";

/** What the repository has beside `src/` to make such files; nothing of it is installed. */
interface BrowserFileMaker {
  readonly makeBrowserFile: (file: URL) => Promise<string>;
}

const maker = new URL("../../build/browser-file.ts", import.meta.url);
const isBuilt = import.meta.url.endsWith(".js");

/**
 * A module as a classic script that holds all that it imports, since browsers load no modules from `file://`; or a
 * style sheet. Either is minified. In `dist/` it stands ready in the file's own place; from `src/` it is made here.
 */
export async function readBrowserFile(file: URL): Promise<string> {
  if (isBuilt) return await readFile(file, "utf8");
  const { makeBrowserFile } = (await import(maker.href)) as BrowserFileMaker;
  return await makeBrowserFile(file);
}
