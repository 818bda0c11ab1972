import {
  getLanguageWords,
  fillPlaceholders,
  type LoadedWords,
  type ApiWords,
} from "../../markup/index.ts";
import type { PageTask } from "../pool/protocol.ts";
import type { PageMaterial, AbsentSubject } from "../../load/index.ts";
import type { SitePage } from "../../site/index.ts";
import type { FileStat } from "../../core/index.ts";
import type { SiteFiles } from "../source/site-files.ts";

/**
 * Reads the data that a child needs to render a page from its current file. `refused` is the reason why the file cannot
 * be read.
 */
export async function readPageTask(
  page: SitePage,
  material: PageMaterial | undefined,
  { files, words }: { readonly files: Pick<SiteFiles, "readPage">; readonly words: LoadedWords },
): Promise<ReadTask | { readonly refused: string }> {
  const generatedText = material?.source;
  const source =
    generatedText === undefined ? await files.readPage(page.file) : { text: generatedText };
  if ("refused" in source) return source;
  const absent = material?.absentSubject;
  const notice = absent
    ? formatAbsentNotice(absent, getLanguageWords(words, page.language).api)
    : "";
  const task = {
    page,
    source: source.text + notice,
    ...(material?.subject ? { subject: material.subject } : {}),
  };
  return material === undefined && "stat" in source ? { task, stat: source.stat } : { task };
}

interface ReadTask {
  readonly task: PageTask;
  /** The file's stat, if the page is built from its text alone. */
  readonly stat?: FileStat;
}

/** Returns MDX to append to a page that should show part of an API but cannot. */
function formatAbsentNotice({ kind, name }: AbsentSubject, words: ApiWords): string {
  const template = kind === "description" ? words.absentDescription : words.absentPart;
  return `\n\n<Warning>\n\n${fillPlaceholders(template, { name: formatInlineCode(name) })}\n\n</Warning>\n`;
}

const maxNameCharacters = 500;

/**
 * Formats a name, which may contain any text, as inline code: code is not parsed as Markdown, and only a backtick ends
 * it.
 */
function formatInlineCode(name: string): string {
  const shortName = name.slice(0, maxNameCharacters).replaceAll("`", "%60").replaceAll(/\s+/g, " ");
  return `\`${shortName}\``;
}
