/** Formats the findings of `octavo check` for other programs. */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { hashParts } from "@octavo/site/core";
import type { Problem } from "@octavo/site/core";

/**
 * Formatters, keyed by the name that `--format` accepts. Each returns the whole text of a report, or an empty string to
 * print nothing.
 */
export const reportFormats = {
  sarif: formatSarifLog,
  github: formatGithubAnnotations,
  gitlab: formatGitlabReport,
} as const satisfies Readonly<Record<string, (report: CheckReport) => string>>;

/** The findings of a check. */
interface CheckReport {
  /** The problems. Their paths are relative to the root of the repository that contains the site. */
  readonly problems: readonly Problem[];
  /** Octavo's version. */
  readonly version: string;
}

/** The name that code hosts resolve to the root of the repository. */
const rootUriBaseId = "%SRCROOT%";

/**
 * Returns the problems of a site with paths relative to the root of its repository, because code hosts understand only
 * such paths. Without a repository, the paths are relative to `invocationDir` if it contains the site, or else to the
 * site's folder.
 */
export function toRepositoryPaths(
  problems: readonly Problem[],
  { siteDir, invocationDir }: { readonly siteDir: string; readonly invocationDir: string },
): Problem[] {
  const path = relative(findRepositoryRoot(siteDir) ?? realpathSync(invocationDir), siteDir)
    .split(sep)
    .join("/");
  const isInRoot = path !== "" && path !== ".." && !path.startsWith("../");
  return problems.map((problem) => ({
    ...problem,
    file: isInRoot ? `${path}/${problem.file}` : problem.file,
  }));
}

/** Returns a GitHub Actions workflow command for each problem, which becomes an annotation on the file's line. */
function formatGithubAnnotations({ problems }: CheckReport): string {
  return problems.map(formatAnnotation).join("\n");
}

function formatAnnotation({ severity, file, line, column, code, message }: Problem): string {
  const location = { file, line, col: column, title: code };
  const properties = Object.entries(location)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  return `::${severity} ${properties.join(",")}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/** Returns a GitLab code quality report, a list of issues that merge requests show. */
function formatGitlabReport({ problems }: CheckReport): string {
  const fingerprints = computeFingerprints(problems);
  const issues = problems.map(({ severity, file, line = 1, code, message }, index) => ({
    description: message,
    check_name: code,
    fingerprint: fingerprints[index],
    severity: severity === "error" ? "major" : "minor",
    location: { path: file, lines: { begin: line } },
  }));
  return JSON.stringify(issues, undefined, 2);
}

/** Returns a log in SARIF 2.1.0 format for code scanning. */
function formatSarifLog({ problems, version }: CheckReport): string {
  const codes = [...new Set(problems.map(({ code }) => code))].toSorted();
  const fingerprints = computeFingerprints(problems);
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "Octavo", version, rules: codes.map(toRule) } },
        columnKind: "utf16CodeUnits",
        originalUriBaseIds: {
          [rootUriBaseId]: { description: { text: "The root of the repository." } },
        },
        results: problems.map((problem, index) => ({
          ruleId: problem.code,
          ruleIndex: codes.indexOf(problem.code),
          level: problem.severity,
          message: { text: problem.message },
          locations: [{ physicalLocation: toLocation(problem) }],
          partialFingerprints: { "octavoProblem/v1": fingerprints[index] },
        })),
      },
    ],
  };
  return JSON.stringify(log, undefined, 2);
}

function toRule(code: string) {
  const words = code.replaceAll("_", " ");
  const text = words.slice(0, 1).toUpperCase() + words.slice(1);
  return { id: code, shortDescription: { text: `${text}.` } };
}

function toLocation({ file, line, column }: Problem) {
  const uri = file.split("/").map(encodeURIComponent).join("/");
  const region = {
    startLine: line,
    ...(column === undefined ? {} : { startColumn: column }),
  };
  return {
    artifactLocation: { uri, uriBaseId: rootUriBaseId },
    ...(line === undefined ? {} : { region }),
  };
}

/**
 * Returns a fingerprint for each problem, in order. A fingerprint stays the same when lines move, so that a code host
 * can distinguish new problems from existing problems. Equal problems in a file are numbered.
 */
function computeFingerprints(problems: readonly Problem[]): string[] {
  const counts = new Map<string, number>();
  return problems.map(({ file, code, message }) => {
    const hash = hashParts([file, code, message]);
    const count = counts.get(hash) ?? 0;
    counts.set(hash, count + 1);
    return hashParts([hash, String(count)]).slice(0, 40);
  });
}

/**
 * Returns the closest folder, from this folder upward, that is a Git working tree, or undefined if no such folder
 * exists.
 */
function findRepositoryRoot(folder: string): string | undefined {
  for (let path = folder; ; path = dirname(path)) {
    // In worktrees and submodules, `.git` is a file.
    if (existsSync(join(path, ".git"))) return path;
    if (dirname(path) === path) return undefined;
  }
}
