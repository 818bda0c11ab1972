import { OctavoError, cleanRelativePath } from "@octavo/site/core";
import { isRefName, parseRepositoryAddress, refuseDestination } from "../core/index.ts";
import type { AllowList, FileAddress, NetworkAddress } from "../core/index.ts";

export const codeHosts = ["github", "local"] as const;
export type CodeHostName = (typeof codeHosts)[number];

/** The word that stands for an empty repository that the service hosts. */
export const hostedRepository = "local";

/**
 * Checks where a project's repository lies and gives the address to store. Throws `invalid_input`
 * with what to write instead; an address with credentials is refused without repeating it.
 */
export function checkRepository(text: string, allow: AllowList): string {
  if (text === hostedRepository) return text;
  const address = parseRepositoryAddress(text);
  if (address.protocol === "file") return checkFile(address, allow);
  if (address.protocol === "http") {
    throw invalid(
      "repository is an http: address, which sends everything in the clear; use https.",
    );
  }
  // Names are looked up, and their addresses checked, whenever a connection is made.
  const refusal = refuseDestination(address, allow);
  if (refusal !== undefined) throw invalid(`repository is refused: ${refusal}`);
  // `git@host:path`, which is no URL, stays as people know it.
  return URL.canParse(text) ? address.url : text;
}

function checkFile({ path, url }: FileAddress, allow: AllowList): string {
  if (allow.allowsFile(path)) return url;
  throw invalid(
    "repository is a file: address that this service may not read. The operator adds its folder to " +
      "OCTAVO_ALLOW, e.g. file:///srv/git.",
  );
}

/** Who takes the pull requests of a repository, where a project does not say. */
export function guessCodeHost(repository: string, gitHubHosts: ReadonlySet<string>): CodeHostName {
  const address = placeOf(repository);
  return address && gitHubHosts.has(address.host) ? "github" : "local";
}

/** Throws `invalid_input` where a code host cannot take pull requests for this repository. */
export function checkCodeHost(codeHost: CodeHostName, repository: string): void {
  if (codeHost === "local") return;
  if (/^\/[^/]+\/[^/]+\/?$/.test(placeOf(repository)?.path ?? "")) return;
  throw invalid(
    `codeHost github needs a repository such as https://github.com/owner/name; ${repository} is none.`,
  );
}

/** Where a checked repository lies on the network, if it does. */
function placeOf(repository: string): NetworkAddress | undefined {
  if (repository === hostedRepository) return undefined;
  const address = parseRepositoryAddress(repository);
  return address.protocol === "file" ? undefined : address;
}

/**
 * Throws `invalid_input` where git would not take `ref` as the name of a branch, tag or commit, or
 * could take it for an option. Gives it back unchanged.
 */
export function checkRef(ref: string): string {
  if (isRefName(ref)) return ref;
  throw invalid(`ref ${JSON.stringify(ref.slice(0, 100))} is not a name that Git allows.`);
}

/** The site's folder below the repository's root in one form; `.` for the root itself. */
export function cleanDirectory(directory: string): string {
  const clean = cleanRelativePath(directory);
  if (clean !== undefined && clean.length <= 1_000) return clean === "" ? "." : clean;
  throw invalid("directory leads out of the repository; give a folder below its root, e.g. docs.");
}

function invalid(message: string): OctavoError {
  return new OctavoError("invalid_input", message);
}
