/**
 * The only room that runs git (`program/`). To fetch a site, it checks that the address may be reached
 * (`mirror/remote`), updates the mirror (`mirror/mirror`), finds the commit (`mirror/ref`) and writes the site's
 * directory. `work/` creates commits, merges and pushes; `history/` reads past changes.
 */
export { commitFolder, createGit, openTools } from "./git.ts";
export type {
  Checkout,
  CheckoutSource,
  Git,
  GitOptions,
  ReusedFolder,
  UpdatedCheckout,
} from "./git.ts";
export type {
  Commit,
  CopiedRepository,
  CopyOrigin,
  Credentials,
  LocalRepository,
  Mirror,
  RefMove,
  RemoteRepository,
  Repository,
} from "./repository.ts";

export { callGateway } from "./program/gateway.ts";
export type { GatewayResponse } from "./program/gateway.ts";
export { openLauncher } from "./program/launcher.ts";
export { acquireLock } from "./program/lock.ts";
export { placeFile } from "./program/place-file.ts";
export { openTemporaryFolder } from "./program/temporary-folder.ts";
export type { TemporaryFolder } from "./program/temporary-folder.ts";
export type { GitLimits, GitLog, GitTools } from "./program/tools.ts";

export { discardRepository, initializeBare, isComplete } from "./mirror/bare.ts";
export type {
  FileAtCommit,
  FolderAtCommit,
  FolderEntries,
  GitWork,
  Merge,
  MergePreview,
} from "./work/work.ts";
export { removeLeftovers } from "./mirror/leftovers.ts";
export { combinePacks, indexPack, packObjects } from "./mirror/packs.ts";
export { findCurrentBranch, hasUnreachable, isFullCommit, listRefs } from "./mirror/ref.ts";
export type { CheckoutPoint } from "./mirror/mirror.ts";

export { createGitWork } from "./work/work.ts";
export { diffFolders } from "./work/compare.ts";
export type {
  CheckoutState,
  ChangeKind,
  CommitRange,
  CommitSummary,
  GitFileChange,
  MeasuredChange,
} from "./work/compare.ts";
export type { NewCommit, Person } from "./work/commit.ts";
export { parseDiff } from "./work/parse-diff.ts";
export type { DiffFile, DiffHunk, DiffLine } from "./work/parse-diff.ts";
export { pushMerge } from "./work/push.ts";
export type { MergePush, Push } from "./work/push.ts";

export type {
  BlamedLines,
  LineRange,
  ContentHistory,
  HistoryContext,
  LostFile,
} from "./history/content-history.ts";
export { openContentHistory } from "./history/content-history.ts";
export type { ChangedLines, FileChange, FileChanges } from "./history/file-changes.ts";
export { createFolderHistory } from "./history/folder-history.ts";
export type {
  FolderHistory,
  FolderHistoryOptions,
  FolderOrigin,
} from "./history/folder-history.ts";
export type { PastCommit } from "./history/history-reader.ts";
export type { LastChanges } from "./history/last-changes.ts";
export type {
  SourceCommit,
  SourceFile,
  SourcePosition,
  SourceReader,
} from "./history/source-reader.ts";
export { reopenSourceReader } from "./history/source-reader.ts";
