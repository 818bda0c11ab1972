import { createRequire } from "node:module";
import type { IconSets } from "./icon-sets.ts";
import { createPackedIconSets } from "./packed-icons.ts";

/** The module in the repository that reads the packages of the sets, which are not installed with the library. */
interface IconPackages {
  readonly createIconPackageSets: () => IconSets;
}

const isBuilt = import.meta.url.endsWith(".js");

/** The icon sets: in `dist/` packed beside this module, in `src/` read from their packages. */
export function createIconSets(): IconSets {
  if (isBuilt) return createPackedIconSets(new URL("packed/", import.meta.url));
  const require = createRequire(import.meta.url);
  const { createIconPackageSets } = require("../../../build/icon-packages.ts") as IconPackages;
  return createIconPackageSets();
}
