import { extname } from "node:path";

/** A module of this program beside the one at `moduleUrl`: TypeScript in the repository, JavaScript where it is installed. */
export function programBeside(moduleUrl: string, name: string): URL {
  return new URL(`${name}${extname(new URL(moduleUrl).pathname)}`, moduleUrl);
}
