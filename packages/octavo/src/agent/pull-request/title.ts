import { hideTokens } from "../../core/index.ts";
import type { CommitConvention } from "../../core/index.ts";
import { inertWords } from "../inert-text.ts";
import { toConvention } from "./commit-convention.ts";

export const maxTitleLength = 72;

/** Words in a title that keep a repository's checks from running. */
const checkSwitch =
  /\[\s*(?:skip[ -]?ci|ci[ -]?skip|no[ -]?ci|skip[ -]?actions|actions[ -]?skip)\s*\]|\*{3}NO_CI\*{3}/gi;

/** The first line of a text as a title: one line that mentions nobody and switches nothing off. May be empty. */
export function inertTitle(text: string): string {
  const line = hideTokens(text).trim().split("\n", 1)[0] ?? "";
  return withoutSwitches(inertWords(line));
}

/** Also without those that taking out another one makes: `[skip [skip ci] ci]`. */
function withoutSwitches(title: string): string {
  const plain = inertWords(title.replaceAll(checkSwitch, " "));
  return plain === title ? title : withoutSwitches(plain);
}

/** A title that names a change by the instruction it was made for. */
export function titleOf(instruction: string, convention: CommitConvention): string {
  const words = inertTitle(instruction);
  const title = toConvention(words === "" ? "Edit the documentation" : words, convention);
  if (title.length <= maxTitleLength) return title;
  const cut = title.slice(0, maxTitleLength - 1);
  const end = cut.lastIndexOf(" ");
  return `${(end > maxTitleLength / 2 ? cut.slice(0, end) : cut).toWellFormed()}…`;
}
