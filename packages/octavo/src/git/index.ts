/**
 * The only room that runs git. Fetching a site goes: check that its address may be reached (`remote`),
 * bring its mirror up to date (`mirror`), find the commit (`ref`), write the
 * site's directory (`checkout`).
 */
export { createGit } from "./git.ts";
export { openLauncher } from "./launcher.ts";
export type { Checkout, CheckoutSource, Git, GitOptions } from "./git.ts";
export { createFolderHistory } from "./folder-history.ts";
export type { FolderHistory, FolderHistoryOptions, FolderOrigin } from "./folder-history.ts";
export type { LastChanges } from "./last-changes.ts";
export { openContentHistory } from "./content-history.ts";
export type { ContentHistory, HistoryPlace } from "./content-history.ts";
export type { PastCommit } from "./history-reader.ts";
export type { ChangedPlace, FileChange, FileChanges } from "./file-changes.ts";
export type { LostFile } from "./lost-files.ts";
export type { BlamedLines, LineRange } from "./blame.ts";
export type { CheckoutPoint } from "./source.ts";
export { openSourcePlace } from "./source-reader.ts";
export type { SourcePosition, SourceReader } from "./source-reader.ts";
export type { SourceFile } from "./source-files.ts";
export type { SourceCommit } from "./source-changes.ts";
export type {
  Publication,
  Published,
  RefUpdate,
  Allowance,
  RepositoryState,
  RepositoryStore,
  StoredPack,
} from "./repository-store.ts";
export type { GitLimits, GitLog } from "./tools.ts";
export type {
  Commit,
  Credentials,
  HostedRepository,
  LocalRepository,
  Mirror,
  RemoteRepository,
  Repository,
} from "./repository.ts";
export { createGitWork } from "./work.ts";
export type { GitWork } from "./work.ts";
export { createGitHosting } from "./hosting.ts";
export type { GitHosting } from "./hosting.ts";
export type { CheckoutState } from "./changes.ts";
export type { NewCommit, Person } from "./commit.ts";
export type {
  ChangeKind,
  CommitRange,
  CommitSummary,
  GitFileChange,
  MeasuredChange,
} from "./compare.ts";
export { parseDiff } from "./parse-diff.ts";
export type { DiffFile, DiffHunk, DiffLine } from "./parse-diff.ts";
export type { Merge, MergePreview } from "./merge.ts";
export type { FolderAtCommit, FolderEntries } from "./list-folder.ts";
export type { FileAtCommit } from "./read-file.ts";
export type { Push } from "./push.ts";
export type { PushCommand } from "./push-commands.ts";
export type { GitService, ReceiveRules, ServeResult, ServeRequest } from "./serve.ts";
