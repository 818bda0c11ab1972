import { readFileSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { AgentModel } from "../../packages/octavo/src/agent/index.ts";
import type { ModelPrice } from "../../packages/octavo/src/core/index.ts";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { openBundleSearch } from "../../test/support/search-in-bundle.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { progress } from "../progress.ts";
import type { Section } from "../results.ts";
import { table } from "../table.ts";
import {
  addSpent,
  formatSpent,
  openEvaluatedModel,
  spentHead,
  writeEvaluation,
} from "./evaluation.ts";
import type { EvaluationOptions } from "./evaluation.ts";
import { answerQuestion } from "./questions/answer-question.ts";
import type { AnsweredQuestion, ReadableBundle } from "./questions/answer-question.ts";
import { questionCases } from "./questions/cases.ts";
import { findCitedPage, scoreReply } from "./questions/question-case.ts";
import type { QuestionCase, QuestionScore } from "./questions/question-case.ts";
import { isScriptedReader, scriptReader, scriptedReaders } from "./questions/scripts.ts";

/**
 * `questions [site] --model <provider/model>`: a model answers questions about real sites from their `llms.txt` and
 * Markdown pages, and a program compares its answers with what the pages say. Beside it stands the site's own search,
 * with the question as the query. Without a model, scripted ones show that the scores tell right from wrong.
 */
export async function benchQuestions(
  sites: string | undefined,
  options: EvaluationOptions,
): Promise<Section> {
  if (sites === undefined) {
    throw new Error("Set OCTAVO_SITES to a folder that holds documentation sites.");
  }
  const { only, model } = options;
  const found = new Set(await readdir(sites));
  const names = [...Map.groupBy(questionCases, ({ site }) => site).keys()].filter(
    (site) => found.has(site) && (only === undefined || site === only),
  );
  if (names.length === 0) throw new Error(`${sites} has none of the sites with questions.`);
  await using scratch = await temporaryFolder();
  const bundles: QuestionedSite[] = [];
  for (const name of names) {
    progress(`questions: exporting ${name}`);
    const folder = join(scratch.path, name);
    await renderSite({ siteDir: join(sites, name), outDir: folder });
    bundles.push({ name, folder, cases: questionCases.filter(({ site }) => site === name) });
  }
  const searched = await searchSites(bundles);
  if (model === undefined) {
    return { ...(await compareScripts(bundles, searched)), isPartial: only !== undefined };
  }
  const { openFor, price } = await openReader(model);
  const runs = await askSites(bundles, openFor);
  const body = [describeAnswers(runs, price), describeSearch(searched)].join("\n\n");
  await writeEvaluation(options, "questions", { data: { runs, search: searched }, markdown: body });
  return { title: `Questions about sites: ${model}`, limits: [], body, isPartial: true };
}

type OpenReader = (question: QuestionCase) => AgentModel;

async function openReader(
  name: string,
): Promise<{ readonly openFor: OpenReader; readonly price: ModelPrice | undefined }> {
  if (isScriptedReader(name)) {
    return { openFor: (question) => scriptReader(name, question), price: undefined };
  }
  const { model, price } = await openEvaluatedModel(name);
  return { openFor: () => model, price };
}

/** An exported site, and the questions about it. */
export interface QuestionedSite {
  readonly name: string;
  readonly folder: string;
  readonly cases: readonly QuestionCase[];
}

export interface QuestionRun extends QuestionScore, AnsweredQuestion {
  readonly site: string;
  readonly question: string;
  readonly page: string | undefined;
  readonly cited: string | undefined;
  readonly error?: string;
}

/** Asks a model the questions of each site, one after the other. */
export async function askSites(
  sites: readonly QuestionedSite[],
  openFor: OpenReader,
): Promise<readonly QuestionRun[]> {
  const runs: QuestionRun[] = [];
  for (const { folder, cases } of sites) {
    for (const question of cases) {
      const run = await ask(question, openFor(question), createBundle(folder));
      progress(`${run.isRight ? "right" : "not right"}: ${run.question}`);
      runs.push(run);
    }
  }
  return runs;
}

async function ask(
  question: QuestionCase,
  model: AgentModel,
  bundle: ReadableBundle,
): Promise<QuestionRun> {
  const { site, page } = question;
  const asked = { site, question: question.question, page };
  try {
    const answered = await answerQuestion(model, question.question, bundle);
    const { text } = answered;
    return { ...asked, ...scoreReply(question, text), cited: findCitedPage(text), ...answered };
  } catch (error) {
    // One failed call does not end the evaluation.
    const nothing = { text: "", read: [], cited: undefined, isRight: false, isCited: false };
    const spent = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, seconds: 0 };
    return { ...asked, ...nothing, ...spent, isWrong: false, error: String(error) };
  }
}

/** Reads the files of a bundle, and nothing outside it. */
function createBundle(folder: string): ReadableBundle {
  return {
    async readText(path) {
      const file = resolve(folder, path);
      if (!file.startsWith(`${resolve(folder)}/`) || !/\.(?:md|txt)$/.test(file)) return undefined;
      return await readFile(file, "utf8").catch(() => undefined);
    },
  };
}

/** The pages that a site's search finds first for a question. */
export interface SearchedQuestion {
  readonly site: string;
  readonly question: string;
  readonly page: string;
  readonly pages: readonly string[];
  /** The position of the page with the answer among the first three, from 1; 0 if it is not among them. */
  readonly rank: number;
  /** The pages of llms.txt that contain the fact; one, if the question is sound. */
  readonly factPages: readonly string[];
}

/** Searches for the questions that a site answers. */
export async function searchSites(
  sites: readonly QuestionedSite[],
): Promise<readonly SearchedQuestion[]> {
  const searched: SearchedQuestion[] = [];
  for (const { name, folder, cases } of sites) {
    const texts = readListedPages(folder);
    const read = (path: string) => readOptional(join(folder, path));
    const search = await openBundleSearch(read, findSearchIndex(folder, [...texts.keys()]));
    for (const { question, page, fact } of cases) {
      if (page === undefined || fact === undefined) continue;
      const hrefs = (await search.query(question)).map(({ href }) => toPage(href));
      const pages = [...new Set(hrefs)].slice(0, 3);
      const factPages = [...texts].flatMap(([path, text]) => (fact.test(text) ? [path] : []));
      const rank = pages.indexOf(toPage(page)) + 1;
      searched.push({ site: name, question, page, pages, rank, factPages });
    }
  }
  return searched;
}

function readOptional(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Reads the pages that llms.txt lists, by their paths without extension. */
function readListedPages(folder: string): ReadonlyMap<string, string> {
  const listed = (readOptional(join(folder, "llms.txt")) ?? "").matchAll(/\]\(([^)\s]+)\.md\)/g);
  const paths = Array.from(listed, ([, path = ""]) => path);
  return new Map(paths.map((path) => [path, readOptional(join(folder, `${path}.md`)) ?? ""]));
}

function toPage(path: string): string {
  return path
    .replace(/#.*$/, "")
    .replace(/\.html$/, "")
    .replace(/(?:^|\/)index$/, "");
}

/** Returns the index that the reader of a listed page searches. */
function findSearchIndex(folder: string, pages: readonly string[]): string {
  for (const page of pages) {
    const html = readOptional(join(folder, `${page}.html`)) ?? "";
    const name = /data-search="([^"]*)"/.exec(html)?.[1];
    if (name !== undefined) return name;
  }
  return "all";
}

const head = ["site", "questions", "right", "right page", "wrong", "no answer", ...spentHead];

/** Formats answers as a table by site, and below it each that is not right. */
export function describeAnswers(
  runs: readonly QuestionRun[],
  price: ModelPrice | undefined,
): string {
  const groups = [...Map.groupBy(runs, ({ site }) => site), ["all", runs] as const];
  const rows = groups.map(([site, own]) => {
    const { right, cited, wrong } = countAnswers(own);
    const numbers = [own.length, right, cited, wrong, own.length - right - wrong].map(String);
    return [site, ...numbers, ...formatSpent(addSpent(own), price)];
  });
  const faults = runs
    .filter(({ isCited }) => !isCited)
    .map(({ site, question, text, page = "none", cited = "none", error }) => {
      const said = error ?? JSON.stringify(text.replaceAll(/\s+/g, " ").slice(0, 200));
      return `- ${site}, ${question} ${said}, cites ${cited} where ${page} is right`;
    });
  return [
    table(head, rows),
    faults.length === 0 ? "Every answer is right." : faults.join("\n"),
  ].join("\n\n");
}

function countAnswers(runs: readonly QuestionScore[]) {
  return {
    right: runs.filter(({ isRight }) => isRight).length,
    cited: runs.filter(({ isCited }) => isCited).length,
    wrong: runs.filter(({ isWrong }) => isWrong).length,
  };
}

/** Formats the ranks of the site's own search, the baseline without a model. */
export function describeSearch(searched: readonly SearchedQuestion[]): string {
  const groups = [...Map.groupBy(searched, ({ site }) => site), ["all", searched] as const];
  const rows = groups.map(([site, own]) => [
    site,
    String(own.length),
    String(own.filter(({ rank }) => rank === 1).length),
    String(own.filter(({ rank }) => rank > 0).length),
  ]);
  return table(["search of", "answered questions", "page is first", "among three"], rows);
}

async function compareScripts(
  sites: readonly QuestionedSite[],
  searched: readonly SearchedQuestion[],
): Promise<Section> {
  const cases = sites.flatMap((site) => site.cases);
  const open = cases.filter(({ page }) => page === undefined).length;
  const expected = {
    "scripted/reader": { right: cases.length, wrong: 0 },
    "scripted/idle": { right: open, wrong: 0 },
    "scripted/inventor": { right: 0, wrong: cases.length },
  };
  const rows: string[][] = [];
  const limits = [];
  for (const name of scriptedReaders) {
    const runs = await askSites(sites, (question) => scriptReader(name, question));
    const { right, cited, wrong } = countAnswers(runs);
    rows.push([name, ...[runs.length, right, cited, wrong].map(String)]);
    limits.push({
      name: `questions about sites, ${name}: right and wrong`,
      limit: `${expected[name].right} and ${expected[name].wrong}`,
      measured: `${right} and ${wrong}`,
      holds: right === expected[name].right && wrong === expected[name].wrong,
    });
  }
  const unsound = searched.filter(
    ({ page, factPages }) => factPages.length !== 1 || factPages[0] !== page,
  );
  limits.push({
    name: "questions about sites: facts that do not stand in one page alone",
    limit: "0",
    measured: String(unsound.length),
    holds: unsound.length === 0,
  });
  const body = [
    table(["model", "questions", "right", "right page", "wrong"], rows),
    describeSearch(searched),
    ...unsound.map(
      ({ question, factPages }) => `- ${question} ${factPages.join(", ") || "no page"}`,
    ),
  ].join("\n\n");
  return { title: "Questions about sites", limits, body };
}
