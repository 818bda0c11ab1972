import type { BundleFile, Problem, RemoteOrigins } from "../core/index.ts";
import type { RemoteMediaMode, Site } from "../site/index.ts";
import { sortProblems } from "../core/index.ts";
import type { PageOutput } from "./output.ts";

/** The checks that were made in addition to rendering the pages. */
export interface ReportChecks {
  /** Names of the checks that were made, e.g. `links`. */
  readonly checked: readonly string[];
  /** Names of the checks that were not made, e.g. `external_links`. */
  readonly notChecked: readonly string[];
  /** The problems that the checks found. */
  readonly problems: readonly Problem[];
  /** Hosts that pages may ask, and what the site names on any host. */
  readonly remoteRequests?: {
    readonly allowed: RemoteOrigins;
    readonly requests: readonly RemoteRequest[];
  };
  /** The files of other hosts that the site shows, and how. */
  readonly remoteMedia?: { readonly mode: RemoteMediaMode; readonly files: readonly RemoteFile[] };
}

/** What a page or a file of the site names on another host, other than what `remoteMedia` lists. */
export interface RemoteRequest {
  /** `script` is an address in a script, which may load it or link to it. */
  readonly kind: "style" | "font" | "picture" | "script" | "frame";
  /** As authored. */
  readonly address: string;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** Pages may not load it. A frame that is not blocked is loaded when readers ask for it. */
  readonly blocked: boolean;
}

/** A picture, sound or video on another host. */
export interface RemoteFile {
  readonly address: string;
  /** Path of its copy in the bundle. */
  readonly copy?: string;
  /** Why there is no copy, if there should be one. */
  readonly reason?: string;
}

/**
 * `_octavo/report.json`: the site's problems, and what was and was not checked. It has no time, host or job: the same
 * site gives the same bytes.
 */
export function reportFile(
  site: Site,
  pages: readonly PageOutput[],
  checks: ReportChecks,
): BundleFile {
  const problems = distinctProblems([
    ...site.problems,
    ...pages.flatMap(({ rendered }) => rendered.problems),
    ...checks.problems,
  ]);
  const content = {
    pages: {
      exported: pages.length,
      hidden: pages.filter(({ page }) => page.hidden).length,
      indexed: pages.filter(({ page }) => page.indexed).length,
    },
    errors: problems.filter(({ severity }) => severity === "error").length,
    warnings: problems.filter(({ severity }) => severity === "warning").length,
    checked: checks.checked.toSorted(),
    notChecked: checks.notChecked.toSorted(),
    ...(checks.remoteRequests === undefined ? {} : { remoteRequests: checks.remoteRequests }),
    ...(checks.remoteMedia === undefined ? {} : { remoteMedia: checks.remoteMedia }),
    problems: problems.map(withOrderedKeys),
  };
  return { path: "_octavo/report.json", content: `${JSON.stringify(content, undefined, 2)}\n` };
}

/** Sorted problems without duplicates: two stages may find the same problem. */
export function distinctProblems(problems: readonly Problem[]): Problem[] {
  const included = new Set<string>();
  return sortProblems(problems).filter((problem) => {
    const key = JSON.stringify(withOrderedKeys(problem));
    if (included.has(key)) return false;
    included.add(key);
    return true;
  });
}

/** The problem with its keys in a fixed order. */
function withOrderedKeys({ severity, code, message, file, line, column }: Problem): Problem {
  return {
    severity,
    code,
    file,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    message,
  };
}
