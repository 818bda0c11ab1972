/** A citation as a model wrote it, not looked up yet. */
export interface WrittenCitation {
  /** As a reader of the text sees it, for messages. */
  readonly text: string;
  /** What stands before the `@`. */
  readonly source: string;
  /** Undefined where what follows the `@` is no place. */
  readonly place?: CitedPlace;
  /** Undefined where no words follow in quotation marks. */
  readonly words?: string;
}

export interface CitedPlace {
  /** As far as it is written, in lower case. */
  readonly commit: string;
  readonly path: string;
  readonly line: number;
  readonly endLine: number;
}

/** A name and what follows its `@`, up to a space or a quotation mark; signs may be escaped as Markdown does. */
const candidate =
  /(?<![\w./-]|[\w./-]\\)((?:[\w./-]|\\[_.-])+)(?:\\?@|&#64;|&#x40;|&commat;)([^\s`"“”]+)/gi;
const placeForm = /^([0-9a-f]{7,64}):(.+):(\d{1,8})(?:-(\d{1,8}))?$/i;
/** Signs of the sentence or of Markdown behind a place. */
const trailing = /[.,;:!?)\]*_>\\]+$/;
/** The words behind a place: in quotation marks, or as code where they hold such marks themselves. */
const wordsForm = /^[`)\]*_\\]*\s*[:,—–-]?\s*\(?(?:"([^"\n]+)"|“([^”\n]+)”|(`+)([^\n]+?)\3)/;
const maxWindow = 2_000;

/**
 * What a text cites of sources. `isSource` tells their names, with which a citation may be malformed; any other name
 * makes one only with a commit, a path and a line: `engine@2.0` is a version.
 */
export function findCitations(
  text: string,
  isSource: (name: string) => boolean,
): readonly WrittenCitation[] {
  const found: WrittenCitation[] = [];
  for (const match of text.matchAll(candidate)) {
    const [whole, rawName = "", rawAfter = ""] = match;
    const raw = rawAfter.replace(trailing, "");
    const [name, written] = [withoutEscapes(rawName), withoutEscapes(raw)];
    const place = readPlace(written);
    const hasPath = /^[^:]+:[^:]/.test(written);
    if (!place && !(hasPath && isSource(name))) continue;
    const end = match.index + whole.length - rawAfter.length + raw.length;
    const words = readWords(text.slice(end, end + maxWindow));
    found.push({
      text: `${name}@${written}`,
      source: name,
      ...(place && { place }),
      ...(words !== undefined && { words }),
    });
  }
  return found;
}

/** What Markdown shows without the backslashes. */
function withoutEscapes(text: string): string {
  return text.replaceAll(/\\([!-/:-@[-`{-~])/g, "$1");
}

function readPlace(written: string): CitedPlace | undefined {
  const [, commit, path, first, last] = placeForm.exec(written) ?? [];
  if (commit === undefined || path === undefined || first === undefined) return undefined;
  const line = Number(first);
  return { commit: commit.toLowerCase(), path, line, endLine: Number(last ?? first) };
}

function readWords(text: string): string | undefined {
  const [, straight, curly, , code] = wordsForm.exec(text) ?? [];
  return (straight ?? curly ?? code)?.trim();
}
