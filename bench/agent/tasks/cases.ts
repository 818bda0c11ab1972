import type { TaskCase } from "./task-case.ts";

const tools = "servers/tools.mdx";
const middleware = "servers/middleware.mdx";
const injection = "servers/dependency-injection.mdx";
const upgrade = "getting-started/upgrading/from-fastmcp-3.mdx";
const httpDeployment = "deployment/http.mdx";
const oauthProxy = "servers/auth/oauth-proxy.mdx";
const tasksProposal = "seps/2663-tasks-extension.mdx";
const tasksOverview = "extensions/tasks/overview.mdx";
const buildApp = "extensions/apps/build.mdx";
const clientConcepts = "docs/learn/client-concepts.mdx";
const standardHeaders = "seps/2243-http-standardization.mdx";
const pages = "organize/pages.mdx";
const openapi = "api-playground/openapi-setup.mdx";
const postHog = "integrations/analytics/posthog.mdx";
const automations = "automations/manage.mdx";
const auditLogs = "dashboard/audit-logs.mdx";

const fastmcp: readonly TaskCase[] = [
  {
    name: "fastmcp-client-id-option",
    site: "fastmcp",
    change: "Fix: async rate limiting middleware get_client_id callbacks",
    prompt:
      "The rate limiting options table on the middleware page lists client_id_func, but the parameter is called get_client_id. Please correct it.",
    stands: [{ file: middleware, text: /\| `get_client_id` +\| `Callable` +\| `None` +\|/ }],
    gone: [{ file: middleware, text: "client_id_func" }],
  },
  {
    name: "fastmcp-cookie-header",
    site: "fastmcp",
    change: "Exclude Cookie from forwarded HTTP headers",
    prompt:
      'get_http_headers() no longer returns the credential headers authorization and cookie by default, next to host and content-length. Say so on the dependency injection page, why (callers forward what they get, and a session cookie should not reach another backend), and show how to ask for one by name with include={"cookie"}. CurrentHeaders() still has both.',
    stands: [
      { file: injection, text: /get_http_headers\(include=\{["']cookie["']\}\)/ },
      { file: injection, text: /`?authorization`?[^.\n]{0,60}`?cookie`?/i },
      { file: injection, text: "get_http_headers(include_all=True)" },
    ],
    never: [{ file: injection, text: /CurrentHeaders\(\)`? (?:does not|no longer|excludes)/i }],
  },
  {
    name: "fastmcp-tool-title",
    site: "fastmcp",
    change: "Always emit a tool title, derived from name when unset",
    prompt:
      'Tools without a title now get one derived from their name, after annotations.title: find_products becomes "Find Products". Add that to the title parameter on the tools page.',
    stands: [{ file: tools, text: /`annotations\.title`[^]{0,300}name[^]{0,200}Find Products/ }],
  },
  {
    name: "fastmcp-httpx-deprecated",
    site: "fastmcp",
    change: "Preserve legacy httpx compatibility without importing it",
    prompt:
      "In the guide for upgrading from FastMCP 3: passing an httpx.AsyncClient to from_openapi still works, but emits a FastMCPDeprecationWarning and will be rejected in a future release. The text sounds as if it were only a type hint; please fix.",
    stands: [
      {
        file: upgrade,
        text: /httpx\.AsyncClient`[^]{0,300}FastMCPDeprecationWarning[^]{0,200}future (?:release|version)/,
      },
      { file: upgrade, text: "httpx2.AsyncClient" },
    ],
    gone: [{ file: upgrade, text: "does not gate on the type" }],
  },
  {
    name: "fastmcp-issuer-url",
    site: "fastmcp",
    change: "Use issuer_url for OAuth issuer identity",
    prompt:
      "Explain what issuer_url does, on the HTTP deployment page and on the OAuth proxy page: it sets the issuer in the authorization server metadata and the iss of issued tokens, while the endpoints in that metadata stay at base_url.",
    stands: [
      { file: httpDeployment, text: /`issuer_url`[^]{0,400}`iss`[^]{0,400}`base_url`/ },
      { file: oauthProxy, text: /`issuer_url`[^]{0,300}`iss`[^]{0,400}`base_url`/ },
    ],
    never: [{ file: httpDeployment, text: /endpoints[^.\n]{0,40}(?:at|to) `issuer_url`/ }],
  },
];

const mcp: readonly TaskCase[] = [
  {
    name: "mcp-pypi-spelling",
    site: "mcp",
    change: "Fix PyPI capitalization in registry FAQ",
    prompt: "It's PyPI, not PyPi. Fix the spelling in the registry FAQ.",
    stands: [{ file: "registry/faq.mdx", text: "(e.g. NPM, PyPI, DockerHub, etc.)" }],
    gone: [{ file: "registry/faq.mdx", text: "PyPi" }],
  },
  {
    name: "mcp-error-code",
    site: "mcp",
    change: "correct-error-codes",
    prompt:
      "The tasks extension proposal (SEP-2663) gives -32003 for a missing required client capability. The code is -32021 now. Change it in the text and in all examples of that page.",
    stands: [
      { file: tasksProposal, text: "with the code `-32021` (Missing Required Client Capability)" },
      { file: tasksProposal, text: "`-32021` (Missing Required Client Capability)\n" },
      { file: tasksProposal, text: /"code": -32021[^]*"code": -32021/ },
    ],
    gone: [{ file: tasksProposal, text: "-32003" }],
  },
  {
    name: "mcp-goose-address",
    site: "mcp",
    change: "docs: update Goose documentation links",
    prompt:
      "The Goose documentation moved from block.github.io/goose to goose-docs.ai. Update the link to its skills guide on the page about building an MCP App; the path after the host is docs/guides/context-engineering/using-skills/.",
    stands: [
      {
        file: buildApp,
        text: "[Goose](https://goose-docs.ai/docs/guides/context-engineering/using-skills/)",
      },
      { file: buildApp, text: "`~/.config/goose/skills/`" },
    ],
    gone: [{ file: buildApp, text: "block.github.io/goose" }],
  },
  {
    name: "mcp-requested-schema",
    site: "mcp",
    change: "fix-elicitation-requestedschema",
    prompt:
      "On the client concepts page, the elicitation example has a field schema. In the protocol it is requestedSchema; please correct the example.",
    stands: [{ file: clientConcepts, text: /requestedSchema: \{/ }],
    gone: [{ file: clientConcepts, text: /^\s+schema: \{/m }],
  },
  {
    name: "mcp-base64-prefix",
    site: "mcp",
    change: "sep-2243-base64-case-sensitivity",
    prompt:
      "SEP-2243: the base64 prefix is case-sensitive. In the table of edge cases, =?BASE64?SGVsbG8=?= must be treated as a literal value, not as Base64, and the row should be called Non-lowercase prefix.",
    stands: [
      {
        file: standardHeaders,
        text: /\| Non-lowercase prefix +\| `=\?BASE64\?SGVsbG8=\?=` +\| [^|\n]*literal/,
      },
    ],
    gone: [
      { file: standardHeaders, text: "Malformed wrapper" },
      { file: standardHeaders, text: "case-insensitive prefix" },
    ],
  },
  {
    name: "mcp-tasks-repository",
    site: "mcp",
    change: "docs: remove experimental term from Task docs and repo name",
    prompt:
      "The repository experimental-ext-tasks was renamed to ext-tasks. Update the tasks overview, link texts and addresses.",
    stands: [
      {
        file: tasksOverview,
        text: /\[ext-tasks repository\]\(https:\/\/github\.com\/modelcontextprotocol\/ext-tasks\)[^]*\[ext-tasks repository\]\(https:\/\/github\.com\/modelcontextprotocol\/ext-tasks\)/,
      },
    ],
    gone: [{ file: tasksOverview, text: "experimental-ext-tasks" }],
  },
];

const mintlify: readonly TaskCase[] = [
  {
    name: "mintlify-last-updated",
    site: "mintlify",
    change: "Document lastUpdatedDate frontmatter for the last modified timestamp",
    prompt:
      "Document the lastUpdatedDate frontmatter field where the English pages guide explains the last modified timestamp. It comes first, before the date of the last Git commit, and the deployment time comes last. Include an example in YAML.",
    stands: [
      { file: pages, text: /^lastUpdatedDate: ["']?\d{4}-\d{2}-\d{2}/m },
      { file: pages, text: /`lastUpdatedDate`[^]{0,400}Git commit[^]{0,400}deployment/ },
    ],
  },
  {
    name: "mintlify-download-spec",
    site: "mintlify",
    change: "docs: warn that download-spec on authed sites bypasses auth groups",
    prompt:
      "The download-spec option is no longer hidden on sites behind auth or userAuth: readers who are signed in can download the spec there, and it is not filtered by authentication groups. Correct the OpenAPI setup page (English), with a warning not to enable it if the spec has sensitive endpoints.",
    stands: [
      {
        file: openapi,
        text: /<Warning>[^<]*(?:filter|respect|ignore|sensitive)[^<]*<\/Warning>/,
      },
      { file: openapi, text: "`api-specs.zip`" },
    ],
    gone: [{ file: openapi, text: "Mintlify hides the option" }],
  },
  {
    name: "mintlify-posthog-key",
    site: "mintlify",
    change: "Clarify PostHog key safety",
    prompt:
      "People ask whether the PostHog project API key is a secret. It isn't: it is a client-side token that browsers send with every event, and it is safe to commit. Say so at the apiKey field (English page only).",
    stands: [
      { file: postHog, text: /`phc_`[^]{0,400}(?:safe to commit|not a secret|isn't a secret)/ },
      { file: postHog, text: /client-side|public/ },
    ],
    never: [{ file: postHog, text: /(?:not|never) (?:be )?(?:safe|commit)/i }],
  },
  {
    name: "mintlify-navigation-comma",
    site: "mintlify",
    change: "fix: correct create/changelogs nav path in docs.json",
    prompt:
      "docs.json lists create,changelogs in the navigation, so the page is missing from the sidebar. It should be create/changelogs.",
    stands: [{ file: "docs.json", text: '"create/changelogs"' }],
    gone: [{ file: "docs.json", text: "create,changelogs" }],
  },
  {
    name: "mintlify-command-renamed",
    site: "mintlify",
    change: "docs: fix outdated mint workflow link on automations/manage",
    prompt:
      "mint workflow is called mint automations now. Update the tip at the top of automations/manage; the section on the CLI commands page has the anchor mint-automations.",
    stands: [{ file: automations, text: "[`mint automations`](/cli/commands#mint-automations)" }],
    gone: [{ file: automations, text: "mint workflow" }],
  },
  {
    name: "mintlify-keyword",
    site: "mintlify",
    change: "docs: add SIEM keyword to audit logs",
    prompt: "Add SIEM to the keywords of the English audit logs page.",
    stands: [{ file: auditLogs, text: /^keywords: \[.*"compliance".*["']SIEM["'].*\]$/m }],
  },
];

/** Changes from the histories of real sites. */
export const taskCases: readonly TaskCase[] = [...fastmcp, ...mcp, ...mintlify];
