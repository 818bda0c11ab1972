import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Site, SitePage } from "../../packages/site/src/site/index.ts";
import { comparePage, type PageComparison } from "./compare.ts";
import { rules, type Rule } from "./rules.ts";

/** Compares each page of an exported site that has a source of its own. */
export function compareSite(site: Site, bundle: string): readonly PageComparison[] {
  const readFile = (path: string) => readText(site, path);
  return site.pages
    .filter(({ isGenerated }) => isGenerated !== true)
    .map((page) => {
      const text = readFile(page.file) ?? "";
      const source = { path: page.file, text, mode: modeOf(page), readFile };
      return comparePage(source, readFileSync(join(bundle, `${page.path}.html`), "utf8"));
    });
}

function modeOf({ frontmatter: { mode } }: SitePage): string | undefined {
  return mode === "assistant" ? undefined : mode;
}

/** The text of a file of the site, with the site's variables in it. */
function readText({ root, config }: Site, path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(join(root, path), "utf8");
  } catch {
    return undefined;
  }
  return text.replaceAll(
    /\{\{\s*([\w-]+)\s*\}\}/g,
    (whole, name: string) => config.variables[name] ?? whole,
  );
}

/** Reports the words that a site's pages lost, by page, and the parts of their sources that are not text, by rule. */
export function reportOf(pages: readonly PageComparison[]): string {
  const words = pages.reduce((sum, page) => sum + page.words, 0);
  const lost = pages.flatMap((page) => page.lost);
  const unread = pages.flatMap((page) => page.unread);
  const rough = pages.filter(({ isRough }) => isRough).length;
  return [
    `${pages.length} pages, ${words} words: ${lost.length} lost, ${unread.length} not read; ${rough} pages read without a parser`,
    ...Object.entries(rules).flatMap(([rule, why]) => ruleLine(rule as Rule, why, pages)),
    ...pages.flatMap(lossLine),
  ].join("\n");
}

function ruleLine(rule: Rule, why: string, pages: readonly PageComparison[]): string[] {
  const counts = pages
    .map(({ explained }) => explained.get(rule) ?? 0)
    .filter((count) => count > 0);
  if (counts.length === 0) return [];
  const words = counts.reduce((sum, count) => sum + count, 0);
  return [`  ${rule}: ${words} words of ${counts.length} pages: ${why}`];
}

function lossLine({ path, lost, unread }: PageComparison): string[] {
  const losses = lost.map(({ word, what, line }) => `${word} (${what}, line ${line})`);
  return [
    ...(losses.length === 0 ? [] : [`  ${path} lost ${losses.length}: ${firstOf(losses)}`]),
    ...(unread.length === 0 ? [] : [`  ${path} not read ${unread.length}: ${firstOf(unread)}`]),
  ];
}

function firstOf(texts: readonly string[]): string {
  return `${texts.slice(0, 12).join(", ")}${texts.length > 12 ? " ..." : ""}`;
}

/** A line for each page, with tabs: what it says, what it lost, and what is no text, by rule. */
export function tableOf(pages: readonly PageComparison[]): string {
  const names = Object.keys(rules) as Rule[];
  const head = ["page", "words", "lost", "not read", ...names];
  const rows = pages.map(({ path, words, lost, unread, explained }) => [
    path,
    words,
    lost.length,
    unread.length,
    ...names.map((rule) => explained.get(rule) ?? 0),
  ]);
  return [head, ...rows].map((row) => `${row.join("\t")}\n`).join("");
}
