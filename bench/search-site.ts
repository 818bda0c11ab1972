import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createRandom } from "../test/support/random.ts";

/** A site of invented words, which come as unevenly as words do, for measuring the search. */
export interface SearchSite {
  /** Titles that no two pages share. */
  readonly titles: readonly string[];
}

const vocabularySize = 12_000;
const sectionsPerPage = 7;
const syllables = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo za bra cle dri".split(
  " ",
);

/** Writes `count` pages below `folder`; the same count gives the same text. */
export async function writeSearchSite(folder: string, count: number): Promise<SearchSite> {
  const random = createRandom(1);
  const vocabulary = makeVocabulary(random);
  // Zipf's law: the nth word is used an nth as often as the first.
  const word = () => vocabulary[Math.floor(vocabularySize ** random()) - 1] ?? "";
  const words = (length: number) => Array.from({ length }, word).join(" ");
  const titles: string[] = [];
  const paths: string[] = [];
  for (let page = 0; page < count; page += 1) {
    const title = `${capital(vocabulary[page % vocabularySize] ?? "")} ${words(2)} ${page}`;
    const path = `part-${page % 50}/page-${page}`;
    titles.push(title);
    paths.push(path);
    const sections = Array.from({ length: sectionsPerPage }, () => sectionText(words, word));
    const text = `---\ntitle: ${JSON.stringify(title)}\n---\n\n${words(60)}.\n\n${sections.join("\n\n")}\n`;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, `${path}.md`), text);
  }
  await writeFile(join(folder, "docs.json"), JSON.stringify(siteConfig(paths)));
  return { titles };
}

function sectionText(words: (length: number) => string, word: () => string): string {
  const name = `${word()}${capital(word())}`;
  return [
    `## ${capital(words(3))}`,
    `${capital(words(70))}, \`${name}\`.`,
    `\`\`\`js\nconst ${word()}_${word()} = ${name}(${word()});\n\`\`\``,
    `${capital(words(30))}.`,
  ].join("\n\n");
}

function siteConfig(paths: readonly string[]): unknown {
  const parts = Map.groupBy(paths, (path) => path.slice(0, path.indexOf("/")));
  const groups = Array.from(parts, ([group, pages]) => ({ group, pages }));
  return { name: "Words", theme: "mint", colors: { primary: "#0f766e" }, navigation: { groups } };
}

function makeVocabulary(random: () => number): string[] {
  const words = new Set<string>();
  const syllable = () => syllables[Math.floor(random() * syllables.length)] ?? "";
  while (words.size < vocabularySize) {
    words.add(Array.from({ length: 1 + Math.floor(random() * 4) }, syllable).join(""));
  }
  return [...words];
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
