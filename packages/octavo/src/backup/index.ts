/** Copies of everything that a service knows, and services made of them. */
export { openBackup, restoreBackup } from "./restore-backup.ts";
export type { RestoreOptions } from "./restore-backup.ts";
export { writeBackup } from "./write-backup.ts";
export type { BackupOptions } from "./write-backup.ts";
export type { BackupManifest, BackupProgress } from "./manifest.ts";
