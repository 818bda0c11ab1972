/** Pages of the real sites that tests and benchmarks look at more closely than at the others. */
export interface RealPages {
  /** The folder below the one that OCTAVO_SITES names. */
  readonly site: string;
  readonly guide: string;
  /** A page of an API, or where a site has none the reference that is written by hand. */
  readonly api: string;
  readonly changelog: string;
}

export const realPages: readonly RealPages[] = [
  {
    site: "fastmcp",
    guide: "servers/tools",
    api: "python-sdk/fastmcp-server-server",
    changelog: "changelog",
  },
  {
    site: "mcp",
    guide: "docs/2025-11-25/learn/architecture",
    api: "specification/2025-11-25/schema",
    changelog: "specification/2025-11-25/changelog",
  },
  {
    site: "mintlify",
    guide: "quickstart",
    api: "api/agent/create-agent-job",
    changelog: "changelog",
  },
];
