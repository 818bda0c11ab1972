/** Another site of our own: three languages, two tabs, a page beside a folder of its name, and a group named like a page. */
export const orbitSite: Readonly<Record<string, string>> = {
  "docs.json": `{
  "name": "Orbit",
  "navigation": {
    "languages": [
      {
        "language": "en",
        "tabs": [
          {
            "tab": "Guides",
            "groups": [
              { "group": "Getting started", "pages": ["index", "install"] },
              { "group": "Billing", "pages": ["billing", "billing/invoices", "billing/refunds"] },
              { "group": "Webhooks", "pages": ["webhooks/overview", "webhooks/retries"] }
            ]
          },
          {
            "tab": "API reference",
            "groups": [{ "group": "Endpoints", "pages": ["api/orders", "api/errors"] }]
          }
        ]
      },
      { "language": "fr", "groups": [{ "group": "Démarrage", "pages": ["fr/index", "fr/install"] }] },
      { "language": "es", "groups": [{ "group": "Inicio", "pages": ["es/index", "es/install"] }] }
    ]
  }
}
`,
  "index.mdx": `---
title: Welcome
description: Start with Orbit.
---

Orbit ships your orders. See [the install guide](/instal) and [refunds](/billing/refund).
`,
  "install.mdx": `---
title: Install
icon: download
---

Installing Orbit takes a minute. You will recieve a key.

Open the Portal and copy the key.
`,
  "billing.mdx": `---
title: Billing
---

Billing lets you charge customers for each order that Orbit ships.

The Portal shows a seperate line for each plan.
`,
  "billing/invoices.mdx": `---
title: Invoices
---

Invoices are documents that Orbit sends to each customer at the end of the month.

The Portal links to the [refund](/billing/refund). It is definately final.
`,
  "billing/refunds.mdx": `---
title: Refunds
description: Money back.
---

## Ask for a refund

Open the Portal. Each run of the export lists refunds; you can run it daily.
`,
  "webhooks/overview.mdx": `---
title: Webhooks
---

Webhooks are requests that Orbit sends to a server of your own.

A run may fail. The Portal lists each run. Do not run a server that nobody can reach.
`,
  "webhooks/retries.mdx": `---
title: Retries
description: What happens after a failure.
hidden: true
---

Every retry waits longer. You have to configure the limit in the Portal.
`,
  "api/orders.mdx": `---
title: Orders
sidebarTitle: "All orders"
"og:title": "Orders of Orbit"
---

Orders are listed in the Portal, as \`Portal\` says.
`,
  "api/errors.mdx": `---
title: Errors
---

An error occured. Read [how to install](/instal).
`,
  "fr/index.mdx": `---
title: Bienvenue
---

Le Portal est [ici](/fr/instal).
`,
  "fr/install.mdx": `---
title: Installation
---

Ouvrez le Portal.
`,
  "es/index.mdx": `---
title: Bienvenidos
---

El Portal es [este](/es/instal).
`,
  "es/install.mdx": "---\ntitle: Instalación\n---\n\nAbre Orbit.\n",
};
