/**
 * The rules of CONTRIBUTING about names, comments and spelling, as far as a program can check them. The lint rules
 * `octavo/verb-first`, `octavo/one-meaning`, `octavo/doc-comment` and `octavo/american-spelling` use this module.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readSourceFile, repository, testFile } from "../import-problem.ts";
import { verbs } from "./verbs.ts";

/**
 * Allowed function names that are not verbs: tagged templates, a hash known by this name, `main`, and functions that
 * Kysely calls.
 */
const knownNames = new Set(["html", "safeHtml", "sha256", "main", "up", "down"]);

/**
 * Reports whether the name of a function begins with a verb. Also returns true for components, whose names begin with a
 * capital letter and are not verbs.
 */
export function beginsWithVerb(name: string): boolean {
  if (knownNames.has(name) || /^[A-Z]/.test(name)) return true;
  // A name such as `titleOf` refers to a title, although `title` is also a verb.
  if (/^[a-z]+Of$/.test(name)) return false;
  return verbs.has(/^[a-z0-9]+/.exec(name)?.[0] ?? "");
}

/** Returns a message if a doc comment begins with a clause instead of a noun or a verb. */
export function findCommentProblem(comment: string): string | undefined {
  const word = /^\*[\s*]*(What|Which|Of|That)\b/.exec(comment)?.[1];
  if (word === undefined) return undefined;
  return `Begin a doc comment with a noun or a verb, not with "${word}".`;
}

/** British stems; a word that contains one is reported with the American stem. */
const spellings: readonly (readonly [british: RegExp, american: string])[] = [
  [/organis/i, "organiz"],
  [/colour/i, "color"],
  [/behaviour/i, "behavior"],
  [/neighbour/i, "neighbor"],
  [/favour/i, "favor"],
  [/honour/i, "honor"],
  [/\bcentre/i, "center"],
  [/catalogue/i, "catalog"],
  [/\bgrey/i, "gray"],
  [/licence/i, "license"],
  [/analys(?:e[ds]?\b|ing)/i, "analyz"],
  [/labell(?:ed|ing)(?!by)/i, "label"],
  [/modell(?:ed|ing)/i, "model"],
  [/travell/i, "travel"],
  [/artefact/i, "artifact"],
  [/judgement/i, "judgment"],
  [/\bfulfils?\b/i, "fulfill"],
  [/defence|offence/i, "-ense"],
  [
    /(?:recogn|normal|serial|initial|custom|optim|minim|maxim|summar|synchron|author|capital|categor|final|general|local|memor|standard|util|visual|token|material|character|priorit|sanit|parametr|emphas)is(?:e[ds]?|ing|ation)\b/i,
    "-iz",
  ],
];

/** Finds the words of a text in British spelling, with their American spelling. */
export function findBritishSpellings(
  text: string,
): readonly { readonly word: string; readonly stem: string; readonly index: number }[] {
  return [...text.matchAll(/[a-z]{4,}/gi)].flatMap(({ 0: word, index }) => {
    const found = spellings.find(([british]) => british.test(word));
    return found === undefined ? [] : [{ word, stem: found[1], index }];
  });
}

const declaration =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type) ([\w$]+)/gm;

let homes: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** Returns the other files of the same package that export `name`, relative to `packages/`. `file` is absolute. */
export function findOtherHomes(file: string, name: string): readonly string[] {
  const from = readSourceFile(file);
  if (from === undefined || knownNames.has(name) || file.endsWith("/index.ts")) return [];
  homes ??= readHomes();
  const own = homes.get(`${from.package} ${name}`) ?? new Set();
  return [...own].filter((path) => path !== from.path);
}

/** Returns the files that declare each exported name of a package, except tests. */
function readHomes(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const path of globSync("packages/*/src/**/*.ts", { cwd: repository })) {
    const source = readSourceFile(join(repository, path));
    // A door may declare a function that loads the function of the same name on first use.
    if (source === undefined || testFile.test(path) || path.endsWith("/index.ts")) continue;
    const text = readFileSync(join(repository, path), "utf8");
    for (const [, name = ""] of text.matchAll(declaration)) {
      const key = `${source.package} ${name}`;
      found.set(key, (found.get(key) ?? new Set()).add(source.path));
    }
  }
  return found;
}
