import { idle, moves, nothing, only, refusal, sets, touches } from "../expectation.ts";
import type { Expectation } from "../expectation.ts";
import { replaces } from "../replaced-words.ts";

/** In a form, or not, and what is right for it. */
type Case = readonly [prompt: string, expect: Expectation, isForm?: true];

const mcp: readonly Case[] = [
  [
    'Hey, we decided last week to call it "client app" rather than "host" in the tutorials. Can you make the docs reflect that?',
    nothing,
  ],
  [
    'Rename the term "developer" to "engineer" in docs/2026-07-28/',
    replaces("developer", "engineer", { within: "docs/2026-07-28/", records: true }),
    true,
  ],
  [
    'Rename the term "handshake" to "negotiation"',
    replaces("handshake", "negotiation", { min: 5 }),
    true,
  ],
  [
    'Rename the term "resource" to "document" in docs/2026-07-28/learn/',
    replaces("resource", "document", { records: true }),
    true,
  ],
  [
    'Replace "Claude Desktop" with "Claude for Desktop" in docs/2026-07-28/',
    replaces("Claude Desktop", "Claude for Desktop", { records: true, min: 20 }),
    true,
  ],
  [
    'Rename the term "SDK" to "library" in community/',
    replaces("SDK", "library", { within: "community/", min: 20 }),
    true,
  ],
  [
    'Rename "Governance" to "Project governance"',
    refusal(/a group, a tab or a page is also called/),
  ],
  [
    'Rename the term "maintainer" to "steward" in community/',
    replaces("maintainer", "steward", { within: "community/" }),
    true,
  ],
  [
    'Replace "SEP" with "MEP" in community/',
    replaces("SEP", "MEP", { within: "community/", min: 40 }),
    true,
  ],
  ["Delete docs/2024-11-05", refusal(/no page “docs\/2024-11-05”/)],
  ["Delete the page about sampling", nothing],
  ["Remove images", nothing],
  ["Move specification/draft/deprecated to the archive", refusal(/a path or a position/)],
  ["Move registry/faq to community", refusal(/a path or a position/)],
  ["Move registry/faq to community/", moves("registry/faq.mdx", "community/faq.mdx"), true],
  [
    'Set the heading of registry/faq to "Questions"',
    refusal(/no page of the site has a field “heading”/),
  ],
  [
    "Set title of registry/faq to 'Common questions'",
    sets("registry/faq.mdx", "title", "Common questions"),
    true,
  ],
  ["Change the description of registry/quickstart so that it mentions npm", nothing],
  [
    'Add a page "registry/rate-limits" to the group Publishing',
    refusal(/is a path, but a page needs a title/),
  ],
  [
    'Add a page "Rate limits" to the group Publishing',
    touches("docs.json", "registry/rate-limits.mdx"),
    true,
  ],
  [
    'Add a new page "Team" to the group "Get Involved" with the description "Who we are."',
    touches("docs.json", "community/team.mdx"),
    true,
  ],
  ['Rename the tab "SEPs" to "Proposals"', touches("docs.json"), true],
  ["Update version 2025-11-25 to 2026-07-28 everywhere", nothing],
  ["Bump the SDK from 1.0.0 to 1.2.0 in the tutorials", nothing],
  ["fix the typos in community/ and seps/", nothing],
  ["Redirect docs/inspector to docs/2026-07-28/tools/inspector", touches("docs.json"), true],
  [
    'Rename the term "/specification/latest" to "/specification/2026-07-28"',
    refusal(/an address rather than a term/),
  ],
  [
    'Replace "https://github.com/modelcontextprotocol" with "https://github.com/mcp"',
    refusal(/an address rather than a term/),
  ],
  [
    'Rename the term "request" to "call" in docs/2026-07-28/learn/',
    replaces("request", "call", { records: true }),
    true,
  ],
  ['In community/, replace "working group" with "workgroup"', nothing],
  ["Fix the broken anchors in the Registry tab and tell me which remain", nothing],
  ["Rename the group Consuming to Using the registry", nothing],
  [
    'Change the sidebar title of registry/faq to FAQ and its description to "Questions about the registry."',
    nothing,
  ],
  ["Move registry/faq under community and leave a redirect", nothing],
  ['Replace "MCP Inspector" with "Inspector" in docs/draft only', nothing],
  ["Rename the Examples group to Samples in the Draft version", nothing],
  [
    'Use "sign-in" instead of "login" in registry/authentication.mdx',
    idle(/login.*does not occur/),
  ],
  ["Rename governance to stewardship", nothing],
  ["Update the title of community/governance: Governance", nothing],
  ["Fix typos in specification/draft/ and docs/draft/", idle(/None of the/)],
  ["Undo the rename of the Registry tab", nothing],
  ["Delete registry/terms-of-service and remove links to it", nothing],
  ["Set noindex on registry/moderation-policy", nothing],
];

const fastmcp: readonly Case[] = [
  [
    'Rename the term "decorator" to "annotation" in servers/',
    replaces("decorator", "annotation", { within: "servers/", min: 10 }),
    true,
  ],
  [
    'Rename the term "prompt" to "template" in servers/',
    replaces("prompt", "template", { within: "servers/" }),
    true,
  ],
  [
    'Rename the term "Prefect Horizon" to "Horizon Cloud"',
    replaces("Prefect Horizon", "Horizon Cloud", { min: 8 }),
    true,
  ],
  ['Rename "Tools" to "Functions"', refusal(/a group, a tab or a page is also called/)],
  ['Replace "FastMCP Cloud" with "Prefect Cloud"', nothing],
  ['Rename the term "log" to "record" in servers/', nothing],
  [
    'Rename the term "OAuth" to "OAuth 2.1" in clients/',
    replaces("OAuth", "OAuth 2.1", { within: "clients/", min: 5 }),
    true,
  ],
  [
    'Rename the term "Python" to "Python 3" in getting-started/',
    replaces("Python", "Python 3", { within: "getting-started/" }),
    true,
  ],
  ['Set the tag of servers/icons to "NEW"', sets("servers/icons.mdx", "tag", "NEW"), true],
  ['Set the hidden of servers/icons to "yes"', refusal(/must be true or false/)],
  ['Set the name of servers/icons to "Icons"', refusal(/no page of the site has a field “name”/)],
  ["Please make the description of clients/roots shorter, max 80 characters", nothing],
  [
    "Rename the page servers/icons to servers/branding",
    moves("servers/icons.mdx", "servers/branding.mdx"),
    true,
  ],
  ['Rename servers/icons to "Branding"', nothing],
  ["Move servers/elicitation up", nothing],
  ["Delete changelog", nothing],
  ['Remove "beta"', nothing],
  ['Delete the page "Icons"', refusal(/more than one page/)],
  [
    'Rename the group "Core Components" to "Building blocks"; rename the group "More" to "Resources"',
    touches("docs.json"),
    true,
  ],
  ["Replace version 3.0.0 with 3.0.1", refusal(/“openapi” also has this version/)],
  ["Upgrade fastmcp from 3.2.0 to 3.2.1", nothing],
  ["Fill in descriptions where missing, but only for getting-started", nothing],
  ['Convert "colour" to "color"', nothing],
  ["Mark servers/tool-fingerprinting as deprecated", nothing],
  ["Set the tag of servers/sessions to NEW", sets("servers/sessions.mdx", "tag", "NEW"), true],
  ['Give servers/icons.mdx a sidebarTitle of "Icons and logos"', nothing],
  ["Change icon of /servers/tools to hammer", sets("servers/tools.mdx", "icon", "hammer"), true],
  ['Replace "LLM" with "language model" in clients/, but not in titles', nothing],
  ["Replace FastMCP Cloud with Prefect Horizon in deployment", nothing],
  ["Rename the page servers/icons to servers/visuals and update the sidebar", nothing],
  ["Put servers/icons in the Apps group", nothing],
  ["Add missing descriptions in integrations and clients", idle(/No description was added/)],
  ["Swap the order of servers/tools and servers/resources", nothing],
  ["Bump Python from 3.10 to 3.11 in getting-started", nothing],
  ["Remove the icon from servers/tools", nothing],
  [
    'Set the description of the Tools page to "Functions for models."',
    refusal(/more than one page is called “Tools”/),
  ],
  ["Rename the More group to Further reading", nothing],
];

const mintlify: readonly Case[] = [
  [
    'Rename the term "dashboard" to "console" in dashboard/',
    replaces("dashboard", "console", { within: "dashboard/", min: 10 }),
    true,
  ],
  [
    'Rename the term "assistant" to "copilot" in assistant/',
    replaces("assistant", "copilot", { within: "assistant/", min: 10 }),
    true,
  ],
  [
    'Replace "API playground" with "API console" in api-playground/',
    replaces("API playground", "API console", { within: "api-playground/", min: 10 }),
    true,
  ],
  [
    'Rename the term "preview" to "draft" in editor/',
    replaces("preview", "draft", { within: "editor/" }),
    true,
  ],
  ['Rename the term "deploy" to "publish" in deploy/', nothing],
  [
    'Rename the term "repository" to "repo" in deploy/',
    replaces("repository", "repo", { within: "deploy/" }),
    true,
  ],
  [
    'Replace "frontmatter" with "front matter" in organize/',
    replaces("frontmatter", "front matter", { within: "organize/" }),
    true,
  ],
  ['Rename the group "Deploy" to "Hosting"', refusal(/no group “Deploy”/)],
  ['Rename the tab "Help center" to "Support"', touches("docs.json"), true],
  ['Remove the tab "Changelog"', nothing],
  ["Delete images", nothing],
  ["Remove redirects", nothing],
  [
    'Move create/redirects to organize/redirects and set its title to "URL redirects"',
    touches("create/redirects.mdx", "docs.json", "organize/redirects.mdx"),
  ],
  [
    "Move create/redirects to /redirect-rules",
    moves("create/redirects.mdx", "redirect-rules.mdx"),
    true,
  ],
  [
    'Set the icon of create/redirects to "signs-post"',
    sets("create/redirects.mdx", "icon", "signs-post"),
    true,
  ],
  ['Set mode of credits to "wide"', sets("credits.mdx", "mode", "wide"), true],
  ["Set the title of create/redirects to URL redirects", nothing],
  ['Add a "Rate limits" page to the API reference', nothing],
  ["Redirect create/redirect to create/redirects", touches("redirects.json"), true],
  ["Update all mentions of GitHub to say GitHub or GitLab", nothing],
  ["fix broken links in guides and api", nothing],
  ["Fix spelling in help-center, not in es", nothing],
  [
    "Replace 'Mintlify editor' with 'web editor' in the French pages",
    idle(/Mintlify editor.*does not occur/),
  ],
  ["Rename the Help center tab to Support", only("docs.json"), true],
  ['Rename the group "Agent" to "Agents" in the Documentation tab', nothing],
  ["Set keywords of organize/pages to pages, metadata", nothing],
  ["Set boost to 5 in quickstart", nothing],
  ['Change "Document APIs" to "API docs" in the navigation', nothing],
  ["Redirect /start to the quickstart", only("redirects.json"), true],
  ["Redirect /old/* to /new/*", nothing],
  ["Move organize/mintignore to the end of its group", nothing],
  ["Rename quickstart.mdx to getting-started.mdx and change its title to Getting started", nothing],
  ["Hide organize/hidden-pages from search", nothing],
  ['Use "workspace" for "organization" in dashboard/', nothing],
  ["Fix the links in fr/organize and es/organize that are broken", nothing],
];

/** Prompts that documentation teams would write, in a form or nearly, by site; each with its expected outcome. */
export const teamPrompts: Readonly<Record<string, readonly Case[]>> = { mcp, fastmcp, mintlify };
