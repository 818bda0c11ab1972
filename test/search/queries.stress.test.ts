import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { exportedSite } from "../support/exported-site.ts";
import { realSites, whyNoRealSites } from "../support/real-sites.ts";
import { openBundleSearch } from "../support/search-in-bundle.ts";
import { questionSets, type SiteQueries } from "./reader-questions.ts";

const manualQueries: SiteQueries = {
  site: "manual",
  index: "all",
  queries: [
    ["quickstart", "quickstart"],
    ["preview", "export/preview"],
    ["report", "reference/report"],
    ["webhook", "operate/webhooks"],
    ["github pages", "export/hosts/github-pages"],
    ["ngnix", "export/hosts/nginx"],
    ["--as-folder", "export/command-line"],
    ["OCTAVO_ALLOW", "operate/settings"],
    ["docs.json", "reference/sites"],
    ["continuous integration", "export/continuous-integration"],
    ["compnents", "reference/components"],
  ],
};

const siteQueries: readonly SiteQueries[] = [
  {
    site: "mintlify",
    index: "en",
    queries: [
      ["install", "cli/install"],
      ["quickstart", "quickstart"],
      ["themes", "customize/themes"],
      ["color", "components/color"],
      ["custom domain", "customize/custom-domain"],
      ["how to add a custom domain", "customize/custom-domain"],
      ["redirect", "create/redirects"],
      ["llms.txt", "ai/llmstxt"],
      ["skill.md", "ai/skillmd"],
      ["docs.json", "organize/settings-reference"],
      ["sso", "dashboard/sso"],
      ["openapi", "api-playground/openapi-setup"],
      ["api playground", "api-playground/overview"],
      ["code group", "components/code-groups"],
      ["tooltip", "components/tooltips"],
      ["404 page", "customize/custom-404-page"],
      ["google analytics", "integrations/analytics/google-analytics"],
      ["ga4", "integrations/analytics/google-analytics"],
      ["self host", "deploy/self-host"],
      ["reverse proxy", "deploy/reverse-proxy"],
      ["create agent job", "api/agent/v2/create-agent-job"],
      ["GET /v1/analytics/{projectId}/views", "api/analytics/views"],
      ["trigger deployment", "api/update/trigger"],
      ["hidden pages", "organize/hidden-pages"],
      [".mintignore", "organize/mintignore"],
      ["$ref", "organize/settings-reference"],
      ["--codex", "cli/commands"],
      ["react", "customize/react-components"],
      ["authentcation", "deploy/authentication-setup"],
      ["accordian", "components/accordions"],
      ["claude code", "guides/claude-code"],
      ["keyboard shortcuts", "editor/keyboard-shortcuts"],
      ["contextual menu", "ai/contextual-menu"],
      ["multi-language", "guides/internationalization"],
    ],
  },
  {
    site: "mintlify",
    index: "zh",
    queries: [
      ["安装", "zh/cli/install"],
      ["重定向", "zh/create/redirects"],
      ["主题", "zh/customize/themes"],
    ],
  },
  {
    site: "mintlify",
    index: "es",
    queries: [
      ["instalar", "es/cli/install"],
      ["inicio rapido", "es/quickstart"],
      ["dominio personalizado", "es/customize/custom-domain"],
    ],
  },
  {
    site: "mintlify",
    index: "fr",
    queries: [
      ["demarrage rapide", "fr/quickstart"],
      ["onglets", "fr/components/tabs"],
      ["thèmes", "fr/customize/themes"],
    ],
  },
  {
    site: "fastmcp",
    index: "v3.4.4",
    queries: [
      ["install", "v3/getting-started/installation"],
      ["tools", "v3/servers/tools"],
      ["resources", "v3/servers/resources"],
      ["middleware", "v3/servers/middleware"],
      ["oauth proxy", "v3/servers/auth/oauth-proxy"],
      ["entra id", "v3/integrations/azure"],
      ["fastapi", "v3/integrations/fastapi"],
      ["sampling", "v3/servers/sampling"],
      ["tool search", "v3/servers/transforms/tool-search"],
      ["FASTMCP_LOG_LEVEL", "v3/more/settings"],
      ["ctx.elicit", "v3/servers/elicitation"],
      ["lifespan", "v3/servers/lifespan"],
      ["telemetry", "v3/servers/telemetry"],
      ["--no-banner", "v3/cli/running"],
      ["authetication", "v3/servers/auth/authentication"],
      ["upgrade from fastmcp 2", "v3/getting-started/upgrading/from-fastmcp-2"],
      ["cognito", "v3/integrations/aws-cognito"],
    ],
  },
  {
    site: "fastmcp",
    index: "v4.0.0-beta-1",
    queries: [["what's new", "getting-started/whats-new"]],
  },
  {
    site: "mcp",
    index: "version-2026-07-28-latest all",
    queries: [
      ["tools", "specification/2026-07-28/server/tools"],
      ["sampling", "specification/2026-07-28/client/sampling"],
      ["inspector", "docs/2026-07-28/tools/inspector"],
      ["streamable http", "specification/2026-07-28/basic/transports/streamable-http"],
      ["stdio", "specification/2026-07-28/basic/transports/stdio"],
      ["_meta", "specification/2026-07-28/basic/index"],
      ["tools/list", "specification/2026-07-28/server/tools"],
      ["governance", "community/governance"],
      ["SEP-1686", "seps/1686-tasks"],
      ["build server", "docs/2026-07-28/develop/build-server"],
      ["security best practices", "docs/2026-07-28/tutorials/security/security_best_practices"],
      ["mcp registry", "registry/about"],
      ["pagination", "specification/2026-07-28/server/utilities/pagination"],
      ["oauth client credentials", "extensions/auth/oauth-client-credentials"],
      ["iss parameter", "seps/2468-recommend-issuer-claim-for-auth"],
      ["elicitaton", "specification/2026-07-28/client/elicitation"],
      ["mcp apps", "extensions/apps/overview"],
      ["schema", "specification/2026-07-28/schema"],
      ["@modelcontextprotocol/inspector", "docs/2026-07-28/tools/inspector"],
    ],
  },
];

/** Minimum number of the 80 queries with their page first, and among the first three. */
const minFirst = 79;
const minAmongThree = 80;

interface Place {
  readonly query: string;
  /** The right pages. */
  readonly pages: readonly string[];
  /** The pages found, the best first. */
  readonly found: readonly string[];
}

async function findPlaces({ site, index, queries }: SiteQueries): Promise<Place[]> {
  const dir = realSites().find(({ name }) => name === site)?.dir ?? "";
  const { folder } = await exportedSite(dir);
  const search = await openBundleSearch((path) => {
    const file = join(folder, path);
    return existsSync(file) ? readFileSync(file) : undefined;
  }, index);
  const locations: Place[] = [];
  for (const [query, ...right] of queries) {
    const results = await search.query(query);
    const pages = results.map(({ href }) => href.replace(/\.html(?:#.*)?$/, ""));
    locations.push({ query, pages: right, found: [...new Set(pages)] });
  }
  return locations;
}

/** Returns the position of the first right page, 0 for the first of all, or Infinity. */
function findRank({ pages, found }: Place): number {
  const rank = found.findIndex((page) => pages.includes(page));
  return rank === -1 ? Infinity : rank;
}

function formatMiss(location: Place): string {
  const { query, pages, found } = location;
  return `${query}: ${pages.join(" or ")} is at ${findRank(location) + 1}; found ${found.slice(0, 3).join(", ")}`;
}

test("each query on the manual finds its page first", async () => {
  const misses = (await findPlaces(manualQueries)).filter((location) => findRank(location) > 0);
  assert.deepEqual(misses.map(formatMiss), []);
});

suite("real sites", { skip: whyNoRealSites() }, () => {
  test("80 queries find their pages first, or among the first three", async (t) => {
    const locations: Place[] = [];
    for (const queries of siteQueries) locations.push(...(await findPlaces(queries)));
    assert.equal(locations.length, 80);
    const misses = locations.filter((location) => findRank(location) > 0);
    const far = locations.filter((location) => findRank(location) > 2);
    const report = misses.map(formatMiss).join("\n");
    t.diagnostic(report);
    assert.ok(locations.length - misses.length >= minFirst, report);
    assert.ok(locations.length - far.length >= minAmongThree, report);
  });

  for (const { name, minFirst: minimum, sites } of questionSets) {
    const count = sites.reduce((sum, { queries }) => sum + queries.length, 0);
    test(`${minimum} of ${count} questions of the set "${name}" find their pages first`, async (t) => {
      const locations: Place[] = [];
      for (const queries of sites) locations.push(...(await findPlaces(queries)));
      const misses = locations.filter((location) => findRank(location) > 0);
      const report = misses.map(formatMiss).join("\n");
      t.diagnostic(report);
      assert.ok(locations.length - misses.length >= minimum, report);
    });
  }
});
