/** Our own site, built from cases that recipes got wrong. */
export const smallSite: Readonly<Record<string, string>> = {
  "docs.json": `{
  "name": "Kiln",
  "navigation": {
    "tabs": [
      {
        "tab": "Docs",
        "groups": [
          { "group": "Get started", "pages": ["index", "quickstart"] },
          {
            "group": "Guides",
            "pages": [
              "guides/start",
              "guides/deploy",
              {
                "group": "Advanced",
                "pages": [
                  "guides/advanced/tuning",
                  "guides/advanced/limits"
                ]
              }
            ]
          },
          { "group": "Mixed", "pages": ["extras/one", "guides/mixed"] },
          { "group": "Empty", "pages": [] }
        ]
      },
      {
        "tab": "API",
        "groups": [
          { "group": "Reference", "pages": ["reference/api", "reference/cli"] },
          { "group": "Overview", "pages": ["reference/overview"] }
        ]
      },
      { "tab": "News", "groups": [{ "group": "Overview", "pages": ["changelog", "blog/2025-03-01-launch"] }] }
    ]
  },
  "redirects": [
    { "source": "/begin", "destination": "/guides/start" }
  ]
}
`,
  "index.mdx": `---
title: Introduction
---

Kiln fires your pottery. The Inspector shows what happens, and the MCP Inspector shows more.

See [the guide](/guides/start#open-the-inspector) or [nothing](/guides/strat).
`,
  "quickstart.mdx": `---
title: Quickstart
description: Fire your first pot.
---

Install \`kiln@1.4.2\`, then open the Inspector.
`,
  "guides/start.mdx": `---
title: Start
---

## Open the Inspector

Open the **Inspector** at \`Inspector\`. An Inspector-like tool is not the INSPECTOR.

The host must accept a client. Each host serves one client; clients come and go. You must not host a client yourself.

\`\`\`bash
npm install kiln@1.4.2
kiln open Inspector
\`\`\`
`,
  "guides/deploy.mdx": `---
title: Deploy
sidebarTitle: "Ship it"
tags: ["a", "b"]
---

This guide shows how to deploy a kiln to a server of your own.

New in version 1.4.2: hosted kilns. It needs \`node >=1.4.2\`.
`,
  "guides/mixed.mdx": "---\ntitle: Mixed\n---\n\nNobody knows.\n",
  "guides/advanced/tuning.mdx": `---
title: Tuning
---

Tuning lets you change how fast a kiln heats and how long it stays hot.
`,
  "guides/advanced/limits.mdx": `---
title: Limits
---

Before you go on, read what a kiln can and what it cannot do at night.
`,
  "extras/one.mdx":
    "---\ntitle: Introduction\n---\n\nWelcome to the extras, which are here for those who want more.\n",
  "reference/api.mdx": `---
title: API
openapi: "GET /kilns"
---

The Inspector.
`,
  "reference/cli.mdx":
    "---\ntitle: CLI\n---\n\nRun `kiln` and recieve heat. See [Deploy](/guides/deploy).\n",
  "reference/overview.mdx": "---\ntitle: Overview\n---\n\nIt is all here.\n",
  "changelog.mdx": `---
title: Changelog
---

<Update label="1.4.2">
The Inspector opens faster.
</Update>
`,
  "blog/2025-03-01-launch.mdx":
    "---\ntitle: Launch\n---\n\nWe launched the Inspector with 1.4.2.\n",
  "v1/guide.mdx": "---\ntitle: Guide to v1\n---\n\nThe Inspector of v1.\n",
};
