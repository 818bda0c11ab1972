import { readFile, stat } from "node:fs/promises";
import { realPathInside, limits } from "../../core/index.ts";
import type { Problem } from "../../core/index.ts";
import type { Site } from "../../site/index.ts";

const outside =
  /url\(\s*["']?(?:https?:)?\/\/[^\s"')]{1,200}|@import\s+["'](?:https?:)?\/\/[^"']{1,200}/gi;
/** Problems reported for one style sheet. */
const maxReported = 20;

/** Problems for what the site's own style sheets, which are copied as they are, load from other hosts. */
export async function styleAddressProblems(site: Site): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const file of site.styles) {
    const text = await readSheet(site.root, file);
    let reported = 0;
    for (const { 0: found, index } of text.matchAll(outside)) {
      if ((reported += 1) > maxReported) break;
      const before = text.slice(0, index);
      const line = before.split("\n").length;
      const column = index - before.lastIndexOf("\n");
      const address = found.slice(found.search(/(?:https?:)?\/\//i));
      problems.push({
        severity: "warning",
        code: "style_from_elsewhere",
        message: `This style sheet loads ${address} from another host; put the file into the site.`,
        file,
        line,
        column,
      });
    }
  }
  return problems;
}

/** Empty if it cannot be read, which is reported when it is copied. */
async function readSheet(root: string, path: string): Promise<string> {
  try {
    const file = await realPathInside(root, path);
    const { size } = await stat(file);
    return size > limits.pageBytes ? "" : await readFile(file, "utf8");
  } catch {
    return "";
  }
}
