import { OctavoError } from "@octavo/site/core";
import type { PastCommit } from "../../git/index.ts";
import { truncate } from "../inert-text.ts";

/** A commit as a model reads it: nobody's name or address, and a subject without characters that hide others. */
export interface ShownCommit {
  readonly commit: string;
  readonly date: string;
  readonly subject: string;
}

const shownDigits = 12;
const subjectLength = 200;
const mailAddress = /[^\s@<>()]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b/gi;

export function shownCommit({ commit, date, subject }: PastCommit): ShownCommit {
  const words = subject.replaceAll(/[\p{C}\p{Z}]+/gu, " ").replaceAll(mailAddress, "…");
  const shown = truncate(words.trim(), subjectLength);
  return { commit: commit.slice(0, shownDigits), date, subject: shown };
}

export function noHistory(): OctavoError {
  return new OctavoError("not_found", "The site lies in no Git repository: it has no history.");
}
