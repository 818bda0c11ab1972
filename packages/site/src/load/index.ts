/** Reads a site's folder: its configuration, navigation and pages, with what is wrong in them and where. */
export type { AbsentSubject, PageMaterial } from "./api/api-pages.ts";
export type { FetchRemote } from "./fetch-remote.ts";
export { loadSite, readSite, type LoadedSite } from "./load-site.ts";
export { readPages, type PageSource } from "./read-pages.ts";
export type { SiteSettings } from "./site-settings.ts";
