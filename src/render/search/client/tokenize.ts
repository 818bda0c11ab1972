/** Shared by the index, at export, and by the reader's browser: both must cut words in the same way. */

const word = /[\p{L}\p{N}\p{M}]+/gu;
const marks = /\p{M}+/gu;
const latinMarks = /(?<=\p{Script=Latin})\p{M}+/gu;
const beyondAscii = /[\u0080-\uffff]/;
const beyondLatin = /[\u0250-\uffff]/;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\u30fc]+/gu;
/** Longer words are cut: nobody types them in full, and hashes and keys would fill the index. */
const longestTerm = 32;

/**
 * The words of a text in lower case without accents. Scripts that put no space between words (Chinese,
 * Japanese, Thai) are cut into overlapping pairs of characters: unlike the segmentation of
 * dictionaries it is the same in every browser.
 */
export function tokenize(text: string): string[] {
  const terms: string[] = [];
  const lower = text.toLowerCase();
  let start = 0;
  let isAscii = true;
  // Most of most texts is plain letters and digits: expressions are asked about the rest only.
  for (let index = 0; index <= lower.length; index += 1) {
    const code = lower.charCodeAt(index);
    if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) continue;
    if (code > 127) {
      isAscii = false;
      continue;
    }
    if (isAscii) addWord(terms, lower.slice(start, index));
    else addWords(terms, lower.slice(start, index));
    start = index + 1;
    isAscii = true;
  }
  return terms;
}

function addWords(terms: string[], text: string): void {
  for (const [run] of fold(text).matchAll(word)) {
    let end = 0;
    if (beyondLatin.test(run)) {
      for (const match of run.matchAll(unspaced)) {
        addWord(terms, run.slice(end, match.index));
        addPairs(terms, match[0]);
        end = match.index + match[0].length;
      }
    }
    addWord(terms, run.slice(end));
  }
}

/** Lower case, width and accents folded. Keeps no promise about the length of the text. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (!beyondAscii.test(lower)) return lower;
  // Hangul syllables and kana with voice marks come apart under NFKD and are put together again.
  return lower.normalize("NFKD").replace(latinMarks, "").normalize("NFC");
}

function addWord(terms: string[], run: string): void {
  if (run !== "") terms.push(run.slice(0, longestTerm));
}

function addPairs(terms: string[], run: string): void {
  const characters = Array.from(run.replace(marks, ""));
  if (characters.length === 1) terms.push(characters[0] ?? "");
  for (let index = 0; index + 1 < characters.length; index += 1) {
    terms.push(`${characters[index]}${characters[index + 1]}`);
  }
}
