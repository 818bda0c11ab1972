/**
 * Reads stored bundles: the files in an archive (`archive.ts`), bundles that are unpacked on this machine
 * (`unpacked-bundles.ts`) or copied to it and read by position (`bundle-copies.ts`), the report of an export, and the
 * headers with which untrusted files are served. Repacks uploaded archives (`repack-upload.ts`).
 */
export type { StoredArchive } from "./archive.ts";
export { createBundleCopies } from "./bundle-copies.ts";
export type { BundleCopies, BundleCopiesOptions } from "./bundle-copies.ts";
export { getGzipSize, openBundle, readEntry } from "./open-bundle.ts";
export type { BundleEntry, OpenBundle } from "./open-bundle.ts";
export { matchRedirect } from "./match-redirect.ts";
export type { RedirectMatch } from "./match-redirect.ts";
export { repackUpload } from "./repack-upload.ts";
export type { UploadedArchive, UploadedSite, UploadOperations } from "./repack-upload.ts";
export { createReportReader, parseReport } from "./report.ts";
export type { ExportReport, ReadReport, ReportedProblem, ReportOperations } from "./report.ts";
export { createSandboxHeaders } from "./sandbox-headers.ts";
export type { BundleOrigins } from "./sandbox-headers.ts";
export { createUnpackedBundles, unpackBundle } from "./unpacked-bundles.ts";
export type { BundleFile, UnpackedBundles } from "./unpacked-bundles.ts";
