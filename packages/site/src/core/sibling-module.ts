import { extname } from "node:path";

/** A module in the folder of the one at `moduleUrl`: TypeScript in the repository, JavaScript in an installed package. */
export function siblingModule(moduleUrl: string, name: string): URL {
  return new URL(`${name}${extname(new URL(moduleUrl).pathname)}`, moduleUrl);
}
