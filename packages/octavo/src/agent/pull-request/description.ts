import type { CommitConvention } from "../../core/index.ts";
import { currentTurn } from "../transcript.ts";
import type { TranscriptEntry } from "../transcript.ts";
import type { PullRequestTemplate } from "./template.ts";

/** How the repository wants pull requests to be titled and described. */
export interface PullRequestForm {
  readonly convention: CommitConvention;
  readonly template?: PullRequestTemplate | undefined;
}

/** What the model has written of its change with the tool `describe`: text of a stranger. */
export interface ModelDescription {
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  /** The subject of the turn's commit, if it is not the title. */
  readonly commit?: string | undefined;
}

/** The last one of the current turn. */
export function lastDescription(entries: readonly TranscriptEntry[]): ModelDescription | undefined {
  const call = currentTurn(entries).findLast(
    (entry) => entry.type === "tool" && entry.tool === "describe" && entry.status === "done",
  );
  // The tool has taken it, so that it has this form.
  return call?.type === "tool" ? (call.input as ModelDescription) : undefined;
}
