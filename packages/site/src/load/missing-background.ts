import type { ProblemLog } from "../core/index.ts";
import { isJsonString, membersOf, placeOf } from "../text/index.ts";
import type { ConfigFile } from "./config-file.ts";

/** Reports pictures of the background that the configuration names and the site does not have. */
export function reportMissingBackground(
  config: ConfigFile | undefined,
  assets: readonly string[],
  problems: ProblemLog,
): void {
  const image = membersOf(membersOf(config?.node)?.get("background"))?.get("image");
  const pair = membersOf(image);
  const named = pair === undefined ? [image] : [pair.get("light"), pair.get("dark")];
  for (const node of named) {
    if (!isJsonString(node) || node.value === "" || isElsewhere(node.value)) continue;
    if (assets.includes(pathOf(node.value))) continue;
    const message = `The background ${JSON.stringify(node.value)} is not in this site; pages are shown without it.`;
    problems.fail("media_missing", message, placeOf(node));
  }
}

/** On another host, or written into the address itself. */
function isElsewhere(address: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(address.trim());
}

function pathOf(address: string): string {
  const [path = ""] = address.trim().split(/[?#]/, 1);
  const written = path.replace(/^(?:\.?\/)+/, "");
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
