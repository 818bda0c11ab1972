import type { TaskOf } from "../instruction/task.ts";
import { clausePattern, everyArticle, takeScope } from "../instruction/words.ts";
import { filesInScope } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { editFiles, findFiles, listPages, readFiles } from "../site-tools.ts";
import type { SearchQuery } from "../site-tools.ts";
import { pageSpans } from "../text/page-spans.ts";
import { applyEdits } from "@octavo/site/text";
import type { TextEdit } from "@octavo/site/text";
import { followHeadings } from "./heading-links.ts";
import { languageOf } from "./link-evidence.ts";
import { misspellings } from "./misspellings.ts";
import type { Recipe } from "./recipe.ts";
import { code, count, tellFailures, tellList, tellParts, tellUnseen } from "./telling.ts";

const errors =
  "(?:spelling(?: (?:mistakes?|errors?|issues?|problems?))?|typos?|typographical errors?|misspellings?|miss?pelled words?|misspelt words?|wrongly spelled words?)";
const asked = clausePattern(
  "(?:(?:fix|correct|repair|mend|check|clean(?: up)?|resolve)(?: up)? ",
  everyArticle,
  "(?:common |obvious |frequent |simple |usual )*",
  errors,
  `(?:(?:,| and|,? and the| or) (?:common )?${errors})?|(?:(?:run|do|make) (?:a )?)?spell[- ]?check)`,
);
const everything =
  /^spell[- ]?check (?:everything|(?:the |our |all (?:the )?)?(?:docs|documentation|site|pages?|text|content))$/i;

export const fixSpelling: Recipe<TaskOf<"fix_spelling">> = {
  kind: "fix_spelling",
  ability: "fix common misspellings",
  parse(whole) {
    const { clause, scope } = takeScope(whole);
    if (!asked.test(clause.text) && !everything.test(clause.text)) return undefined;
    return [{ kind: "fix_spelling", ...(scope ? { scope } : {}) }];
  },
  run,
};

function* run(task: TaskOf<"fix_spelling">): Plan<string> {
  const listing = yield* listPages();
  const inScope = filesInScope(listing, task.scope).filter(isEnglish);
  const texts = yield* readFiles(yield* findFiles(queries, inScope));
  const edits = [...texts]
    .map(([path, text]) => ({ path, text, edits: spellingEdits(text) }))
    .filter(({ edits: own }) => own.length > 0);
  const failures = yield* editFiles(edits);
  const made = edits.filter(({ path }) => !failures.has(path));
  const { links } = yield* followHeadings(
    listing.files,
    made.map(({ path, text, edits: own }) => ({
      path,
      before: text,
      after: applyEdits(text, own),
    })),
  );
  const words = made.reduce((sum, { edits: own }) => sum + own.length, 0);
  const where = task.scope === undefined ? "" : ` in ${code(task.scope.name)}`;
  return tellParts(
    words === 0
      ? `None of the ${misspellings.size} misspellings that I know stands in the prose${where}.`
      : `Corrected ${count(words, "misspelled word")} in ${count(made.length, "file")}${where}.`,
    tellList(
      "Changed:",
      made.map(({ path, text, edits: own }) => `${code(path)}: ${tellWords(text, own)}`),
    ),
    links > 0
      ? `${count(links, "link")} to headings that are spelled otherwise now follow them.`
      : "",
    tellFailures(failures),
    tellUnseen(listing),
  );
}

function tellWords(text: string, edits: readonly TextEdit[]): string {
  const words = edits.map(({ start, end, text: right }) => `${text.slice(start, end)} → ${right}`);
  return [...new Set(words)].slice(0, 10).join(", ");
}

/** The list is of English words: pages in other languages' folders may rightly have some of them. */
function isEnglish(file: string): boolean {
  const language = languageOf(file) ?? languageOf(file.replace(/^[^/]+\//, ""));
  return (
    language === undefined || language.startsWith("en") || !languages.has(language.slice(0, 2))
  );
}

const languages: ReadonlySet<string> = new Set(
  "ar bg bn ca cs cy da de el eo es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko lt lv mk ml mn mr ms my nb ne nl nn no pa pl pt ro ru si sk sl sq sr sv sw ta te th tl tr uk ur uz vi zh cn jp kr".split(
    " ",
  ),
);

/** A pattern of `search` may have 1,000 characters. */
const queryLength = 950;

const queries: readonly SearchQuery[] = groupWords([...misspellings.keys()].toSorted()).map(
  (words) => ({ query: wordsPattern(words), isRegex: true, ignoreCase: true }),
);

function groupWords(words: readonly string[]): string[][] {
  const groups: string[][] = [[]];
  for (const each of words) {
    const group = groups.at(-1) ?? [];
    if (wordsPattern([...group, each]).length > queryLength) groups.push([each]);
    else group.push(each);
  }
  return groups;
}

function wordsPattern(words: readonly string[]): string {
  return String.raw`\b${endingsPattern(words)}\b`;
}

/** `ab`, `ac` as `a(b|c)`: a search then follows one letter at a time, and not every word at every place. */
function endingsPattern(words: readonly string[]): string {
  const byLetter = Map.groupBy(words, (each) => each.charAt(0));
  const parts = [...byLetter].map(([letter, group]) =>
    letter === "" ? "" : letter + endingsPattern(group.map((each) => each.slice(1))),
  );
  return parts.length === 1 ? (parts[0] ?? "") : `(${parts.join("|")})`;
}

const word = /[\p{L}\p{N}_]+/gu;

/** Misspelled words in what readers read, in small letters or with a capital at the beginning. */
function spellingEdits(page: string): TextEdit[] {
  return pageSpans(page).flatMap(({ kind, start, end }) => {
    if (kind === "code") return [];
    return [...page.slice(start, end).matchAll(word)].flatMap(({ 0: found, index }): TextEdit[] => {
      const right = misspellings.get(found.toLowerCase());
      const at = start + index;
      if (right === undefined || !isPlainWord(page, at, found)) return [];
      const isCapital = found[0] !== found[0]?.toLowerCase();
      const text = isCapital ? right.charAt(0).toUpperCase() + right.slice(1) : right;
      return [{ start: at, end: at + found.length, text }];
    });
  });
}

/** No name in capitals, no part of an identifier or file name, and not itself what is talked about. */
function isPlainWord(page: string, at: number, found: string): boolean {
  const rest = found.slice(1);
  if (rest !== rest.toLowerCase()) return false;
  const [before, after] = [
    page.slice(Math.max(0, at - 2), at),
    page.slice(at + found.length, at + found.length + 2),
  ];
  if (/[-/\\@#$=]$|[\p{L}\p{N}][.:]$/u.test(before)) return false;
  if (/^[-/\\@(=]|^[.:][\p{L}\p{N}]/u.test(after)) return false;
  const isQuoted = /["“‘'«]$/.test(before) && /^["”’'»]/.test(after);
  return !isQuoted;
}
