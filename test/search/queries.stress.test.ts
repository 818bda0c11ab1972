import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { exportedSite } from "../support/exported-site.ts";
import { realSites, whyNoRealSites } from "../support/real-sites.ts";
import { openBundleSearch } from "../support/search-in-bundle.ts";

/**
 * Queries as readers of real sites type them, each with the page that must come first. The pages were chosen by reading
 * the sites: the page whose subject the query names, or that explains the word.
 */
interface SiteQueries {
  readonly site: string;
  /** The indexes that a page of the site searches. */
  readonly index: string;
  readonly queries: readonly (readonly [query: string, page: string])[];
}

interface QuestionSet {
  /** Minimum number of questions with their page first. */
  readonly minFirst: number;
  readonly sites: readonly SiteQueries[];
}

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

/**
 * Questions of readers. Those of the first set were written before the ranking was changed for questions, and it was
 * tuned on them and on the second; nothing was tuned on the third.
 */
const questionSets: readonly QuestionSet[] = [
  {
    minFirst: 21,
    sites: [
      {
        site: "manual",
        index: "all",
        queries: [
          ["How do I put my documentation on my own domain?", "publish/domains"],
          ["How can I preview my site while I write?", "export/preview"],
          ["How do I move my site from Docusaurus to Octavo?", "moving/docusaurus"],
          ["How do I make a backup of the service and restore it?", "team/backup"],
          ["What roles can a member of my team have?", "operate/people"],
          ["How do I protect a published site with a password?", "publish/readers"],
          ["How do I verify that a webhook really came from Octavo?", "operate/webhooks"],
          ["Which permissions does the GitLab token need?", "operate/gitlab"],
          ["How do I run Octavo on Kubernetes?", "operate/containers"],
          ["Can I add my own CSS to the site?", "reference/styling"],
          ["How do I find broken links before I publish?", "export/check"],
          ["How much memory and disk does the server need?", "team/sizing"],
        ],
      },
      {
        site: "fastmcp",
        index: "v4.0.0-beta-1",
        queries: [
          ["How do I test my server?", "servers/testing"],
          ["How can a tool ask the user for input?", "servers/elicitation"],
          ["How do I combine several servers into one?", "servers/composition"],
          ["How do I report progress of a long tool?", "servers/progress"],
          ["How do I log in with GitHub?", "integrations/github"],
          ["How do I turn an OpenAPI specification into a server?", "integrations/openapi"],
          ["How do I rename the arguments of a tool?", "servers/transforms/tool-transformation"],
          ["How do I add my server to Claude Desktop?", "integrations/claude-desktop"],
          ["How can I hide a tool from some clients?", "servers/visibility"],
        ],
      },
      {
        site: "mintlify",
        index: "en",
        queries: [
          ["How do I add Google Analytics to my docs?", "integrations/analytics/google-analytics"],
          ["How do I change the font of my site?", "customize/fonts"],
          ["How do I redirect an old URL to a new page?", "create/redirects"],
          ["How can I export the whole documentation as a PDF?", "optimize/pdf-exports"],
          ["How do I check for broken links in CI?", "deploy/ci"],
          ["How do I invite team members and make somebody an admin?", "dashboard/roles"],
          ["How do I hide a page from the sidebar?", "organize/hidden-pages"],
          ["How do I show code in several languages with tabs?", "components/code-groups"],
          ["How do I host my docs at /docs with Vercel?", "deploy/vercel"],
        ],
      },
    ],
  },
  {
    minFirst: 10,
    sites: [
      {
        site: "manual",
        index: "all",
        queries: [
          ["How do I sign in with my company's identity provider?", "operate/people"],
          ["Where are the bundles stored when I use S3?", "operate/storage"],
          ["How do I limit what one organization may export?", "operate/quotas"],
          ["Can I publish old versions beside the current one?", "publish/versions"],
          ["How do I export my site in GitHub Actions?", "export/continuous-integration"],
        ],
      },
      {
        site: "fastmcp",
        index: "v4.0.0-beta-1",
        queries: [
          ["How do I log every request to my server?", "servers/middleware"],
          ["How do I attach an icon to a tool?", "servers/icons"],
          ["How do I upgrade from FastMCP 2?", "getting-started/upgrading/from-fastmcp-2"],
          ["How do I accept tokens from two identity providers?", "servers/auth/multi-auth"],
          ["How do I run code when the server starts and stops?", "servers/lifespan"],
        ],
      },
      {
        site: "mintlify",
        index: "en",
        queries: [
          ["How do I let my team sign in to the dashboard with Okta?", "dashboard/sso"],
          ["How do I translate my docs into French?", "guides/internationalization"],
          ["How do I draw a sequence diagram?", "components/mermaid-diagrams"],
          ["How do I see what my readers searched for?", "analytics/search"],
          ["How do I migrate from GitBook?", "migration/gitbook"],
        ],
      },
    ],
  },
  {
    minFirst: 9,
    sites: [
      {
        site: "manual",
        index: "all",
        queries: [
          ["How do I stop the service without losing jobs?", "operate/operations"],
          ["How do I write my own components?", "reference/markdown"],
          ["How do I create an API key?", "operate/keys"],
          ["Can the agent read the repository of my product?", "agent/sources"],
          ["How do I get an alert when the queue grows?", "team/monitoring"],
        ],
      },
      {
        site: "fastmcp",
        index: "v4.0.0-beta-1",
        queries: [
          ["How do I store session data in Redis?", "servers/storage-backends"],
          ["How do I call a tool from Python?", "clients/tools"],
          ["How do I run a tool in the background?", "servers/tasks"],
          ["How do I deploy my server over HTTP?", "deployment/http"],
          ["How do I protect my server with Auth0?", "integrations/auth0"],
        ],
      },
      {
        site: "mintlify",
        index: "en",
        queries: [
          ["How do I keep files out of the published site?", "organize/mintignore"],
          ["How do I show an announcement at the top of every page?", "components/banner"],
          ["How do I preview my docs on my machine?", "cli/preview"],
          ["How do I connect my GitLab repository?", "deploy/gitlab"],
          ["How do I put the assistant into my own app?", "assistant/widget"],
        ],
      },
    ],
  },
];

/** Minimum number of the 80 queries with their page first, and among the first three. */
const minFirst = 75;
const minAmongThree = 79;

interface Place {
  readonly query: string;
  readonly page: string;
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
  const places: Place[] = [];
  for (const [query, page] of queries) {
    const results = await search.query(query);
    const pages = results.map(({ href }) => href.replace(/\.html(?:#.*)?$/, ""));
    places.push({ query, page, found: [...new Set(pages)] });
  }
  return places;
}

function formatMiss({ query, page, found }: Place): string {
  return `${query}: ${page} is at ${found.indexOf(page) + 1}, after ${found.slice(0, 3).join(", ")}`;
}

test("each query on the manual finds its page first", async () => {
  const misses = (await findPlaces(manualQueries)).filter(({ page, found }) => found[0] !== page);
  assert.deepEqual(misses.map(formatMiss), []);
});

suite("real sites", { skip: whyNoRealSites() }, () => {
  test("80 queries find their pages first, or among the first three", async (t) => {
    const places: Place[] = [];
    for (const queries of siteQueries) places.push(...(await findPlaces(queries)));
    assert.equal(places.length, 80);
    const misses = places.filter(({ page, found }) => found[0] !== page);
    const far = places.filter(({ page, found }) => !found.slice(0, 3).includes(page));
    const report = misses.map(formatMiss).join("\n");
    t.diagnostic(report);
    assert.ok(places.length - misses.length >= minFirst, report);
    assert.ok(places.length - far.length >= minAmongThree, report);
  });

  for (const { minFirst: minimum, sites } of questionSets) {
    const count = sites.reduce((sum, { queries }) => sum + queries.length, 0);
    test(`${minimum} of ${count} questions find their pages first`, async (t) => {
      const places: Place[] = [];
      for (const queries of sites) places.push(...(await findPlaces(queries)));
      const misses = places.filter(({ page, found }) => found[0] !== page);
      const report = misses.map(formatMiss).join("\n");
      t.diagnostic(report);
      assert.ok(places.length - misses.length >= minimum, report);
    });
  }
});
