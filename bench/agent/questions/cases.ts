import type { QuestionCase } from "./question-case.ts";

/** A page's fact, and what a right answer says. */
type Row = readonly [
  question: string,
  page: string,
  fact: RegExp,
  answer: string,
  ...expected: readonly RegExp[],
];

const inspector = "docs/2026-07-28/tools/inspector";

const mcp: readonly Row[] = [
  [
    "How large may custom metadata be that I publish to the MCP registry?",
    "registry/faq",
    /4KB size limit \(4096 bytes of JSON\)/,
    "At most 4 KB, 4096 bytes of JSON.",
    /4 ?KB|4,?096/i,
  ],
  [
    "How must the title of an issue begin with which I report a spam server in the registry?",
    "registry/faq",
    /title beginning `Abuse report: `/,
    "With `Abuse report: `.",
    /Abuse report:/,
  ],
  [
    "Which property of package.json proves to the registry that an npm package is mine?",
    "registry/package-types",
    /verifies ownership of npm packages by checking `mcpName`/,
    "`mcpName`, which must match the server's name.",
    /\bmcpName\b/,
  ],
  [
    "Which form must a server's name have if I log in to the registry with GitHub?",
    "registry/authentication",
    /GitHub-based authentication, your server's name in `server\.json` \*\*MUST\*\* be of the form/,
    "`io.github.username/*` or `io.github.orgname/*`.",
    /io\.github\./,
  ],
  [
    "Does the registry accept ^1.2.3 as the version of a server?",
    "registry/versioning",
    /prohibits version strings that appear to refer to ranges of versions/,
    "No, version ranges are prohibited.",
    /prohibit|not allowed|\bno\b|reject/i,
  ],
  [
    "Which exit code does the Inspector's CLI give when a tool has no app?",
    `${inspector}/cli`,
    /one with no app exits `2`/,
    "It exits with 2.",
    /\b2\b/,
  ],
  [
    "Which protocol era does the Inspector use unless I choose one, and does it probe the server then?",
    `${inspector}/protocol-eras`,
    /Plain `initialize`, no probing at all/,
    "`legacy`, with a plain initialize and no probe.",
    /legacy/i,
  ],
  [
    "Where does the Inspector keep its catalog of servers by default?",
    `${inspector}/configuration`,
    /`~\/\.mcp-inspector\/mcp\.json`, or the `MCP_CATALOG_PATH`/,
    "In `~/.mcp-inspector/mcp.json`.",
    /\.mcp-inspector\/mcp\.json/,
  ],
  [
    "Which redirect URI do I register with an identity provider for the Inspector's command line?",
    `${inspector}/authorization`,
    /\*\*Register `http:\/\/127\.0\.0\.1:6276\/oauth\/callback`\*\*/,
    "http://127.0.0.1:6276/oauth/callback",
    /127\.0\.0\.1:6276\/oauth\/callback/,
  ],
  [
    "I run the Inspector's image with another published port, and the browser is refused. Which variable is missing?",
    `${inspector}/recipes`,
    /If you remap the published port, set `ALLOWED_ORIGINS`/,
    "`ALLOWED_ORIGINS`.",
    /ALLOWED_ORIGINS/,
  ],
  [
    "How often do the Core Maintainers meet?",
    "community/governance",
    /Core Maintainer group meets on a bi-weekly basis/,
    "Every two weeks (bi-weekly).",
    /bi-?weekly|two weeks|every other week/i,
  ],
  [
    "After how long does a SEP without a sponsor become dormant?",
    "community/sep-guidelines",
    /No sponsor found within 6 months; can be revived/,
    "After 6 months.",
    /(?:6|six) months/i,
  ],
  [
    "How many values may a completion response have at most in the current specification?",
    "specification/2026-07-28/server/utilities/completion",
    /Maximum 100 items per response/,
    "At most 100.",
    /\b100\b/,
  ],
  [
    "What does a client assume if a cacheable result has no ttlMs?",
    "specification/2026-07-28/server/utilities/caching",
    /If `ttlMs` is absent, clients \*\*SHOULD\*\* assume a default of `0`/,
    "A default of 0: it is stale at once.",
    /\b0\b|stale/i,
  ],
];

const fastmcp: readonly Row[] = [
  [
    "How large a burst does RateLimitingMiddleware allow by default?",
    "servers/middleware",
    /\| `burst_capacity` \| `int` \| `20` \|/,
    "`burst_capacity` is 20 by default.",
    /\b20\b/,
  ],
  [
    "Which rate limiting middleware has exact windows and no bursts?",
    "servers/middleware",
    /`SlidingWindowRateLimitingMiddleware` provides precise time-window/,
    "`SlidingWindowRateLimitingMiddleware`.",
    /SlidingWindowRateLimitingMiddleware/,
  ],
  [
    "Which parameter turns on pagination of a FastMCP server?",
    "servers/pagination",
    /To enable pagination, set the `list_page_size` parameter/,
    "`list_page_size`.",
    /list_page_size/,
  ],
  [
    "How many tools does a tool search return unless I say otherwise, and with which parameter do I change that?",
    "servers/transforms/tool-search",
    /By default, search returns at most 5 tools/,
    "At most 5; change `max_results`.",
    /\b(?:5|five)\b/i,
    /max_results/,
  ],
  [
    "Where does fastmcp-remote store OAuth tokens, and which variable changes that?",
    "clients/fastmcp-remote",
    /OAuth tokens are stored under `~\/\.fastmcp\/remote` by default/,
    "Under `~/.fastmcp/remote`; FASTMCP_REMOTE_CONFIG_DIR changes it.",
    /\.fastmcp\/remote/,
    /FASTMCP_REMOTE_CONFIG_DIR/,
  ],
  [
    "How long does fastmcp-remote wait for the OAuth callback?",
    "clients/fastmcp-remote",
    /how long to wait for the OAuth callback\. Defaults to 300 seconds/,
    "300 seconds by default.",
    /\b300\b|five minutes|5 minutes/i,
  ],
  [
    "With which environment variable and value do I keep trace context but no FastMCP spans?",
    "servers/telemetry",
    /export FASTMCP_TELEMETRY_MODE=propagation_only/,
    "FASTMCP_TELEMETRY_MODE=propagation_only",
    /FASTMCP_TELEMETRY_MODE/,
    /propagation_only/,
  ],
  [
    "Which wrapper encrypts the OAuth storage of a FastMCP server by default?",
    "servers/storage-backends",
    /storage is automatically encrypted using `FernetEncryptionWrapper`/,
    "`FernetEncryptionWrapper`.",
    /FernetEncryptionWrapper/,
  ],
  [
    "What must FileTreeStore be given, so that keys such as addresses are safe as file names?",
    "servers/storage-backends",
    /\*\*Sanitization strategies are required\*\* when using `FileTreeStore`/,
    "Sanitization strategies for keys and collections.",
    /sanitization/i,
  ],
  [
    "By which two things is a FastMCP session keyed, in order?",
    "servers/sessions",
    /Every session is keyed by two things, in this order: the authenticated user, then the session id/,
    "The authenticated user, then the session id.",
    /user/i,
    /session id/i,
  ],
  [
    "What does a FastMCP server call a tool find_products if it has no title?",
    "servers/tools",
    /`find_products` becomes "Find Products"/,
    'The title "Find Products" is derived from its name.',
    /Find Products/,
  ],
  [
    "A completion handler has more than 100 candidates. Which two fields do I set?",
    "servers/completions",
    /return a `Completion` and set `total`/,
    "`total` and `has_more`.",
    /\btotal\b/,
    /has_more/,
  ],
  [
    "Which library does FastMCP recommend for asserting complex data structures in tests?",
    "servers/testing",
    /recommend the \[inline-snapshot library\]/,
    "inline-snapshot.",
    /inline-snapshot/,
  ],
];

const mintlify: readonly Row[] = [
  [
    "How many people can I invite to a Mintlify organization at once?",
    "dashboard/roles",
    /You can invite up to 250 addresses at a time/,
    "Up to 250 addresses.",
    /\b250\b/,
  ],
  [
    "How many characters may a generated llms.txt have?",
    "ai/llmstxt",
    /cannot exceed 100,000 characters/,
    "At most 100,000.",
    /100[,.]?000|100k/i,
  ],
  [
    "At how many characters are descriptions in llms.txt cut?",
    "ai/llmstxt",
    /truncates it at 300 characters/,
    "At 300 characters.",
    /\b300\b/,
  ],
  [
    "How long can it take until skill.md is generated?",
    "ai/skillmd",
    /Generating or updating a `skill\.md` file can take up to 24 hours/,
    "Up to 24 hours.",
    /24 hours|a day/i,
  ],
  [
    "How many API keys can an organization create per hour?",
    "api/introduction",
    /up to 10 API keys per hour per organization/,
    "Up to 10.",
    /\b(?:10|ten)\b/i,
  ],
  [
    "After how many days does a new API key expire by default?",
    "api/introduction",
    /New keys default to 90 days/,
    "After 90 days.",
    /\b90\b/,
  ],
  [
    "Which status code does a redirect have with permanent set to false?",
    "create/redirects",
    /To use a temporary redirect \(307\), set `permanent` to `false`/,
    "307.",
    /\b307\b/,
  ],
  [
    "How long may a custom domain be?",
    "customize/custom-domain",
    /Is at most 128 characters/,
    "At most 128 characters.",
    /\b128\b/,
  ],
  [
    "Which file holds my credentials after mint login?",
    "cli/preview",
    /stores your credentials in `~\/\.config\/mintlify\/config\.json`/,
    "`~/.config/mintlify/config.json`.",
    /\.config\/mintlify\/config\.json/,
  ],
  [
    "Do pull requests from forks get a preview deployment?",
    "deploy/preview-deployments",
    /Pull requests opened from a fork do not generate preview deployments/,
    "No.",
    /\bno\b|\bnot\b|don't|doesn't/i,
  ],
  [
    "Which domains must a content security policy allow for the assistant's invisible captcha?",
    "assistant/configure",
    /you must include `hcaptcha\.com` and `\*\.hcaptcha\.com` in your allowlist/,
    "`hcaptcha.com` and `*.hcaptcha.com`.",
    /hcaptcha\.com/,
  ],
  [
    "How do I turn off zooming of a single image?",
    "create/image-embeds",
    /To disable the default zoom on click for images, add the `noZoom` property/,
    "With the `noZoom` property.",
    /noZoom/,
  ],
  [
    "Which frontmatter field sets the last modified date of a page by hand?",
    "organize/pages",
    /The `lastUpdatedDate` frontmatter field, if set on the page/,
    "`lastUpdatedDate`.",
    /lastUpdatedDate/,
  ],
  [
    "Is a PostHog project API key safe to commit to the repository of the documentation?",
    "integrations/analytics/posthog",
    /client-side token meant to be public/,
    "Yes, it is a client-side token that is meant to be public.",
    /\byes\b|public|client-side/i,
  ],
];

/** Questions whose right answer is that the site does not say. */
const undocumented: readonly (readonly [site: string, question: string])[] = [
  ["mcp", "How much does it cost per month to publish a server in the MCP registry with SLA?"],
  ["mcp", "Which keyboard shortcut exports the Inspector's history to a PDF?"],
  ["fastmcp", "How do I install the FastMCP plugin for RubyMine?"],
  ["fastmcp", "Which option of FastMCP limits the number of CPU cores that a tool may use?"],
  ["mintlify", "How do I import pages from a Lotus Notes database into Mintlify?"],
];

function toCases(site: string, rows: readonly Row[]): QuestionCase[] {
  return rows.map(([question, page, fact, answer, ...expected]) => ({
    site,
    question,
    page,
    fact,
    answer,
    expected,
  }));
}

/** Questions about real sites, with the answers that their pages give. */
export const questionCases: readonly QuestionCase[] = [
  ...toCases("mcp", mcp),
  ...toCases("fastmcp", fastmcp),
  ...toCases("mintlify", mintlify),
  ...undocumented.map(([site, question]) => ({
    site,
    question,
    page: undefined,
    fact: undefined,
    answer: "The documentation does not say.",
    expected: [],
  })),
];
