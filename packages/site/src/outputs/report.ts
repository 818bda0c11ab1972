import type { BundleFile, Problem, RemoteOrigins } from "../core/index.ts";
import type { RemoteMediaMode, Site } from "../site/index.ts";
import { sortProblems } from "../core/index.ts";
import type { PageOutput } from "./output.ts";

/** The results of the checks that were performed in addition to rendering the pages. */
export interface ReportChecks {
  /** The names of the checks that were performed, such as `links`. */
  readonly checked: readonly string[];
  /** The names of the checks that were not performed, such as `external_links`. */
  readonly notChecked: readonly string[];
  /** The problems that the checks found. */
  readonly problems: readonly Problem[];
  /** The hosts that pages may contact, and the addresses on other hosts that the site names. */
  readonly remoteRequests?: {
    readonly allowed: RemoteOrigins;
    readonly requests: readonly RemoteRequest[];
  };
  /** Classes that pages use, but for which no style sheet of the bundle has a rule. */
  readonly unstyledClasses?: readonly UnstyledClass[];
  /** The files on other hosts that the site shows, and the mode in which it shows them. */
  readonly remoteMedia?: { readonly mode: RemoteMediaMode; readonly files: readonly RemoteFile[] };
}

/** A class that authors use but that has no style. */
export interface UnstyledClass {
  readonly name: string;
  /** The first page, by path, that uses the class. */
  readonly file: string;
  /** The number of pages that use it. */
  readonly pages: number;
}

/** An address on another host that a page or a file of the site names, except the addresses in `remoteMedia`. */
export interface RemoteRequest {
  /** `script` is an address in a script, which may load it or link to it. */
  readonly kind: "style" | "font" | "picture" | "script" | "frame";
  /** The address exactly as authored. */
  readonly address: string;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /**
   * Whether pages are prevented from loading the address. A frame that is not blocked is loaded when a reader requests
   * it.
   */
  readonly blocked: boolean;
}

/** An image, audio file or video on another host. */
export interface RemoteFile {
  readonly address: string;
  /** The path of the file's copy in the bundle. */
  readonly copy?: string;
  /** The reason why there is no copy, if there should be one. */
  readonly reason?: string;
}

/**
 * Creates `_octavo/report.json` with the site's problems and the names of the checks that were and were not performed.
 * The report contains no time, host or job, so that the same site always produces the same bytes.
 */
export function createReportFile(
  site: Site,
  pages: readonly PageOutput[],
  checks: ReportChecks,
): BundleFile {
  const problems = listDistinctProblems([
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
    ...(checks.unstyledClasses?.length ? { unstyledClasses: checks.unstyledClasses } : {}),
    problems: problems.map(orderKeys),
  };
  return { path: "_octavo/report.json", content: `${JSON.stringify(content, undefined, 2)}\n` };
}

/** Returns the problems sorted and without duplicates, because two stages may find the same problem. */
export function listDistinctProblems(problems: readonly Problem[]): Problem[] {
  const included = new Set<string>();
  return sortProblems(problems).filter((problem) => {
    const key = JSON.stringify(orderKeys(problem));
    if (included.has(key)) return false;
    included.add(key);
    return true;
  });
}

/** Returns the problem with its keys in a fixed order. */
function orderKeys({ severity, code, message, file, line, column }: Problem): Problem {
  return {
    severity,
    code,
    file,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    message,
  };
}
