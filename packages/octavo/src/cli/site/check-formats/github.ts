import type { Problem } from "@octavo/site/core";
import type { CheckReport } from "./check-report.ts";

/** A workflow command of GitHub Actions for each problem: it becomes an annotation at the file's line. */
export function githubAnnotations({ problems }: CheckReport): string {
  return problems.map(annotation).join("\n");
}

function annotation({ severity, file, line, column, code, message }: Problem): string {
  const places = { file, line, col: column, title: code };
  const properties = Object.entries(places)
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
