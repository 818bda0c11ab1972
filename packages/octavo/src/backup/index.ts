/** Copies of all of a service's data, and services restored from them. */
export { openBackup, restoreBackup } from "./restore-backup.ts";
export type { RestoreOptions } from "./restore-backup.ts";
export { writeBackup } from "./write-backup.ts";
export type { BackupOptions } from "./write-backup.ts";
export type { BackupManifest, BackupProgress } from "./manifest.ts";
