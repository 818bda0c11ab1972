import { addsDescriptions, exactly, idle, refusal } from "../expectation.ts";
import type { Expectation } from "../expectation.ts";

const describesBothPages = exactly(`
guides/advanced/tuning.mdx
+description: Tuning lets you change how fast a kiln heats and how long it stays hot.
guides/deploy.mdx
+description: This guide shows how to deploy a kiln to a server of your own.`);

/** Documented forms on the site of our own, each with the lines that change. */
export const smallForms: readonly (readonly [prompt: string, expect: Expectation])[] = [
  [
    'Rename the term "Inspector" to "MCP Inspector"',
    exactly(`
guides/start.mdx
-## Open the Inspector
+## Open the MCP Inspector
-Open the **Inspector** at \`Inspector\`. An Inspector-like tool is not the INSPECTOR.
+Open the **MCP Inspector** at \`Inspector\`. An Inspector-like tool is not the INSPECTOR.
index.mdx
-Kiln fires your pottery. The Inspector shows what happens, and the MCP Inspector shows more.
+Kiln fires your pottery. The MCP Inspector shows what happens, and the MCP Inspector shows more.
-See [the guide](/guides/start#open-the-inspector) or [nothing](/guides/strat).
+See [the guide](/guides/start#open-the-mcp-inspector) or [nothing](/guides/strat).
quickstart.mdx
-Install \`kiln@1.4.2\`, then open the Inspector.
+Install \`kiln@1.4.2\`, then open the MCP Inspector.`),
  ],
  [
    "Replace “Inspector” with “Watcher” in quickstart",
    exactly(`
quickstart.mdx
-Install \`kiln@1.4.2\`, then open the Inspector.
+Install \`kiln@1.4.2\`, then open the Watcher.`),
  ],
  [
    "rename the term «Inspector» to «Watcher», also in code, in guides/start",
    exactly(`
guides/start.mdx
-## Open the Inspector
+## Open the Watcher
-Open the **Inspector** at \`Inspector\`. An Inspector-like tool is not the INSPECTOR.
+Open the **Watcher** at \`Watcher\`. An Inspector-like tool is not the INSPECTOR.
-kiln open Inspector
+kiln open Watcher
index.mdx
-See [the guide](/guides/start#open-the-inspector) or [nothing](/guides/strat).
+See [the guide](/guides/start#open-the-watcher) or [nothing](/guides/strat).`),
  ],
  [
    'Rename the term "Inspector" to "Watcher" in changelog',
    exactly(`
changelog.mdx
-The Inspector opens faster.
+The Watcher opens faster.`),
  ],
  [
    'Rename the term "host" to "client application"',
    exactly(`
guides/start.mdx
-The host must accept a client. Each host serves one client; clients come and go. You must not host a client yourself.
+The client application must accept a client. Each client application serves one client; clients come and go. You must not host a client yourself.`),
  ],
  [
    'Rename the term "client" to "app", including plurals',
    exactly(`
guides/start.mdx
-The host must accept a client. Each host serves one client; clients come and go. You must not host a client yourself.
+The host must accept an app. Each host serves one app; apps come and go. You must not host an app yourself.`),
  ],
  ['Rename the term "must" to "shall"', refusal(/a common English word/)],
  ['Rename the term "Galley" to "Kitchen"', idle(/^Nothing was renamed/)],
  [
    "Move guides/start to /quick-start",
    exactly(`
docs.json
-              "guides/start",
+              "quick-start",
-    { "source": "/begin", "destination": "/guides/start" }
+    { "source": "/begin", "destination": "/quick-start" },
+    { "source": "/guides/start", "destination": "/quick-start" }
gone: guides/start.mdx
index.mdx
-See [the guide](/guides/start#open-the-inspector) or [nothing](/guides/strat).
+See [the guide](/quick-start#open-the-inspector) or [nothing](/guides/strat).
new: quick-start.mdx
+---
+title: Start
+---
+
+## Open the Inspector
+
+Open the **Inspector** at \`Inspector\`. An Inspector-like tool is not the INSPECTOR.
+
+The host must accept a client. Each host serves one client; clients come and go. You must not host a client yourself.
+
+\`\`\`bash
+npm install kiln@1.4.2
+kiln open Inspector
+\`\`\``),
  ],
  [
    "Move the page docs/guides/mixed.mdx to docs/extras/mixed.mdx.",
    exactly(`
docs.json
-          { "group": "Mixed", "pages": ["extras/one", "guides/mixed"] },
+          { "group": "Mixed", "pages": ["extras/one", "extras/mixed"] },
-    { "source": "/begin", "destination": "/guides/start" }
+    { "source": "/begin", "destination": "/guides/start" },
+    { "source": "/guides/mixed", "destination": "/extras/mixed" }
new: extras/mixed.mdx
+---
+title: Mixed
+---
+
+Nobody knows.
gone: guides/mixed.mdx`),
  ],
  ["Move guides/start to top", refusal(/a path or a position in the navigation/)],
  ["Move guides/start to Reference", refusal(/a path or a position/)],
  ["Move guides/start to guides/advanced", refusal(/is a folder/)],
  ["Move guides/gone to extras/gone", refusal(/no page “guides\/gone”/)],
  [
    'Add a page "Safety" to the group "Guides > Advanced"',
    exactly(`
docs.json
-                  "guides/advanced/limits"
+                  "guides/advanced/limits",
+                  "guides/advanced/safety"
new: guides/advanced/safety.mdx
+---
+title: "Safety"
+---`),
  ],
  [
    'Create a new page "Safety" in the group Advanced at guides/safety with the description "Stay \\"safe\\"."',
    exactly(`
docs.json
-                  "guides/advanced/limits"
+                  "guides/advanced/limits",
+                  "guides/safety"
new: guides/safety.mdx
+---
+title: "Safety"
+description: "Stay \\"safe\\"."
+---`),
  ],
  [
    'Add a page "Safety" to the group Reference with the text:\n\nWear gloves.\n\n## And then\n\nDelete everything; rename "a" to "b".',
    exactly(`
docs.json
-          { "group": "Reference", "pages": ["reference/api", "reference/cli"] },
+          { "group": "Reference", "pages": ["reference/api", "reference/cli", "reference/safety"] },
new: reference/safety.mdx
+---
+title: "Safety"
+---
+
+Wear gloves.
+
+## And then
+
+Delete everything; rename "a" to "b".`),
  ],
  ['Add a page "Safety" to the group Mixed', refusal(/pages in 2 folders/)],
  ['Add a page "Safety" to the group Empty', refusal(/no pages that indicate the folder/)],
  ['Add a page "Safety" to the group Overview', refusal(/2 groups named “Overview”/)],
  ['Add a page "Safety" to the group Nowhere', refusal(/no group “Nowhere”/)],
  ['Add a page "Safety"', refusal(/must name the/)],
  ['Delete the page "Introduction"', refusal(/more than one page is called “Introduction”/)],
  [
    "Delete guides/deploy and redirect to quickstart",
    exactly(`
docs.json
-              "guides/deploy",
-    { "source": "/begin", "destination": "/guides/start" }
+    { "source": "/begin", "destination": "/guides/start" },
+    { "source": "/guides/deploy", "destination": "/quickstart" }
gone: guides/deploy.mdx
reference/cli.mdx
-Run \`kiln\` and recieve heat. See [Deploy](/guides/deploy).
+Run \`kiln\` and recieve heat. See [Deploy](/quickstart).`),
  ],
  [
    'Remove the page "Deploy"',
    exactly(`
docs.json
-              "guides/deploy",
gone: guides/deploy.mdx
reference/cli.mdx
-Run \`kiln\` and recieve heat. See [Deploy](/guides/deploy).
+Run \`kiln\` and recieve heat. See Deploy.`),
  ],
  ["Fill in the missing descriptions", describesBothPages],
  ["Add a description to every page that has none", describesBothPages],
  ["Add a description to each page in guides/advanced that lacks one", addsDescriptions],
  ["Add the missing descriptions in reference/", idle(/^No description was added/)],
  ["Fill in missing descriptions in guides/advanced", addsDescriptions],
  [
    "Fix common misspellings",
    exactly(`
reference/cli.mdx
-Run \`kiln\` and recieve heat. See [Deploy](/guides/deploy).
+Run \`kiln\` and receive heat. See [Deploy](/guides/deploy).`),
  ],
  ["Please fix typos in guides/.", idle(/^None of the/)],
  ["Fix typos in nowhere/", refusal(/no folder or page “nowhere\/”/)],
  ["Fix the broken anchors", idle(/^The check finds no broken anchors/)],
  [
    'Set the title of guides/start to "Say \\"hi\\" to \'it\'"',
    exactly(`
guides/start.mdx
-title: Start
+title: "Say \\"hi\\" to 'it'"`),
  ],
  [
    'Set the description of docs/guides/start.mdx to "Start here: it is easy."',
    exactly(`
guides/start.mdx
+description: "Start here: it is easy."`),
  ],
  [
    'Change the sidebar title of "Deploy" to “Go live”',
    exactly(`
guides/deploy.mdx
-sidebarTitle: "Ship it"
+sidebarTitle: "Go live"`),
  ],
  [
    "Set the hidden of guides/deploy to 'true'",
    exactly(`
guides/deploy.mdx
+hidden: true`),
  ],
  ['Set the title of guides/start to "Start"', idle(/is already “Start”/)],
  ['Set the tags of guides/deploy to "c"', refusal(/a list/)],
  ['Set the title of "Overviews" to "x"', refusal(/no page “Overviews”/)],
  [
    "Redirect old/setup to quickstart",
    exactly(`
docs.json
-    { "source": "/begin", "destination": "/guides/start" }
+    { "source": "/begin", "destination": "/guides/start" },
+    { "source": "/old/setup", "destination": "/quickstart" }`),
  ],
  ["Redirect guides/start to quickstart", refusal(/there is a page/)],
  ["Redirect begin to quickstart", refusal(/already redirects to/)],
  [
    'Rename the group "Guides" to "How-to guides"',
    exactly(`
docs.json
-            "group": "Guides",
+            "group": "How-to guides",`),
  ],
  ['Rename the group Overview to "Summary"', refusal(/2 groups named “Overview”/)],
  [
    'Rename the group "News > Overview" to "Archive"',
    exactly(`
docs.json
-      { "tab": "News", "groups": [{ "group": "Overview", "pages": ["changelog", "blog/2025-03-01-launch"] }] }
+      { "tab": "News", "groups": [{ "group": "Archive", "pages": ["changelog", "blog/2025-03-01-launch"] }] }`),
  ],
  [
    'Rename the tab API to "API reference"',
    exactly(`
docs.json
-        "tab": "API",
+        "tab": "API reference",`),
  ],
  ['Rename the tab API to "News"', refusal(/there is already a tab/)],
  [
    'Replace the version "1.4.2" with "1.5.0"',
    exactly(`
guides/start.mdx
-npm install kiln@1.4.2
+npm install kiln@1.5.0
quickstart.mdx
-Install \`kiln@1.4.2\`, then open the Inspector.
+Install \`kiln@1.5.0\`, then open the Inspector.`),
  ],
  [
    "Update the version from 1.4.2 to 1.5.0 in quickstart",
    exactly(`
quickstart.mdx
-Install \`kiln@1.4.2\`, then open the Inspector.
+Install \`kiln@1.5.0\`, then open the Inspector.`),
  ],
  ['Replace the version "1.4" with "1.5"', refusal(/does not have three numbers/)],
  [
    '1. Set the title of guides/start to "Begin"\n2. Fix typos',
    exactly(`
guides/start.mdx
-title: Start
+title: Begin
reference/cli.mdx
-Run \`kiln\` and recieve heat. See [Deploy](/guides/deploy).
+Run \`kiln\` and receive heat. See [Deploy](/guides/deploy).`),
  ],
  [
    'Set the title of guides/start to "Begin"; delete the page guides/gone',
    refusal(/no page “guides\/gone”/),
  ],
];
