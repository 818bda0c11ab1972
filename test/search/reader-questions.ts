/**
 * Queries as readers of real sites type them, each with the page that must come first. The pages were chosen by reading
 * the sites: the page whose subject the query names, or that explains the word.
 */
export interface SiteQueries {
  readonly site: string;
  /** The indexes that a page of the site searches. */
  readonly index: string;
  readonly queries: readonly (readonly [query: string, page: string])[];
}

export interface QuestionSet {
  readonly name: string;
  /** Minimum number of questions with their page first. */
  readonly minFirst: number;
  readonly sites: readonly SiteQueries[];
}

/**
 * Questions of readers, each with the page that a careful editor would name. The ranking was tuned on all of them but
 * those of the set "held back", which were only measured.
 */
export const questionSets: readonly QuestionSet[] = [
  {
    name: "first",
    minFirst: 29,
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
    name: "second",
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
    name: "third",
    minFirst: 11,
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
  {
    name: "in the words of readers",
    minFirst: 22,
    sites: [
      {
        site: "manual",
        index: "all",
        queries: [
          ["recover the data after the disk of the server died", "team/backup"],
          ["run on kubernetes", "operate/containers"],
          ["How do I create an access token for CI?", "operate/keys"],
          ["How much RAM does the server need?", "team/sizing"],
          ["see my edits in the browser while I write", "export/preview"],
          ["Where can I see who deleted a project?", "operate/people"],
          ["How can we keep the docs of older releases online?", "publish/versions"],
          ["write equations on a page", "reference/markdown"],
          ["prometheus alert rules", "team/monitoring"],
          ["generate reference pages from a swagger file", "reference/apis"],
        ],
      },
      {
        site: "fastmcp",
        index: "v4.0.0-beta-1",
        queries: [
          ["send traces to jaeger", "servers/telemetry"],
          ["turn my existing FastAPI app into an MCP server", "integrations/fastapi"],
          ["pip install fastmcp", "getting-started/installation"],
          ["How do I join several servers into one?", "servers/composition"],
          ["run behind nginx in production", "deployment/http"],
          ["switch off a tool while the server is running", "servers/visibility"],
          [
            "How do I open a database connection at startup and close it at shutdown?",
            "servers/lifespan",
          ],
          ["rename the arguments of a tool", "servers/transforms/tool-transformation"],
          ["How do I write unit tests for my server?", "servers/testing"],
          ["How do I run a job that takes several minutes?", "servers/tasks"],
        ],
      },
      {
        site: "mintlify",
        index: "en",
        queries: [
          ["What happens when we run out of AI credits?", "credits"],
          ["create dashboard users automatically from okta", "dashboard/scim"],
          [
            "How can the pull requests of the bot merge by themselves?",
            "guides/configure-automerge",
          ],
          ["save all docs as one pdf", "optimize/pdf-exports"],
          ["How do I reuse the same paragraph on many pages?", "create/reusable-snippets"],
          ["How can I invite a colleague?", "dashboard/roles"],
          ["Where do I see what people searched for?", "analytics/search"],
          ["protect the docs with a password", "deploy/authentication-setup"],
          ["How do I view the docs on my laptop before I push?", "cli/preview"],
          ["change the typeface", "customize/fonts"],
        ],
      },
    ],
  },
  {
    name: "held back",
    minFirst: 16,
    sites: [
      {
        site: "manual",
        index: "all",
        queries: [
          ["undo a bad deployment", "publish/index"],
          ["let's encrypt certificate without nginx", "publish/with-acme"],
          ["make sure that a webhook really comes from the service", "operate/webhooks"],
          [
            "Does an exported site load anything from third parties, such as fonts?",
            "export/bundle",
          ],
          [
            "Can the AI read our source code to find out if the docs are still true?",
            "agent/sources",
          ],
          ["How do I find broken links before publishing?", "export/check"],
          ["replace a word on all pages without an LLM", "agent/recipes"],
          ["give a translator temporary access to a private site", "publish/readers"],
          ["why is my job still waiting in the queue", "operate/quotas"],
          ["How can I rename a page without breaking old links?", "reference/sites"],
        ],
      },
      {
        site: "fastmcp",
        index: "v4.0.0-beta-1",
        queries: [
          ["tell the client how far along a tool is", "servers/progress"],
          ["ask the user a question in the middle of a tool", "servers/elicitation"],
          ["users should log in with their google account", "integrations/google"],
          ["remember data between requests of the same user", "servers/sessions"],
          ["environment variable for the log level", "more/settings"],
          [
            "What breaks when I upgrade from version 3?",
            "getting-started/upgrading/from-fastmcp-3",
          ],
          ["too many tools fill up the model's context", "servers/transforms/tool-search"],
          ["let people drop a file into the chat", "apps/providers/file-upload"],
          ["keep oauth tokens in redis", "servers/storage-backends"],
          ["How can I limit the number of requests per second?", "servers/middleware"],
        ],
      },
      {
        site: "mintlify",
        index: "en",
        queries: [
          ["How do I keep a page out of Google?", "optimize/seo"],
          ["old url shows 404 after I renamed a file", "create/redirects"],
          ["leave out some files from the published site", "organize/mintignore"],
          ["we are switching from readme.io", "migration/readme"],
          ["show the same code in several languages", "components/code-groups"],
          [
            "How do I hide an endpoint from the API reference?",
            "api-playground/managing-page-visibility",
          ],
          ["serve the docs at my own domain name", "customize/custom-domain"],
          ["youtube video in a page", "create/image-embeds"],
          ["put the chatbot into our own web app", "assistant/widget"],
          ["offer the docs in French and German", "guides/internationalization"],
        ],
      },
    ],
  },
  {
    name: "on other pages",
    minFirst: 62,
    sites: [
      {
        site: "manual",
        index: "all",
        queries: [
          ["How do I upgrade to a new version without downtime?", "team/backup"],
          ["put the service behind nginx with https", "team/proxy"],
          ["What ports and environment variables can I set?", "operate/settings"],
          ["How do I keep my docs private so only employees can read them?", "publish/readers"],
          ["show what changed on a page in a pull request preview", "publish/changes"],
          ["Does a preview appear for pull requests from forks?", "publish/reviews"],
          ["publish automatically when I push to the main branch", "publish/pushes"],
          ["How do I convert a MkDocs site?", "moving/read-the-docs"],
          ["jekyll site import", "moving/github-pages"],
          ["keep netlify redirects", "moving/netlify"],
          ["Which frontmatter fields are supported?", "reference/sites"],
          ["add a diagram to a page", "reference/markdown"],
          ["tabs, accordions and callouts", "reference/components"],
          ["How do dropdowns and groups in the sidebar work?", "reference/navigation"],
          ["What does the agent know about my site before it starts?", "agent/context"],
          ["ask an AI to fix the docs and open a pull request", "agent/jobs"],
          ["Is it safe to run docs from strangers?", "operate/security"],
          ["download the finished zip through the API", "export/api"],
          ["serve the exported site from an S3 bucket", "export/hosts/s3"],
          ["How do I install it with npm?", "install"],
          ["check accessibility of my pages", "export/check"],
          ["use codeberg instead of github", "operate/gitea"],
          ["How do I connect my git repository?", "operate/projects"],
          ["search does not need a server, how does it work", "export/bundle"],
          ["what can I do in the web interface", "operate/dashboard"],
        ],
      },
      {
        site: "fastmcp",
        index: "v4.0.0-beta-1",
        queries: [
          ["How do I return an image from a tool?", "servers/tools"],
          ["serve files as resources", "servers/resources"],
          ["write a reusable prompt template", "servers/prompts"],
          ["How do I get the current HTTP request in a tool?", "servers/dependency-injection"],
          ["log messages to the client", "servers/logging"],
          ["proxy a remote server", "servers/providers/proxy"],
          ["How do I verify JWT tokens?", "servers/auth/token-verification"],
          ["login with Microsoft accounts", "integrations/azure"],
          ["add my server to cursor", "integrations/cursor"],
          ["use it with ChatGPT", "integrations/chatgpt"],
          ["only allow admins to call a tool", "servers/authorization"],
          ["How do I offer two versions of the same tool?", "servers/versioning"],
          ["show charts and dashboards to the user", "apps/prefab"],
          ["ask for approval before a tool does something dangerous", "apps/providers/approval"],
          ["load tools from a folder of python files", "servers/providers/filesystem"],
          ["How do I connect a client to a server over stdio?", "clients/transports"],
          ["client without browser login", "clients/auth/client-credentials"],
          ["list the tools of a server from the command line", "cli/client"],
          ["describe dependencies of my server in a json file", "deployment/server-configuration"],
          ["What is MCP?", "tutorials/mcp"],
          ["make an existing REST API available to an LLM", "tutorials/rest-api"],
          ["let the server ask the client's LLM for text", "servers/sampling"],
          ["prevent name conflicts between mounted servers", "servers/transforms/namespace"],
          ["host my server in the cloud for free", "deployment/prefect-horizon"],
          ["How can I contribute to the project?", "development/contributing"],
        ],
      },
      {
        site: "mintlify",
        index: "en",
        queries: [
          ["How do I set up a blog-like list of release notes?", "create/changelogs"],
          ["add math formulas", "create/text"],
          ["How can readers rate a page?", "optimize/feedback"],
          ["make the logo and colors match our brand", "organize/settings-appearance"],
          ["connect slack so the bot answers questions", "ai/slack-bot"],
          ["what does the AI agent do when I write in slack", "agent/slack"],
          [
            "How do I restrict who can log in to the dashboard by IP address?",
            "dashboard/network-access",
          ],
          ["see who changed a setting last week", "dashboard/audit-logs"],
          ["put a dark and a light version of an image", "create/image-embeds"],
          ["Can I run Mintlify on my own servers?", "deploy/self-host"],
          ["docs repository on bitbucket", "deploy/bitbucket"],
          ["How do I combine docs from several repositories?", "deploy/multi-repo"],
          [
            "visitors should see different content depending on their plan",
            "create/personalization",
          ],
          ["track page views with plausible", "integrations/analytics/plausible"],
          ["chat widget for customer support", "integrations/support/overview"],
          ["cookie consent banner", "integrations/privacy/overview"],
          ["How do I number the steps of a tutorial?", "components/steps"],
          ["show a file tree", "components/tree"],
          ["generate pages from my GraphQL schema", "api-playground/graphql-setup"],
          ["my OpenAPI pages do not show up", "api-playground/troubleshooting"],
          ["write my docs with Cursor", "guides/cursor"],
          ["discuss a draft with comments", "editor/comments"],
          ["start docs work on a branch and publish it later", "editor/branching-and-publishing"],
          ["How do I add my own javascript?", "customize/custom-scripts"],
          ["read the docs without internet", "deploy/export"],
        ],
      },
      {
        site: "mcp",
        index: "version-2026-07-28-latest all",
        queries: [
          ["How do I debug my server?", "docs/2026-07-28/tools/debugging"],
          ["publish my server to the registry", "registry/quickstart"],
          ["I found a security hole, where do I report it?", "community/security"],
          ["how are maintainers elected or removed", "community/governance"],
          ["How do I propose a change to the protocol?", "community/sep-guidelines"],
          [
            "give claude desktop access to files on my computer",
            "docs/2026-07-28/develop/connect-local-servers",
          ],
          [
            "stop a request that is still running",
            "specification/2026-07-28/basic/patterns/cancellation",
          ],
          ["ask the user for missing information", "specification/2026-07-28/client/elicitation"],
          ["Which features are going away?", "specification/2026-07-28/deprecated"],
          ["what is planned for the next release", "development/roadmap"],
          ["show a user interface inside the chat", "extensions/apps/overview"],
          ["publish automatically from github actions", "registry/github-actions"],
          ["Which clients support which extensions?", "extensions/client-matrix"],
          ["when is a server removed from the registry", "registry/moderation-policy"],
          ["prove that I own a domain when publishing a server", "registry/authentication"],
          ["How do I list a server that runs at a URL?", "registry/remote-servers"],
          [
            "return a long list of results in several pages",
            "specification/2026-07-28/server/utilities/pagination",
          ],
          ["operations that take a long time", "extensions/tasks/overview"],
          ["libraries for my programming language", "docs/2026-07-28/sdk"],
          [
            "How does a client register with the authorization server?",
            "specification/2026-07-28/basic/authorization/client-registration",
          ],
        ],
      },
    ],
  },
];
