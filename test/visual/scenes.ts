/** What is photographed: pages of sites, as readers with various windows see them. */
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
  readonly scenes: readonly Scene[];
}

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
    dir: "test/sites/openapi-tab/docs",
    scenes: [{ name: "api", page: "api-reference/ink/mix-ink" }],
  },
  {
    name: "changelog",
    dir: "test/sites/changelog/docs",
    scenes: [{ name: "changelog", page: "changelog" }],
  },
];

/** Sites of others: of their content nothing is kept, only where on a page which colour is. */
export const realSites: readonly SceneSite[] = [
  {
    name: "fastmcp",
    dir: "fastmcp",
    scenes: [
      { name: "guide", page: "servers/tools" },
      { name: "api", page: "python-sdk/fastmcp-server-server" },
      { name: "changelog", page: "changelog" },
      { name: "search", page: "servers/tools", search: "server" },
    ],
  },
  {
    name: "mcp",
    dir: "mcp",
    scenes: [
      { name: "guide", page: "docs/2025-11-25/learn/architecture" },
      { name: "api", page: "specification/2025-11-25/schema" },
      { name: "changelog", page: "specification/2025-11-25/changelog" },
      { name: "search", page: "docs/2025-11-25/learn/architecture", search: "server" },
    ],
  },
  {
    name: "mintlify",
    dir: "mintlify",
    scenes: [
      { name: "guide", page: "quickstart" },
      { name: "api", page: "api/agent/create-agent-job" },
      { name: "changelog", page: "changelog" },
      { name: "search", page: "quickstart", search: "server" },
    ],
  },
];

export const schemes = ["light", "dark"] as const;

export const windows = [
  { name: "desktop", width: 1440, height: 900 },
  { name: "phone", width: 390, height: 844 },
] as const;
