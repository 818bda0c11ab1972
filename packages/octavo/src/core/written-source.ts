import { OctavoError } from "@octavo/site/core";

/** A source repository as people write it: `repository[@ref][:directory]`. */
export interface WrittenSource {
  readonly repository: string;
  readonly ref: string | null;
  readonly directory: string;
}

/** What comes before the path in an address: `https://host:8443/`, `git@host:`. */
const addressStart = /^(?:[a-z][a-z\d+.-]*:\/\/[^/]*\/|[\w.-]+@[\w.-]+:)/i;
const pathForm = /^([^@:]+)(?:@([^:]+))?(?::([^:]+))?$/;

/**
 * `isFolder` decides what `engine@v2:src` is, which could be a host's address for ssh. Throws `invalid_input`, which
 * repeats nothing: what is no address may be a secret.
 */
export function parseWrittenSource(
  text: string,
  isFolder: (name: string) => boolean = () => false,
): WrittenSource {
  const [first = ""] = /^[^@:]*/.exec(text) ?? [];
  const [start = ""] = isFolder(first) ? [] : (addressStart.exec(text) ?? []);
  const [, path, ref, directory] = pathForm.exec(text.slice(start.length)) ?? [];
  if (path === undefined) {
    throw new OctavoError(
      "invalid_input",
      "A source takes a repository and, where they matter, a ref and a folder: https://host/path@v2.1:src.",
    );
  }
  return { repository: start + path, ref: ref ?? null, directory: directory ?? "." };
}

/** As `parseWrittenSource` reads it, unless the address itself holds an `@` or a colon in its path. */
export function formatWrittenSource({ repository, ref, directory }: WrittenSource): string {
  return `${repository}${ref === null ? "" : `@${ref}`}${directory === "." ? "" : `:${directory}`}`;
}
