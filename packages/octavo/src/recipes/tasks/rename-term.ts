import { configurationPlaces, readConfiguration } from "../configuration.ts";
import type { ConfigurationFile } from "../configuration.ts";
import type { TaskOf } from "../instruction/task.ts";
import { filesInScope } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { refused } from "../refused.ts";
import { editAll, findFiles, listPages, readFiles, tooManyFiles } from "../site-tools.ts";
import type { FileEdits } from "../site-tools.ts";
import { applyEdits, isJsonString } from "@octavo/site/text";
import { isFunctionWord, isAfterModal, pastFormsOf } from "./grammar.ts";
import { followHeadings } from "./heading-links.ts";
import { tellLeft } from "./left-places.ts";
import type { LeftPlaces } from "./left-places.ts";
import { createEditions } from "./navigation-groups.ts";
import { isEnglish, reasonToLeave } from "./page-kinds.ts";
import type { Recipe } from "./recipe.ts";
import { code, count, tellList, tellParts, tellUnseen } from "./telling.ts";
import { createTerm, pluralOf } from "./term.ts";
import type { Term, Usage } from "./term.ts";

type Renaming = TaskOf<"rename_term">;

export const renameTerm: Recipe<Renaming> = { kind: "rename_term", run };

function* run(task: Renaming): Plan<string> {
  if (isFunctionWord(task.from)) {
    throw refused(
      `“${task.from}” is a word of the language rather than a term: a longer phrase is needed`,
    );
  }
  const listing = yield* listPages();
  const inScope = filesInScope(listing, task.scope);
  const texts = yield* readTexts(task, inScope);
  const term = createTerm(task, usageOf(task.from, [...texts.values()]));
  const configuration = task.scope === undefined ? yield* readConfiguration() : [];
  const work = workOn(task, { term, texts, configuration });
  yield* editAll(work.files, listing);
  const { links, unseen } = yield* followHeadings(
    listing.files,
    work.files.filter(({ path }) => texts.has(path)).map(changedPage),
  );
  // A heading of another name whose links stay would break them.
  if (unseen > 0)
    throw tooManyFiles(
      work.files.map(({ path }) => path),
      work.files.length - 1,
    );
  return tellParts(
    head(task, work.files),
    tellList(
      "Changed:",
      work.files.map(({ path, edits }) => `${code(path)}: ${count(edits.length, "place")}`),
    ),
    links > 0 ? `${count(links, "link")} to headings that have a new name follow them.` : "",
    tellPlurals(task, texts),
    tellLeft(work.left),
    tellUnseen(listing),
  );
}

function* readTexts(task: Renaming, files: readonly string[]): Plan<ReadonlyMap<string, string>> {
  const { query } = createTerm(task, { isVerb: false, isCommon: false });
  return yield* readFiles(yield* findFiles([{ query, isRegex: true, ignoreCase: true }], files));
}

const plainWord = /^\p{L}+$/u;

/** How the word of a term is used; of several words it is taken for a name. */
function usageOf(word: string, texts: readonly string[]): Usage {
  if (!plainWord.test(word)) return { isVerb: false, isCommon: false };
  const small = word.toLowerCase();
  const isName = word !== small;
  const common = new RegExp(`(?<![\\p{L}\\p{N}_-])${small}(?![\\p{L}\\p{N}_-])`, "gu");
  const past = new RegExp(`(?<![\\p{L}])(?:${pastFormsOf(small).join("|")})(?![\\p{L}])`, "iu");
  const isVerb = (text: string) =>
    past.test(text) ||
    [...text.matchAll(common)].some(({ index }) =>
      isAfterModal(text.slice(Math.max(0, index - 40), index)),
    );
  return {
    isVerb: !isName && texts.some(isVerb),
    isCommon: isName && texts.some((text) => text.search(common) !== -1),
  };
}

interface Material {
  readonly term: Term;
  readonly texts: ReadonlyMap<string, string>;
  readonly configuration: readonly ConfigurationFile[];
}

interface Work {
  readonly files: readonly FileEdits[];
  readonly left: readonly LeftPlaces[];
}

function workOn(task: Renaming, { term, texts, configuration }: Material): Work {
  const files: FileEdits[] = [];
  const left: LeftPlaces[] = [];
  for (const [path, text] of texts) {
    const found = term.pageEdits(text);
    const isForeign = task.from === task.from.toLowerCase() && !isEnglish(path);
    const reason = isForeign ? "a page in another language" : reasonToLeave(path, text, task.scope);
    if (found.edits.length > 0 && reason === undefined)
      files.push({ path, text, edits: found.edits });
    if (reason === undefined) left.push(...found.left.map((place) => ({ path, ...place })));
    else if (found.edits.length > 0) left.push({ path, reason });
  }
  for (const { path, root } of configuration) {
    const found = labelsIn(path, configuration, term);
    const edits = found.flatMap((label) => label.edits);
    if (edits.length > 0) files.push({ path, text: root.source.text, edits });
    left.push(...found.flatMap((label) => label.left).map((place) => ({ path, ...place })));
  }
  return { files, left };
}

function changedPage({ path, text, edits }: FileEdits) {
  return { path, before: text, after: applyEdits(text, edits) };
}

function head({ from, to, scope, inCode }: Renaming, made: readonly FileEdits[]): string {
  const where = scope === undefined ? "" : ` in ${code(scope.name)}`;
  const places = made.reduce((sum, { edits }) => sum + edits.length, 0);
  if (places === 0)
    return `Nothing was renamed: ${code(from)} does not stand in any text${where} that is to change.`;
  const kept = inCode ? "Addresses and ids were" : "Code, addresses and ids were";
  return `Renamed ${code(from)} to ${code(to)}${where}: ${count(places, "place")} in ${count(made.length, "file")}. ${kept} left as they are.`;
}

/** Plurals are renamed where that was asked for; that some are left is told. */
function tellPlurals(task: Renaming, texts: ReadonlyMap<string, string>): string {
  if (task.withPlural) return "";
  const [from, to] = [pluralOf(task.from), pluralOf(task.to)];
  const plural = createTerm({ ...task, from, to }, { isVerb: false, isCommon: false });
  const places = [...texts].flatMap(([path, text]) =>
    reasonToLeave(path, text, task.scope) === undefined ? plural.pageEdits(text).edits : [],
  );
  if (places.length === 0) return "";
  return `${code(from)} stands there ${count(places.length, "time")} too and was left: “including plurals” would rename it.`;
}

/** What readers see of the configuration, by key. */
const labelKeys: ReadonlySet<string> = new Set([
  "group",
  "tab",
  "anchor",
  "dropdown",
  "product",
  "item",
  "label",
  "title",
  "description",
  "text",
  "content",
  "header",
]);

/** The labels in one file of the configuration; those of other languages and versions than the first stay. */
function labelsIn(path: string, configuration: readonly ConfigurationFile[], term: Term) {
  const isMainEdition = createEditions();
  return [...configurationPlaces(configuration)].flatMap(({ key = "", node, within, file }) => {
    const isMain = isMainEdition(within);
    const isLabel = labelKeys.has(key) || (key === "name" && within.length === 1);
    if (file.path !== path || !isLabel || !isJsonString(node) || !isMain) return [];
    const found = term.labelEdits(file.root.source.text, node.start + 1, node.end - 1);
    const edits = found.edits.map((edit) => ({
      ...edit,
      text: JSON.stringify(edit.text).slice(1, -1),
    }));
    return [{ edits, left: found.left }];
  });
}
