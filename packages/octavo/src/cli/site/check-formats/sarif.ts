import type { Problem } from "@octavo/site/core";
import type { CheckReport } from "./check-report.ts";
import { fingerprints } from "./fingerprints.ts";

/** Stands for the root of the repository, as code hosts know it. */
const root = "%SRCROOT%";

/** A log in SARIF 2.1.0, the format of code scanning. */
export function sarifLog({ problems, version }: CheckReport): string {
  const codes = [...new Set(problems.map(({ code }) => code))].toSorted();
  const names = fingerprints(problems);
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "Octavo", version, rules: codes.map(ruleOf) } },
        columnKind: "utf16CodeUnits",
        originalUriBaseIds: { [root]: { description: { text: "The root of the repository." } } },
        results: problems.map((problem, at) => ({
          ruleId: problem.code,
          ruleIndex: codes.indexOf(problem.code),
          level: problem.severity,
          message: { text: problem.message },
          locations: [{ physicalLocation: locationOf(problem) }],
          partialFingerprints: { "octavoProblem/v1": names[at] },
        })),
      },
    ],
  };
  return JSON.stringify(log, undefined, 2);
}

function ruleOf(code: string) {
  const words = code.replaceAll("_", " ");
  const text = words.slice(0, 1).toUpperCase() + words.slice(1);
  return { id: code, shortDescription: { text: `${text}.` } };
}

function locationOf({ file, line, column }: Problem) {
  const uri = file.split("/").map(encodeURIComponent).join("/");
  const region = {
    startLine: line,
    ...(column === undefined ? {} : { startColumn: column }),
  };
  return {
    artifactLocation: { uri, uriBaseId: root },
    ...(line === undefined ? {} : { region }),
  };
}
