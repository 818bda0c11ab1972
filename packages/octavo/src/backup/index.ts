/** Backs up all of a service's data and restores a service from a backup. */
export { openBackup, restoreBackup } from "./restore-backup.ts";
export type { RestoreOptions } from "./restore-backup.ts";
export { writeBackup } from "./write-backup.ts";
export type { BackupOptions } from "./write-backup.ts";
export type { BackupManifest, BackupProgress } from "./manifest.ts";
