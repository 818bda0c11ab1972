/** Backs up all of a service's data and restores a service from a backup. */
export { openBackup, restoreBackup, writeBackup } from "./backup.ts";
export type { BackupManifest, BackupOptions, BackupProgress, RestoreOptions } from "./backup.ts";
