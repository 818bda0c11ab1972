import type { BundleFile } from "./bundle-file.ts";
import { sha256 } from "./hash.ts";

/**
 * A file whose content is made once, when it is read. `about` is a hash of everything that it is made of, or of more;
 * undefined if unknown.
 */
export function lazyFile(path: string, about: string | undefined, make: () => string): BundleFile {
  let made: string | undefined;
  return {
    path,
    fingerprint: about && sha256(`${about} ${path}`).slice(0, 32),
    get content() {
      return (made ??= make());
    },
  };
}
