import type { CommitConvention } from "../../core/index.ts";
import { getCurrentTurn } from "../transcript.ts";
import type { TranscriptEntry } from "../transcript.ts";
import type { PullRequestTemplate } from "./template.ts";

/** The repository's conventions for titles and descriptions of pull requests. */
export interface PullRequestForm {
  readonly convention: CommitConvention;
  readonly template?: PullRequestTemplate | undefined;
}

/** The model's text for the pull request, written with the tool `describe`. The text is untrusted. */
export interface ModelDescription {
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  /** The subject of the turn's commit, if it differs from the title. */
  readonly commit?: string | undefined;
}

/** Returns the last description of the current turn. */
export function findLastDescription(
  entries: readonly TranscriptEntry[],
): ModelDescription | undefined {
  const call = getCurrentTurn(entries).findLast(
    (entry) => entry.type === "tool" && entry.tool === "describe" && entry.status === "done",
  );
  // The tool accepted the input, so it has this form.
  return call?.type === "tool" ? (call.input as ModelDescription) : undefined;
}
