/** What a backup or a restoration has done. */
export type BackupProgress =
  | { readonly step: "rows"; readonly rows: number; readonly tables: number }
  | { readonly step: "files"; readonly files: number; readonly bytes: number }
  /** A bundle is gone from the storage, and left out. */
  | { readonly step: "missing"; readonly key: string }
  /** Something that is needed was removed meanwhile: all of it begins again. */
  | { readonly step: "again"; readonly reason: string };

export type ReportProgress = (progress: BackupProgress) => void;

/** The bytes of some files together. */
export function sumBytes(files: readonly { readonly bytes: number }[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The rows of some tables together. */
export function sumRows(tables: readonly { readonly rows: number }[]): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}
