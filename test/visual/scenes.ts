import { realPages } from "../support/real-pages.ts";

/** A screenshot to take: a page of a site in a window of a certain size. */
export interface Scene {
  readonly name: string;
  /** Path of the page. */
  readonly page: string;
  /** Typed into the search, which is opened for it. */
  readonly search?: string;
}

export interface SceneSite {
  /** Also the name of the folder of its baselines. */
  readonly name: string;
  /** From the repository's root, or for real sites from the folder that holds them. */
  readonly dir: string;
  /** In the place of the theme that the site's configuration names. */
  readonly theme?: string;
  readonly scenes: readonly Scene[];
}

/** The manual again, with a theme of each of the other layouts. */
const otherLayouts: readonly SceneSite[] = ["maple", "almond"].map((theme) => ({
  name: theme,
  dir: "docs",
  theme,
  scenes: [{ name: "guide", page: "quickstart" }],
}));

/** Sites of this repository: their baselines are the pictures themselves. */
export const ownSites: readonly SceneSite[] = [
  {
    name: "manual",
    dir: "docs",
    scenes: [
      { name: "guide", page: "quickstart" },
      { name: "search", page: "quickstart", search: "export" },
    ],
  },
  {
    name: "api",
    dir: "test/sites/api-page/docs",
    scenes: [{ name: "api", page: "api-reference/stations/order-a-reading" }],
  },
  {
    name: "changelog",
    dir: "test/sites/changelog/docs",
    scenes: [{ name: "changelog", page: "changelog" }],
  },
  {
    name: "right-to-left",
    dir: "test/sites/right-to-left/docs",
    scenes: [{ name: "guide", page: "ar/index" }],
  },
  ...otherLayouts,
];

/** Sites of others: of their content nothing is kept, only where on a page which color is. */
export const realSiteScenes: readonly SceneSite[] = realPages.map(
  ({ site, guide, api, changelog }) => ({
    name: site,
    dir: site,
    scenes: [
      { name: "guide", page: guide },
      { name: "api", page: api },
      { name: "changelog", page: changelog },
      { name: "search", page: guide, search: "server" },
    ],
  }),
);

export const schemes = ["light", "dark"] as const;

export const windows = [
  { name: "desktop", width: 1440, height: 900 },
  { name: "phone", width: 390, height: 844 },
] as const;
