import { readConfiguration } from "../configuration.ts";
import type { ConfigurationFile } from "../configuration.ts";
import type { Clause } from "../instruction/clauses.ts";
import type { TaskOf } from "../instruction/task.ts";
import {
  clausePattern,
  isPath,
  isQuoted,
  quoted,
  takeScope,
  valueOf,
} from "../instruction/words.ts";
import { filesInScope } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { editFiles, findFiles, listPages, readFiles } from "../site-tools.ts";
import type { FileEdits } from "../site-tools.ts";
import { applyEdits, everyPlace, isJsonString } from "@octavo/site/text";
import type { TextEdit } from "@octavo/site/text";
import { followHeadings } from "./heading-links.ts";
import type { Recipe } from "./recipe.ts";
import { code, count, tellFailures, tellList, tellParts, tellUnseen } from "./telling.ts";
import { createTerm, pluralOf } from "./term.ts";
import type { Term } from "./term.ts";

const noun =
  "(?:the |our |my )?(?:(?:term|word|phrase|name|product(?: name)?|brand(?: name)?|company(?: name)?|feature|string|text|expression) )";
const occurrences =
  "(?:(?:all |every |each |any |the )*(?:occurrences?|mentions?|instances?|uses?|appearances?) of )?";
const words = String.raw`("\d+"|[^\s",]+(?: [^\s",]+){0,4})`;
const link = "(?:to|with|by|into|as|→|->|=>)";
/** What may stand at the end: where else than in prose, and in which forms. */
const inCode = "(?:the |any )?(?:inline )?code(?: (?:blocks?|samples?|examples?|fences|snippets))?";
const option = new RegExp(
  `^(.*?)(?:,| and| but)? (?:(?:and|but|also|even) )*(?:in(?:cluding)? ${inCode}|(?:not|except|excluding|never)(?: in)? ${inCode}|in (?:the )?(?:prose|text|words) only|only in (?:the )?(?:prose|text|words)|(?:including |and |with )(?:the |its |their )?plurals?(?: forms?)?)$`,
  "i",
);

const renaming = clausePattern(
  `(?:rename|replace|swap|substitute|change|update|turn) ${occurrences}(${noun})?${occurrences}`,
  words,
  ` ${link} ${noun}?`,
  words,
);
const instead = clausePattern(
  `(?:use|say|write) (${noun})?`,
  words,
  ` (?:instead of|rather than|in place of) ${noun}?`,
  words,
);
const nowCalled = clausePattern(
  `(${noun})?`,
  words,
  " (?:is|was|are|has been|have been|should be|must be) (?:now |from now on )?(?:called|named|renamed(?: to)?|replaced (?:with|by)) ",
  words,
);
const morePairs = new RegExp(`^(?:,| and|, and) ${quoted} ${link} ${quoted}`, "i");
const firstPair = new RegExp(
  `^(?:rename|replace|change) (?:${noun})?${quoted} ${link} ${quoted}`,
  "i",
);

export const renameTerm: Recipe<TaskOf<"rename_term">> = {
  kind: "rename_term",
  ability:
    "rename a term in prose, titles and navigation (“rename 'Acme Cloud' to 'Acme Platform'”)",
  parse(whole) {
    let found: readonly Renaming[] | undefined;
    for (const { clause, isEverywhere, ...options } of withoutOptions(whole)) {
      const pairs = parseRenaming(clause, isEverywhere)?.map((pair) => ({ ...pair, ...options }));
      found = pairs ?? found;
      // Words behind the new term belong to it unless it is quoted.
      if (pairs !== undefined && /"\d+"$/.test(clause.text)) break;
    }
    return found?.every(isSensible) === true ? found : undefined;
  },
  run,
};

type Renaming = TaskOf<"rename_term">;
type Pair = Pick<Renaming, "kind" | "from" | "to">;
type Options = Pick<Renaming, "scope" | "inCode" | "withPlural">;

interface OptionalClause extends Options {
  readonly clause: Clause;
  /** The whole site was named: what is renamed all over it is no page. */
  readonly isEverywhere: boolean;
}

/** The clause, and again each time that `in the guides`, `also in code` or the like is off its end. */
function* withoutOptions(clause: Clause): Generator<OptionalClause> {
  let rest: OptionalClause | undefined = {
    clause,
    inCode: false,
    withPlural: false,
    isEverywhere: false,
  };
  while (rest !== undefined) {
    yield rest;
    rest = withoutLastOption(rest);
  }
}

function withoutLastOption(asked: OptionalClause): OptionalClause | undefined {
  const { clause, scope } = asked;
  const before = option.exec(clause.text)?.[1];
  if (before !== undefined) {
    const said = clause.text.slice(before.length);
    const rest = { ...asked, clause: { ...clause, text: before } };
    // That code stays as it is need not be said.
    if (/\b(?:not|except|excluding|never|only)\b/i.test(said)) return rest;
    return { ...rest, [/plural/i.test(said) ? "withPlural" : "inCode"]: true };
  }
  const scoped = takeScope(clause);
  const isTaken = scope === undefined && scoped.clause.text !== clause.text;
  if (!isTaken) return undefined;
  return { ...asked, ...scoped, isEverywhere: scoped.scope === undefined };
}

function parseRenaming(clause: Clause, isEverywhere: boolean): readonly Pair[] | undefined {
  const pairs = parsePairs(clause);
  if (pairs !== undefined) return pairs;
  const forwards = renaming.exec(clause.text) ?? nowCalled.exec(clause.text);
  const found = forwards ?? instead.exec(clause.text);
  if (found === null) return undefined;
  const [, noun, first, second] = found;
  const [from, to] = forwards === null ? [second, first] : [first, second];
  const isNamed = noun !== undefined || isQuoted(from);
  if (!isNamed && !isTerm(from, to, isEverywhere)) return undefined;
  // `change 'x' to 'y'` is clear; `change the tone to friendly` is not about a word.
  const isVague = /^(?:change|update|turn|use|say|write)\b/i.test(clause.text) || forwards === null;
  if (isVague && noun === undefined && !(isQuoted(from) && isQuoted(to))) return undefined;
  return [pairOf(valueOf(from, clause), valueOf(to, clause))];
}

/** `rename 'A' to 'B' and 'C' to 'D'` */
function parsePairs(clause: Clause): Pair[] | undefined {
  const first = firstPair.exec(clause.text);
  if (first === null) return undefined;
  const pairs = [pairOf(valueOf(first[1], clause), valueOf(first[2], clause))];
  let rest = clause.text.slice(first[0].length);
  for (let next = morePairs.exec(rest); next !== null; next = morePairs.exec(rest)) {
    pairs.push(pairOf(valueOf(next[1], clause), valueOf(next[2], clause)));
    rest = rest.slice(next[0].length);
  }
  return rest === "" ? pairs : undefined;
}

function pairOf(from: string, to: string): Pair {
  return { kind: "rename_term", from, to };
}

/** Words without quotation marks are taken for a term where they look like a name, or are meant all over the site. */
function isTerm(from = "", to = "", isEverywhere = false): boolean {
  if (isPath(from) || startsVague(from) || startsVague(to)) return false;
  return isEverywhere || (/^[^\s]*[A-Z\d]/.test(from) && !/ instead$/i.test(to));
}

function startsVague(words = ""): boolean {
  const vague =
    /^(?:a|an|the|all|any|every|each|something|some|our|my|this|that|it|we|another|new|page|everything|nothing)\b/i;
  return vague.test(words);
}

function isSensible({ from, to }: Renaming): boolean {
  return (
    from !== "" &&
    to !== "" &&
    from !== to &&
    from.length <= 200 &&
    to.length <= 200 &&
    !/\n/.test(from + to)
  );
}

function* run(task: Renaming): Plan<string> {
  const listing = yield* listPages();
  const inScope = filesInScope(listing, task.scope);
  const term = createTerm(task);
  const query = { query: term.query, isRegex: true, ignoreCase: true };
  const texts = yield* readFiles(yield* findFiles([query], inScope));
  const configuration = task.scope === undefined ? yield* readConfiguration() : [];
  const edits = [
    ...[...texts].map(([path, text]) => ({ path, text, edits: term.pageEdits(text) })),
    ...configuration.map((file) => ({
      path: file.path,
      text: file.root.source.text,
      edits: labelEdits(file, term),
    })),
  ].filter(({ edits: own }) => own.length > 0);
  const failures = yield* editFiles(edits);
  const made = edits.filter(({ path }) => !failures.has(path));
  const { links, unseen } = yield* followHeadings(
    listing.files,
    made.map(({ path, text, edits: own }) => ({
      path,
      before: text,
      after: applyEdits(text, own),
    })),
  );
  return tellParts(
    head(task, made),
    tellList(
      "Changed:",
      made.map(({ path, edits: own }) => `${code(path)}: ${count(own.length, "place")}`),
    ),
    links > 0 ? `${count(links, "link")} to headings that have a new name follow them.` : "",
    tellPlurals(task, made),
    unseen > 0 ? `Links to ${count(unseen, "renamed heading")} were not looked for: check the anchors.` : "", // prettier-ignore
    tellFailures(failures),
    tellUnseen(listing),
  );
}

function head({ from, to, scope, inCode }: Renaming, made: readonly FileEdits[]): string {
  const where = scope === undefined ? "" : ` in ${code(scope.name)}`;
  const places = made.reduce((sum, { edits }) => sum + edits.length, 0);
  if (places === 0) return `Nothing was renamed: ${code(from)} does not stand in any text${where}.`;
  const kept = inCode ? "Addresses and ids were" : "Code, addresses and ids were";
  return `Renamed ${code(from)} to ${code(to)}${where}: ${count(places, "place")} in ${count(made.length, "file")}. ${kept} left as they are.`;
}

/** Plurals are renamed where that was asked for; that some are left is told. */
function tellPlurals(task: Renaming, made: readonly FileEdits[]): string {
  if (task.withPlural) return "";
  const [from, to] = [pluralOf(task.from), pluralOf(task.to)];
  const plural = createTerm({ ...task, from, to });
  const places = made.flatMap(({ path, text }) =>
    /\.mdx?$/.test(path) ? plural.pageEdits(text) : [],
  );
  if (places.length === 0) return "";
  return `The plural ${code(from)} stands in ${count(places.length, "place")} of these files and was left; add “including plurals” to rename it too.`;
}

/** What readers see of a configuration's values. */
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

function labelEdits({ root }: ConfigurationFile, term: Term): TextEdit[] {
  return [...everyPlace(root)].flatMap(({ key = "", node, within }) => {
    const isLabel = labelKeys.has(key) || (key === "name" && within.length === 1);
    if (!isLabel || !isJsonString(node)) return [];
    return term
      .matches(root.source.text, node.start + 1, node.end - 1)
      .map((edit) => ({ ...edit, text: JSON.stringify(edit.text).slice(1, -1) }));
  });
}
