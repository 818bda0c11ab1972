import { adds, exactly, idle, moves, nothing, only, refusal, sets } from "../expectation.ts";
import type { Expectation } from "../expectation.ts";
import { replaces } from "../replaced-words.ts";

/** The right outcome of a prompt, whether it names one clear task, and what a form that is offered instead may do. */
type Case = readonly [
  prompt: string,
  expect: Expectation,
  isClear?: boolean,
  offers?: readonly Expectation[],
];

const titled = (page: string, value: string) => sets(`${page}.mdx`, "title", value);
const described = (page: string, value: string) => sets(`${page}.mdx`, "description", value);
const portal = (within = "") => replaces("Portal", "Console", { within });

const scopes: readonly Case[] = [
  ["Fix the broken links in billing", only("billing/invoices.mdx"), true],
  ["Fix the typos in billing", only("billing.mdx", "billing/invoices.mdx"), true],
  ["Fix typos in billing/", only("billing/invoices.mdx"), true],
  ["Fix typos in billing.mdx", only("billing.mdx"), true],
  ['Rename the term "Portal" to "Console" in billing', only("billing.mdx", "billing/invoices.mdx", "billing/refunds.mdx"), true], // prettier-ignore
  ['Rename the term "Portal" to "Console" in fr and es', only("es/index.mdx", "fr/index.mdx", "fr/install.mdx"), true], // prettier-ignore
  ['Rename the term "Portal" to "Console" in the French pages', only("fr/index.mdx", "fr/install.mdx"), true], // prettier-ignore
  ['Replace "Portal" with "Console" in the API reference tab', only("api/orders.mdx"), true],
  ['Replace "Portal" with "Console" in the tab "API reference"', only("api/orders.mdx"), true],
  ['Replace "Portal" with "Console" in the group Billing', only("billing.mdx", "billing/invoices.mdx", "billing/refunds.mdx"), true], // prettier-ignore
  ['Replace "Portal" with "Console" in the Getting started group', only("install.mdx"), true],
  ['Replace "Portal" with "Console" throughout', portal(), true],
  ['Replace "Portal" with "Console" throughout the docs', portal(), true],
  ['Rename the term "Portal" to "Console" everywhere', portal(), true],
  ['Rename the term "Portal" to "Console" across all pages', portal(), true],
  ['Rename the term "Portal" to "Console" in webhooks/ and api/', only("api/orders.mdx", "webhooks/overview.mdx", "webhooks/retries.mdx"), true], // prettier-ignore
  ['Rename the term "Portal" to "Console" in German', nothing],
  ['Rename the term "Portal" to "Console" in the Support tab', nothing],
  ['Rename the term "Portal" to "Console" in headings', nothing],
  ['Rename the term "Portal" to "Console" except in api/', nothing],
  ['Rename the term "Portal" to "Console" in code blocks only', nothing],
  ['Replace "Portal" with "Console" in the first paragraph of install', nothing],
  ["Fix the broken links in Spanish", only("es/index.mdx"), true],
  ["Fix the broken links in the fr and es pages", only("es/index.mdx", "fr/index.mdx"), true],
  ["Fix the broken links in the API reference tab", only("api/errors.mdx"), true],
  ["Fix the broken anchors in billing", idle(/no broken anchors.*billing/s), true],
  ["Fix the spelling in billing/", only("billing/invoices.mdx"), true],
  ["Correct spelling mistakes in the billing folder", only("billing/invoices.mdx"), true],
  ["Please fix the spelling on all pages in api/", only("api/errors.mdx"), true],
  ["Fix the spelling of Portal in billing/", nothing],
  ["Fix spelling and grammar in billing/", nothing],
  ["Add descriptions to the pages in billing/ that have none", adds("billing/invoices.mdx"), true],
  ["Fill in the missing descriptions for billing/", adds("billing/invoices.mdx"), true],
  ["Add the missing descriptions in the Webhooks group", adds("webhooks/overview.mdx"), true],
  ["Write descriptions for the pages in billing/", nothing],
  ["Fix the broken links in billing and check the English", nothing],
  ["Fix the broken links on every page that mentions refunds", nothing],
];

const fields: readonly Case[] = [
  ['Set the title of webhooks/overview to "Webhook basics"', titled("webhooks/overview", "Webhook basics"), true], // prettier-ignore
  ['Change the title of install from "Install" to "Set up"', titled("install", "Set up"), true],
  ['Change the title of install from "Installation" to "Set up"', refusal(/title of.*is “Install”/s)], // prettier-ignore
  ['Give install the title "Set up"', titled("install", "Set up"), true],
  ['Change install\'s title to "Set up"', titled("install", "Set up"), true],
  ['Set the description for billing/refunds to "How refunds work."', described("billing/refunds", "How refunds work."), true], // prettier-ignore
  ['Update the description on billing/refunds: "How refunds work."', described("billing/refunds", "How refunds work."), true], // prettier-ignore
  ['Add the description "How to install Orbit." to install', described("install", "How to install Orbit."), true], // prettier-ignore
  ['Add a description to install: "How to install Orbit."', described("install", "How to install Orbit."), true], // prettier-ignore
  ['Add the description "All refunds." to billing/refunds', refusal(/already has/)],
  ["Set icon: rocket on install", sets("install.mdx", "icon", "rocket"), true],
  ["Use the icon rocket for install", sets("install.mdx", "icon", "rocket"), true],
  ["Set the icon of install to rocket", sets("install.mdx", "icon", "rocket"), true],
  ["Change the icon for the Install page to rocket", sets("install.mdx", "icon", "rocket"), true],
  ["Set hidden to true on billing/invoices", sets("billing/invoices.mdx", "hidden", "true"), true],
  ["Set `hidden: true` on billing/invoices", sets("billing/invoices.mdx", "hidden", "true"), true],
  ["Hide the page billing/invoices", sets("billing/invoices.mdx", "hidden", "true"), true],
  ["Unhide webhooks/retries", sets("webhooks/retries.mdx", "hidden", "false"), true],
  ["Don't hide webhooks/retries", nothing],
  ["Hide billing", nothing],
  ['Set og:title of api/orders to "Orders"', sets("api/orders.mdx", '"og:title"', "Orders"), true],
  ['Set the "twitter:card" of api/orders to "summary"', sets("api/orders.mdx", "twitter:card", "summary"), true], // prettier-ignore
  ["Set noindex: true for api/errors", sets("api/errors.mdx", "noindex", "true"), true],
  ['Set the hidden field of billing/invoices to "yes"', nothing, false, [sets("billing/invoices.mdx", "hidden", "true")]], // prettier-ignore
  ['Set the theme of install to "red"', nothing],
  ['Set the title of install to "Set up" and its description to "In a minute."', exactly(`
install.mdx
-title: Install
+title: Set up
+description: In a minute.`)], // prettier-ignore
  ["Make the title of install friendlier", nothing],
  ['Set the title of install and billing to "X"', nothing],
  ['Set the title of Webhook to "Hooks"', nothing, false, [titled("webhooks/overview", "Hooks")]],
  ["Set the title of install to Set up Orbit", titled("install", "Set up Orbit"), true],
  ["Set the title of install to something with Orbit", nothing],
  ["Set the title of install to Guide for the Impatient", titled("install", "Guide for the Impatient"), true], // prettier-ignore
  ["Set the title of install to Guide, Help", titled("install", "Guide, Help")],
  ["Set the title of install to Please Read", titled("install", "Please Read")],
  ["Set the title of install to Set up Orbit and move it up", nothing],
  ["Set the title of install to Set up an Account", titled("install", "Set up an Account"), true],
];

const navigation: readonly Case[] = [
  ["Rename the group Billing to Payments", exactly(`
docs.json
-              { "group": "Billing", "pages": ["billing", "billing/invoices", "billing/refunds"] },
+              { "group": "Payments", "pages": ["billing", "billing/invoices", "billing/refunds"] },`), true], // prettier-ignore
  ["Rename the Getting started group to First steps", nothing],
  ["Rename the group Getting started to First Steps", exactly(`
docs.json
-              { "group": "Getting started", "pages": ["index", "install"] },
+              { "group": "First Steps", "pages": ["index", "install"] },`), true], // prettier-ignore
  ["Rename the tab API reference to API", exactly(`
docs.json
-            "tab": "API reference",
+            "tab": "API",`), true], // prettier-ignore
  ["Rename the API reference tab to Reference", exactly(`
docs.json
-            "tab": "API reference",
+            "tab": "Reference",`), true], // prettier-ignore
  ["Rename the group Billing to Payments and move it up", nothing],
  ["Rename the group Payments to Billing", nothing],
  ["Rename the group A, Billing to Payments", nothing],
  ["Rename the group Billing to Money for the People", exactly(`
docs.json
-              { "group": "Billing", "pages": ["billing", "billing/invoices", "billing/refunds"] },
+              { "group": "Money for the People", "pages": ["billing", "billing/invoices", "billing/refunds"] },`), true], // prettier-ignore
  ['Rename the group "Billings" to "Payments"', refusal(/no group/), false, [only("docs.json")]],
  ['Rename "Webhooks" to "Events"', refusal(/also called/), false, [only("docs.json"), titled("webhooks/overview", "Events"), replaces("Webhooks", "Events")]], // prettier-ignore
  ['Rename "Webhooks" to "Events" in webhooks/', replaces("Webhooks", "Events", { within: "webhooks/" })], // prettier-ignore
  ['Add a page "Taxes" to the Billing group with the text "We add the tax."', only("billing/taxes.mdx", "docs.json")], // prettier-ignore
  ['Add a page "Limits" to the group Webhooks with the content "Ten per second."', exactly(`
docs.json
-              { "group": "Webhooks", "pages": ["webhooks/overview", "webhooks/retries"] }
+              { "group": "Webhooks", "pages": ["webhooks/overview", "webhooks/retries", "webhooks/limits"] }
new: webhooks/limits.mdx
+---
+title: "Limits"
+---
+
+Ten per second.`), true], // prettier-ignore
  ['Create a page called "Limits" in the Webhooks group with the following text:\n\nTen per second.', only("docs.json", "webhooks/limits.mdx"), true], // prettier-ignore
  ['Add a "Limits" page to Webhooks', only("docs.json", "webhooks/limits.mdx"), true],
  ['Add a page "Limits" to Webhooks and link to it from install', nothing],
];

const pages: readonly Case[] = [
  ["Move install into billing/", moves("install.mdx", "billing/install.mdx"), true],
  ["Move install to the api folder", moves("install.mdx", "api/install.mdx"), true],
  ["Move install into api", moves("install.mdx", "api/install.mdx"), true],
  ["Move api/errors to billing", nothing],
  ["Move install to webhooks/setup, update links and add a redirect", moves("install.mdx", "webhooks/setup.mdx"), true], // prettier-ignore
  ["Move install to webhooks/setup without a redirect", nothing],
  ["Move install to webhooks/setup but keep the old page", nothing],
  ['Move install to webhooks/setup and set its title to "Setup"', only("docs.json", "install.mdx", "webhooks/setup.mdx")], // prettier-ignore
  ["Delete api/errors and billing/refunds", nothing],
  ["Delete the page api/errors, then fix typos in billing/", only("api/errors.mdx", "billing/invoices.mdx", "docs.json")], // prettier-ignore
  ["Delete api/errors and redirect to billing/refund", nothing, false, [only("api/errors.mdx", "docs.json")]], // prettier-ignore
  ["Delete the page api/eror", nothing, false, [only("api/errors.mdx", "docs.json")]],
  ["Redirect install to index", nothing],
  ["Redirect /setup to /install", exactlyRedirects("/setup", "/install"), true],
  ["Add redirects from /setup and /start to install", nothing],
  ["Redirect away from /setup", nothing],
  ["Fix the broken links and fix typos in billing/", nothing],
  ["Fix typos in billing/, then fix the broken links in fr/", only("billing/invoices.mdx", "fr/index.mdx")], // prettier-ignore
  ["Fix typos in billing/ and rewrite the introduction", nothing],
];

const words: readonly Case[] = [
  ['Standardize on "Console" instead of "Portal"', portal(), true],
  ['Use "Console" instead of "Portal"', portal(), true],
  ['Use "Console" rather than "Portal" in api/', only("api/orders.mdx"), true],
  ['Say "Console", not "Portal"', portal(), true],
  ['Change "Portal" back to "Console"', nothing],
  ['Replace "Portal" by "Console" in install', only("install.mdx"), true],
  ['Replace every "Portal" with "Console"', portal(), true],
  ['Replace the first "Portal" with "Console"', nothing],
  ['Rename "Portal" to "Console" and update links', nothing],
  ['Swap "Portal" and "Console"', nothing],
  ['Rename the term "run" to "execute"', refusal(/“execute”.*(?:noun|verb)/s)],
  ['Rename the term "configure" to "configuration"', refusal(/“configuration”.*(?:noun|verb)/s)],
  ['Rename the term "Portal" to "Console" and the term "Orbit" to "Sun"', nothing],
];

/** A redirect is added, and nothing else. */
function exactlyRedirects(source: string, destination: string): Expectation {
  return (outcome) => {
    const fault = only("docs.json")(outcome);
    const text = outcome.changes[0]?.after?.replaceAll(/\s+/g, "") ?? "";
    const isThere = text.includes(`"source":"${source}","destination":"${destination}"`);
    return fault ?? (isThere ? undefined : "adds another redirect");
  };
}

const small: readonly Case[] = [
  ['Give guides/start the title "Begin"', titled("guides/start", "Begin"), true],
  ['Add a page "Webhooks" to Guides', only("docs.json", "guides/webhooks.mdx"), true],
  ["Rename the Guides section to Tutorials", only("docs.json"), true],
  [
    "Fix typos, fill in the missing descriptions and delete guides/start",
    only("docs.json", "guides/advanced/tuning.mdx", "guides/deploy.mdx", "guides/start.mdx", "index.mdx", "reference/cli.mdx"), // prettier-ignore
  ],
  ['Fix typos and rename the group Guides to "Tutorials"', only("docs.json", "reference/cli.mdx")],
];

const mintlify: readonly Case[] = [
  ['Rename the term "workspace" to "studio" in fr and es', nothing],
  ['Replace "Mintlify" with "Octavo" in organize', replaces("Mintlify", "Octavo", { within: "organize/" }), true], // prettier-ignore
  ["Move quickstart into guides", moves("quickstart.mdx", "guides/quickstart.mdx"), true],
  ["Rename the Help center tab to Support", only("docs.json"), true],
  ['Set the description for credits to "How credits work."', described("credits", "How credits work."), true], // prettier-ignore
  ["Fix the spelling in guides/", idle(/^None of the/), true],
];
const mcp: readonly Case[] = [
  ['Replace "Inspector" with "MCP Inspector" in community', replaces("Inspector", "MCP Inspector", { within: "community/" }), true], // prettier-ignore
  ["Rename the tab SEPs to Proposals", only("docs.json"), true],
  ['Change the title of registry/faq to "Common questions"', titled("registry/faq", "Common questions"), true], // prettier-ignore
];
const fastmcp: readonly Case[] = [
  ["Rename the group Core Components to Building Blocks", only("docs.json"), true],
  ['Use "annotation" instead of "decorator" in servers/', replaces("decorator", "annotation", { within: "servers/" }), true], // prettier-ignore
  ["Set icon: star on servers/icons", sets("servers/icons.mdx", "icon", "star"), true],
];

/**
 * Prompts with scopes, second clauses, reversals and ambiguous names, and tasks of every day in the wordings that people
 * use for them. They were written before the forms that they are to be understood by.
 */
export const everydayPrompts: Readonly<Record<string, readonly Case[]>> = {
  orbit: [...scopes, ...fields, ...navigation, ...pages, ...words],
  small,
  mintlify,
  mcp,
  fastmcp,
};
