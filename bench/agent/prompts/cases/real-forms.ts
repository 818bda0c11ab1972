import { addsDescriptions, idle, moves, refusal, sets, touches } from "../expectation.ts";
import type { Expectation } from "../expectation.ts";
import { replaces } from "../replaced-words.ts";

type Cases = readonly (readonly [prompt: string, expect: Expectation])[];

const mcp: Cases = [
  [
    'Rename the term "Inspector" to "MCP Inspector"',
    replaces("Inspector", "MCP Inspector", { min: 20 }),
  ],
  [
    'Rename the term "Inspector" to "MCP Inspector" in community/',
    replaces("Inspector", "MCP Inspector", { within: "community/" }),
  ],
  [
    'Rename the term "host" to "client application"',
    replaces("host", "client application", { min: 5 }),
  ],
  [
    'Rename the term "client" to "app" in docs/2026-07-28/learn/',
    replaces("client", "app", { min: 10, records: true }),
  ],
  [
    'Replace "authorization server" with "identity server"',
    replaces("authorization server", "identity server", { min: 20 }),
  ],
  [
    'Rename "Model Context Protocol" to "Model Context Standard" in community/',
    replaces("Model Context Protocol", "Model Context Standard", { min: 5, within: "community/" }),
  ],
  ['Rename the term "must" to "shall"', refusal(/a common English word/)],
  ['Rename the term "MUST" to "SHALL"', refusal(/a common English word/)],
  ["Fill in the missing descriptions", addsDescriptions],
  ["Fix common misspellings", idle(/^None of the/)],
  [
    'Set the title of docs/2026-07-28/learn/versioning to "Versions"',
    sets("docs/2026-07-28/learn/versioning.mdx", "title", "Versions"),
  ],
  [
    'Set the description of docs/2026-07-28/sdk.mdx to "All of the SDKs."',
    sets("docs/2026-07-28/sdk.mdx", "description", "All of the SDKs."),
  ],
  ['Set the title of "Versioning" to "Versions"', refusal(/more than one page/)],
  ['Delete the page "Introduction"', refusal(/no page “Introduction”/)],
  ['Rename the group "Inspector" to "MCP Inspector"', touches("docs.json")],
  ['Rename the group "Get started" to "First steps"', touches("docs.json")],
  ['Rename the tab "Documentation" to "Docs"', touches("docs.json")],
  [
    'Add a page "Safety" to the group "Developer tools"',
    touches("docs.json", "docs/2026-07-28/tools/safety.mdx"),
  ],
  ['Add a page "Safety" to the group "Inspector"', refusal(/pages in 2 folders/)],
  [
    'Add a page "Pings" to the group "Developer tools" at docs/2026-07-28/tools/pings',
    touches("docs.json", "docs/2026-07-28/tools/pings.mdx"),
  ],
  [
    "Move the page docs/2026-07-28/tools/debugging to docs/2026-07-28/tools/finding-faults",
    moves("docs/2026-07-28/tools/debugging.mdx", "docs/2026-07-28/tools/finding-faults.mdx"),
  ],
  ["Move docs/2026-07-28/sdk to top", refusal(/a path or a position/)],
  [
    "Delete the page docs/2026-07-28/tools/debugging and redirect to docs/2026-07-28/sdk",
    touches("docs.json", "docs/2026-07-28/tools/debugging.mdx"),
  ],
  ["Redirect old/path to examples", touches("docs.json")],
  ['Replace the version "2025-11-25" with "2026-07-28"', refusal(/does not have three numbers/)],
  [
    'Replace the version "1.0.0" with "1.1.0" in docs/2026-07-28/develop/',
    replaces("1.0.0", "1.1.0", { inCode: true, records: true }),
  ],
];

const fastmcp: Cases = [
  [
    'Rename the term "Context" to "Request Context"',
    replaces("Context", "Request Context", { min: 3 }),
  ],
  ['Rename the term "tool" to "action"', replaces("tool", "action", { min: 100 })],
  [
    'Rename the term "server" to "service" in clients/',
    replaces("server", "service", { min: 5, within: "clients/" }),
  ],
  [
    'Rename "FastMCP" to "FastMCP Server" in getting-started/',
    replaces("FastMCP", "FastMCP Server", { min: 10, within: "getting-started/" }),
  ],
  [
    'Rename "FastMCP" to "Fast MCP" in servers/',
    replaces("FastMCP", "Fast MCP", { min: 10, within: "servers/" }),
  ],
  ['Rename the term "will" to "shall"', refusal(/a common English word/)],
  ["Fill in the missing descriptions", addsDescriptions],
  ["Fix common misspellings in servers/", idle(/^None of the/)],
  [
    'Set the description of servers/tools to "Expose functions as tools."',
    sets("servers/tools.mdx", "description", "Expose functions as tools."),
  ],
  [
    'Change the sidebar title of servers/icons to "Icons"',
    sets("servers/icons.mdx", "sidebarTitle", "Icons"),
  ],
  ['Set the icon of servers/icons to "star"', sets("servers/icons.mdx", "icon", "star")],
  [
    'Set the title of servers/icons to "Say \\"icons\\""',
    sets("servers/icons.mdx", "title", 'Say "icons"'),
  ],
  ['Set the title of "Tools" to "x"', refusal(/more than one page/)],
  ['Delete the page "Tools"', refusal(/more than one page/)],
  ["Move servers/icons to top", refusal(/a path or a position/)],
  ["Move servers/icons to servers/branding", moves("servers/icons.mdx", "servers/branding.mdx")],
  [
    "Delete servers/icons and redirect to servers/server",
    touches("docs.json", "servers/icons.mdx"),
  ],
  ['Rename the group "Servers" to "Server guides"', touches("docs.json")],
  ['Rename the group "Nothing" to "Something"', refusal(/no group “Nothing”/)],
  [
    'Add a page "Timeouts" to the group "Core Components" with the description "How timeouts work."',
    touches("docs.json", "servers/timeouts.mdx"),
  ],
  [
    'Add a page "Timeouts" to the group "Interactivity"',
    touches("docs.json", "servers/timeouts.mdx"),
  ],
  [
    'Replace the version "4.0.0b3" with "4.0.0b4"',
    replaces("4.0.0b3", "4.0.0b4", { inCode: true, min: 5 }),
  ],
  ['Replace the version "2.0" with "2.1"', refusal(/does not have three numbers/)],
  ["Redirect servers/gone to servers/tools", touches("docs.json")],
];

const mintlify: Cases = [
  ['Rename "Mintlify" to "Octavo"', refusal(/at most 500 may change/)],
  [
    'Rename "Mintlify" to "Octavo" in organize/',
    replaces("Mintlify", "Octavo", { within: "organize/" }),
  ],
  [
    'Rename the term "navigation" to "menu" in organize/',
    replaces("navigation", "menu", { within: "organize/" }),
  ],
  [
    'Rename the term "web editor" to "browser editor"',
    replaces("web editor", "browser editor", { min: 20 }),
  ],
  [
    'Replace "deployment" with "release" in deploy/',
    replaces("deployment", "release", { within: "deploy/" }),
  ],
  ["Fill in the missing descriptions", addsDescriptions],
  ["Fix common misspellings in guides/", idle(/^None of the/)],
  [
    'Set the title of organize/pages to "Page metadata"',
    sets("organize/pages.mdx", "title", "Page metadata"),
  ],
  [
    'Set the description of create/text to "Write: with Markdown."',
    sets("create/text.mdx", "description", "Write: with Markdown."),
  ],
  ['Set the keywords of organize/pages to "x"', refusal(/a list/)],
  ['Rename the tab "Documentation" to "Docs"', touches("docs.json")],
  ['Rename the group "Get started" to "First steps"', touches("docs.json")],
  [
    'Add a page "Webhooks" to the group "Create content > Pages"',
    touches("docs.json", "organize/webhooks.mdx"),
  ],
  ["Move quickstart to guides/quickstart", moves("quickstart.mdx", "guides/quickstart.mdx")],
  ["Move create/text to bottom", refusal(/a path or a position/)],
  ["Redirect old/page to quickstart", touches("redirects.json")],
  ["Delete the page create/gone", refusal(/no page “create\/gone”/)],
];

/** Documented forms on real sites, each with what must and must not change. */
export const realForms: Readonly<Record<string, Cases>> = { mcp, fastmcp, mintlify };
