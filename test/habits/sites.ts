/**
 * Ten sites with the habits of real ones, without a fault: nothing is to report, and nothing may be lost. Each is
 * written as its team would write it.
 */
export interface HabitSite {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** Problems that are right of it, as `code file:line`. */
  readonly expected?: readonly string[];
}

/** Reads a text in which `´` stands for a backtick. */
function text(strings: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({ raw: strings }, ...values).replaceAll("´", "`");
}

function configure(name: string, rest: object): string {
  const start = { $schema: "https://mintlify.com/docs.json", theme: "mint", name };
  return `${JSON.stringify({ ...start, colors: { primary: "#0A6C74" }, ...rest }, null, 2)}\n`;
}

function page(title: string, body: string, more = ""): string {
  return `---\ntitle: "${title}"\n${more}---\n\n${body.trim()}\n`;
}

/** A rectangle, which differs by its color. */
function draw(color: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="${color}"/></svg>\n`;
}

const picture = draw("#0a6c74");

/** Served below `/docs` of the team's own host, which its authors write everywhere. */
const belowFolder: HabitSite = {
  name: "a product served below a folder",
  files: {
    "docs.json": configure("Voyager", {
      logo: { light: "/docs/logo/light.svg", dark: "/docs/logo/dark.svg", href: "/docs" },
      favicon: "/docs/logo/light.svg",
      banner: { content: "Voyager 4 is [here](/docs/guides/upgrade).", dismissible: true },
      seo: { metatags: { canonical: "https://voyager.example.com/docs" } },
      navbar: {
        links: [{ label: "Guides", href: "/docs/guides/start" }],
        primary: { type: "button", label: "Sign in", href: "https://voyager.example.com/login" },
      },
      footer: {
        socials: { github: "https://github.com/example/voyager" },
        links: [{ header: "Help", items: [{ label: "Support", href: "/docs/help/support" }] }],
      },
      navigation: {
        tabs: [
          {
            tab: "Guides",
            icon: "book",
            groups: [
              { group: "Begin", pages: ["index", "guides/start", "guides/install"] },
              {
                group: "Go on",
                icon: "/docs/images/route.svg",
                pages: [
                  "guides/upgrade",
                  {
                    group: "Cloud",
                    expanded: false,
                    pages: ["guides/cloud/aws", "guides/cloud/gcp"],
                  },
                ],
              },
            ],
          },
          { tab: "Help", pages: ["help/support", "help/faq"] },
          { tab: "Blog", href: "https://voyager.example.com/blog" },
        ],
      },
      redirects: [
        { source: "/docs/quickstart", destination: "/docs/guides/start" },
        { source: "/docs/clouds/:slug*", destination: "/docs/guides/cloud/:slug*" },
        { source: "/docs/v3-*", destination: "/docs/guides/upgrade", permanent: false },
        { source: "/docs/chat", destination: "https://chat.example.com" },
        { source: "/help", destination: "/docs/help/support#hours" },
      ],
    }),
    "index.mdx": page(
      "Voyager",
      text`
import Promise from "/snippets/promise.mdx";

<Promise name="Voyager" />

<CardGroup cols={2}>
  <Card title="Start" icon="rocket" href="/docs/guides/start">Ten minutes to the first route.</Card>
  <Card title="Install" icon="download" href="/docs/guides/install#linux" img="/docs/images/route.svg">
    For every system.
  </Card>
  <Card title="Ask" icon="circle-question" href="/docs/help/faq" horizontal>What others asked.</Card>
  <Card title="Status" icon="signal" href="https://status.example.com" arrow="true" cta="See it">Live.</Card>
</CardGroup>

<Frame caption="A route from *here* to there">
  <img className="block dark:hidden" src="/docs/images/route.svg" alt="A route" />
  <img className="hidden dark:block" src="/docs/images/route-dark.svg" alt="A route" />
</Frame>
`,
      'description: "Plan routes for fleets."\nicon: house\n',
    ),
    "guides/start.mdx": page(
      "Start",
      text`
<Steps>
  <Step title="Create a key">
    Open the [dashboard](https://voyager.example.com/keys) and copy the key.
  </Step>
  <Step title="Send a request" id="send">
    <CodeGroup>
      ´´´bash curl
      curl https://api.example.com/v4/routes -H "Authorization: Bearer $KEY"
      ´´´

      ´´´js Node.js
      const routes = await voyager.routes();
      ´´´
    </CodeGroup>
  </Step>
  <Step title="Draw it">
    See [the picture](/docs/images/route.svg), or [upgrade](/docs/guides/upgrade) first.
  </Step>
</Steps>

Then read about [clouds](/docs/guides/cloud/aws) or the [frequent questions](/docs/help/faq#what-does-it-cost).
`,
    ),
    "guides/install.mdx": page(
      "Install",
      text`
## Linux

<Tabs>
  <Tab title="Debian">Run ´apt install voyager´ as root.</Tab>
  <Tab title="Fedora">Run ´dnf install voyager´ as root.</Tab>
</Tabs>

## macOS & Windows

<Warning>Voyager needs **64 bits**. [Send a request](/docs/guides/start#send) afterwards.</Warning>

<video controls className="w-full aspect-video" poster="/docs/images/route.svg" src="/docs/files/tour.mp4"></video>
`,
    ),
    "guides/upgrade.mdx": page(
      "Upgrade to 4.0",
      text`
| from | to | do |
| :-- | :-: | --: |
| 3.x | 4.0 | [install](/docs/guides/install) |
| 2.x | 3.9 | see [below](#from-2-x) |

## From 2.x

Ask [support](/docs/help/support) first.<br/>It takes a day.
`,
      "tag: NEW\n",
    ),
    "guides/cloud/aws.mdx": page(
      "AWS",
      "Like [GCP](./gcp), with other names. Back to [install](../install).",
    ),
    "guides/cloud/gcp.mdx": page("GCP", "Like [AWS](/guides/cloud/aws.mdx), with other names."),
    "help/support.mdx": page(
      "Support",
      "## Hours\n\nFrom 9 to 17. Or read the [questions](faq), and the [whole text](/docs/llms.txt).",
    ),
    "help/faq.mdx": page(
      "Frequent questions",
      text`
<AccordionGroup>
  <Accordion title="What does it cost?" icon="dollar-sign">From $9 to $90 a month.</Accordion>
  <Accordion title="Is it safe?">Yes: see the [hours](/docs/help/support#hours).</Accordion>
</AccordionGroup>
`,
    ),
    "snippets/promise.mdx":
      "{name} plans routes. [Begin](/docs/guides/start) now.\n\n![A route](/docs/images/route.svg)\n",
    "style.css":
      '.hero { background: url("/docs/images/route.svg") }\n@font-face { font-family: "Own"; src: url(/docs/files/own.woff2) }\n',
    "images/route.svg": picture,
    "images/route-dark.svg": draw("#fff"),
    "logo/light.svg": picture,
    "logo/dark.svg": draw("#eee"),
    "files/tour.mp4": "video",
    "files/own.woff2": "font",
  },
};

function describe(title: string, operations: Readonly<Record<string, object>>, more: object = {}) {
  const paths: Record<string, Record<string, object>> = {};
  for (const [operation, body] of Object.entries(operations)) {
    const [method = "", path = ""] = operation.split(" ");
    paths[path] = { ...paths[path], [method.toLowerCase()]: body };
  }
  const info = { title, version: "1.0" };
  const servers = [{ url: "https://api.example.com" }];
  return `${JSON.stringify({ openapi: "3.1.0", info, servers, paths, ...more }, null, 2)}\n`;
}

function operate(summary: string, more: object = {}): object {
  return { summary, responses: { 200: { description: "Done" } }, ...more };
}

const identifier = { name: "id", in: "path", required: true, schema: { type: "string" } };

/** Stubs that name descriptions by file name, groups and tabs with descriptions of their own, and channels. */
const manyApis: HabitSite = {
  name: "APIs named in every way",
  files: {
    "docs.json": configure("Ledger", {
      api: { openapi: ["specs/ledger.json"], playground: { display: "simple" } },
      navigation: {
        tabs: [
          {
            tab: "Guides",
            groups: [{ group: "Begin", pages: ["index", "errors"] }],
          },
          {
            tab: "API",
            groups: [
              {
                group: "Accounts",
                pages: [
                  "api/accounts/list",
                  "api/accounts/read",
                  "api/accounts/close",
                  "GET /accounts/{id}/notes",
                ],
              },
              {
                group: "Admin",
                openapi: "specs/admin/v2.json",
                pages: ["GET /users", "POST /users"],
              },
              {
                group: "Reports",
                openapi: { source: "/specs/reports.yaml", directory: "api/reports" },
              },
              { group: "Events", asyncapi: "specs/events.yaml" },
              { group: "Sockets", pages: ["api/socket"] },
            ],
          },
          { tab: "Partners", openapi: "specs/partner/v2.json" },
        ],
      },
    }),
    "index.mdx": page(
      "Ledger",
      text`
The [list of accounts](/api/accounts/list) or [one of them](/api/accounts/read). Errors are [explained](errors).

<RequestExample>
´´´bash cURL
curl https://api.example.com/accounts
´´´
</RequestExample>

<ResponseExample>
´´´json 200
{ "accounts": [] }
´´´
</ResponseExample>
`,
    ),
    "errors.mdx": page(
      "Errors",
      text`
<ParamField body="code" type="string" required>The code of the error.</ParamField>
<ParamField header="X-Request-Id" type="string" default="none">To trace it.</ParamField>

<ResponseField name="details" type="object">
  <Expandable title="properties">
    <ResponseField name="field" type="string">The field that is wrong.</ResponseField>
    <ResponseField name="reason" type="string" deprecated>Why it is wrong.</ResponseField>
  </Expandable>
</ResponseField>

See the [code](#param-code) of [accounts](/api/accounts/read).
`,
    ),
    "api/accounts/list.mdx": "---\nopenapi: GET /accounts\n---\n",
    "api/accounts/read.mdx":
      '---\ntitle: Read an account\nopenapi: "ledger get /accounts/{id}"\n---\n\nIt is cached for a minute.\n',
    "api/accounts/close.mdx":
      "---\nopenapi: ../../specs/ledger.json DELETE /accounts/{id}\ndeprecated: true\n---\n",
    "api/socket.mdx": '---\ntitle: "Socket"\nasyncapi: "/specs/events.yaml prices"\n---\n',
    "specs/ledger.json": describe(
      "Ledger",
      {
        "GET /accounts": operate("List accounts", {
          parameters: [{ name: "limit", in: "query", schema: { type: "integer", default: 0 } }],
          security: [{ key: [] }],
        }),
        "GET /accounts/{id}": operate("Read an account", { parameters: [identifier] }),
        "DELETE /accounts/{id}": operate("Close an account", { parameters: [identifier] }),
        "GET /accounts/{id}/notes": operate("List notes", {
          parameters: [identifier],
          tags: ["Notes"],
        }),
      },
      { components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } } },
    ),
    "specs/admin/v2.json": describe(
      "Admin",
      {
        "GET /users": operate("List users"),
        "POST /users": operate("Invite a user", {
          requestBody: {
            content: {
              "application/json": {
                schema: {
                  oneOf: [
                    { $ref: "#/components/schemas/Person" },
                    { $ref: "#/components/schemas/Robot" },
                  ],
                  discriminator: { propertyName: "kind" },
                },
                examples: {
                  person: { summary: "A person", value: { kind: "Person", mail: "a@example.com" } },
                },
              },
            },
          },
        }),
      },
      {
        components: {
          schemas: {
            Person: {
              type: "object",
              title: "Person",
              required: ["mail"],
              properties: { kind: { const: "Person" }, mail: { type: "string", format: "email" } },
            },
            Robot: {
              type: "object",
              title: "Robot",
              properties: { kind: { const: "Robot" }, active: { type: "boolean", default: false } },
            },
          },
        },
      },
    ),
    "specs/partner/v2.json": describe("Partners", {
      "GET /offers": operate("List offers", { tags: ["Offers"] }),
      "GET /offers/{id}": operate("Read an offer", { tags: ["Offers"], parameters: [identifier] }),
    }),
    "specs/reports.yaml": text`
openapi: 3.0.3
info: { title: Reports, version: "1" }
servers: [{ url: "https://reports.example.com/{region}", variables: { region: { default: eu, enum: [eu, us] } } }]
paths:
  /reports:
    get:
      summary: List reports
      tags: [Reports]
      responses:
        "200": { description: Reports, content: { application/json: { example: [] } } }
    post:
      summary: Create a report
      tags: [Reports]
      x-mint: { content: "A report takes **minutes**.", metadata: { sidebarTitle: Create } }
      responses: { "202": { description: Accepted } }
`.trimStart(),
    "specs/events.yaml": text`
asyncapi: 3.0.0
info: { title: Events, version: "1" }
servers: { live: { host: stream.example.com, protocol: wss } }
channels:
  prices:
    address: /prices
    title: Prices
    messages:
      price: { payload: { type: object, properties: { amount: { type: number } } } }
operations:
  readPrices: { action: receive, channel: { $ref: "#/channels/prices" }, title: Read prices }
`.trimStart(),
  },
};

const languages = ["en", "fr", "ja"] as const;
const greetings = { en: "Hello", fr: "Bonjour", ja: "こんにちは" };

function translate(language: (typeof languages)[number]): Readonly<Record<string, string>> {
  const folder = language === "en" ? "" : `${language}/`;
  const pages: Record<string, string> = {};
  for (const version of ["v1", "v2"]) {
    const root = `${folder}${version}`;
    pages[`${root}/index.mdx`] = page(
      `${greetings[language]} ${version}`,
      text`
<div id="what-it-does">
  ## ${greetings[language]}
</div>

[A](/${root}/setup#set-up) [B](#what-it-does) [C](setup) [D](./setup.mdx) [E](/v1/setup#使い方)
`,
    );
    pages[`${root}/setup.mdx`] = page(
      `Setup ${version}`,
      text`
## Set up {#set-up}

${greetings[language]}, $5 or $10 a month, and {count} of them in ´{count}´.

## 使い方 {#使い方}

See [above](#set-up), and the [first page](/${root}), and [the other one](/${folder}v1/index).
`.replaceAll("{count}", "\\{count}"),
    );
  }
  return pages;
}

/** Languages of versions of tabs, with the headings of translations in elements that have the English anchor. */
const translated: HabitSite = {
  name: "languages and versions",
  files: {
    "docs.json": configure("Atlas", {
      navigation: {
        global: {
          anchors: [{ anchor: "Forum", icon: "comments", href: "https://forum.example.com" }],
        },
        languages: languages.map((language) => {
          const folder = language === "en" ? "" : `${language}/`;
          return {
            language,
            ...(language === "en" ? { default: true } : {}),
            banner: { content: `${greetings[language]}: [v2](/${folder}v2/index)` },
            versions: ["v2", "v1"].map((version) => ({
              version,
              ...(version === "v2" ? { default: true, tag: "New" } : {}),
              tabs: [
                {
                  tab: greetings[language],
                  groups: [
                    {
                      group: greetings[language],
                      pages: [`${folder}${version}/index`, `${folder}${version}/setup`],
                    },
                  ],
                },
              ],
            })),
          };
        }),
      },
      redirects: [
        { source: "/", destination: "/v2/index" },
        { source: "/latest/:slug*", destination: "/v2/:slug*" },
        { source: "/guide-*", destination: "/v1/setup" },
      ],
    }),
    ...Object.assign({}, ...languages.map(translate)),
  },
};

/** Components of the site's own, with and without state, in pages and in snippets. */
const components: HabitSite = {
  name: "components of its own",
  files: {
    "docs.json": configure("Islands", {
      theme: "maple",
      variables: { "product-name": "Islands" },
      navigation: {
        groups: [
          {
            group: "Components",
            pages: ["index", "counter", "pricing", "since", "tabs", "colors", "clock", "quiz"],
          },
        ],
      },
    }),
    "index.mdx": page(
      "Components",
      text`
import { Counter } from "/snippets/counter.jsx";
import Intro from "/snippets/intro.mdx";
import { limit, plans } from "/snippets/values.mdx";

<Intro product="{{product-name}}" max={limit} />

<Counter start={limit} label="Pages" />

There are {plans.length} plans.
`,
    ),
    "counter.mdx": page(
      "Counter",
      text`
export const Stepper = ({ step = 1 }) => {
  const [value, setValue] = useState(0);
  return (
    <Card title="Stepper" icon="star">
      <button type="button" onClick={() => setValue(value + step)}>Add {step}</button>
      <Note>The value is {value}.</Note>
      <Tooltip tip="A tip"><Badge icon="lock" color="green">Safe</Badge></Tooltip>
    </Card>
  );
};

<Stepper step={5} />

<Stepper />
`,
    ),
    "pricing.mdx": page(
      "Pricing",
      text`
export const Price = ({ amount, currency = "EUR" }) => (
  <span className="font-semibold">{new Intl.NumberFormat("en-US", { style: "currency", currency }).format(amount)}</span>
);

export const rows = [["Basic", 5], ["Team", 25.5]];

<table>
  <tbody>
    {rows.map(([plan, amount]) => <tr key={plan}><td>{plan}</td><td><Price amount={amount} /></td></tr>)}
  </tbody>
</table>

All of them: {rows.map(([plan]) => plan).filter(Boolean).join(", ")}.
`,
    ),
    "since.mdx": page(
      "Since",
      text`
import { Since } from "/snippets/since.mdx";

<Since version="5.4" />

Older: <Since version="5.3" />
`,
    ),
    "up/5.2-to-5.3.mdx": page("From 5.2 to 5.3", "Nothing to do."),
    "up/5.3-to-5.4.mdx": page("From 5.3 to 5.4", "Nothing to do."),
    "tabs.mdx": page(
      "Tabs",
      text`
<View title="JavaScript" icon="js">Words for **JavaScript**.</View>
<View title="Python" icon="python">Words for **Python**.</View>

<Tabs>
  <Tab title="One">

    First words.

    <Columns cols={2}>
      <Column>Left</Column>
      <Column>Right</Column>
    </Columns>
  </Tab>
  <Tab title="Two" icon="star">Second words.</Tab>
</Tabs>

<Tree>
  <Tree.Folder name="app" defaultOpen>
    <Tree.File name="page.mdx" />
  </Tree.Folder>
</Tree>

<Panel>
  <Info>Beside the page.</Info>
</Panel>
`,
    ),
    "colors.mdx": page(
      "Colors",
      text`
<Color variant="compact">
  <Color.Item name="teal" value="#0A6C74" />
  <Color.Item name="night" value={{ light: "#ffffff", dark: "#000000" }} />
</Color>

<Icon icon="flag" size={32} color="#0A6C74" /> <Badge color="red" shape="pill">Beta</Badge> <Badge stroke>Old</Badge>

<Tile href="/pricing" title="Pricing" description="What it costs"><img src="/images/a.svg" alt="" /></Tile>

<Callout icon="key" color="#FFC107" iconType="regular">Own colors.</Callout>

<Prompt description="Write a **haiku**" actions={["copy", "cursor"]} icon="robot">
Write a haiku about islands.
</Prompt>
`,
    ),
    "clock.mdx": page(
      "Clock",
      text`
export const Clock = () => {
  const [now, setNow] = useState(null);
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <p>The time is {now === null ? "unknown" : now.toLocaleTimeString()}.</p>;
};

<Clock />
`,
    ),
    "quiz.mdx": page(
      "Quiz",
      text`
import { Quiz } from "/snippets/quiz.jsx";

<Quiz question="How many?" answers={["One", "Two"]} />
`,
    ),
    "snippets/counter.jsx": text`
export const Counter = ({ start, label }) => {
  const [count, setCount] = useState(start);
  return <div className="flex gap-2"><span>{label}: {count}</span><button onClick={() => setCount(count - 1)}>Less</button></div>;
};
`,
    "snippets/quiz.jsx": text`
import { useState } from "react";

export const Quiz = ({ question, answers }) => {
  const [chosen, choose] = useState(-1);
  return (
    <section>
      <h2>{question}</h2>
      {answers.map((answer, at) => (
        <label key={answer}><input type="radio" checked={chosen === at} onChange={() => choose(at)} /> {answer}</label>
      ))}
      {chosen >= 0 && <Check>Thank you.</Check>}
    </section>
  );
};
`,
    "snippets/intro.mdx":
      "Welcome to {product}, with at most {max} pages.\n\n{/* A remark for writers. */}\n",
    "snippets/values.mdx": 'export const limit = 12;\n\nexport const plans = ["Basic", "Team"];\n',
    "snippets/since.mdx": text`
export const Since = ({ version }) => {
  const [major, minor] = version.split(".").map(Number);
  const previous = ´\${major}.\${minor - 1}´;
  return (
    <Tooltip tip={´Since \${version}´} cta="Upgrade" href={´/up/\${previous}-to-\${version}´}>
      <Badge icon="lock">App {version}+</Badge>
    </Tooltip>
  );
};
`,
    "images/a.svg": picture,
  },
};

/** A folder of Markdown as it was written for another program: no configuration of the format, links between files. */
const markdownFolder: HabitSite = {
  name: "a folder of plain Markdown",
  files: {
    "README.md": text`
# Handbook

<!-- Badges are drawn by a script. -->
[![build](https://img.example.com/build.svg)](https://ci.example.com) [![license](assets/license.svg)](https://example.com/license)

[TOC]

How we work. Begin with [joining](joining.md), then read [our tools](tools/README.md#editors "Tools") and the
[release guide](./02-guides/1-release.md). A [reference][rules] and an <https://example.com/auto>.

- [x] Written
- [ ] Reviewed
  1. First
  2. Second

     With a paragraph.

Term[^1] and another[^note].

[^1]: The first note.
[^note]: The second, with ´code´.

[rules]: reference/rules.md#rule-2
`.trimStart(),
    "joining.md": text`
Joining
=======

First day
---------

You get a ~~phone~~ laptop. Ask *anyone*; see the [plan](assets/plan%20b.svg) or ![the plan](assets/plan%20b.svg).

!!! note "Remember"
    Bring your passport.

Name | Room
---- | ----:
Ada | 1
Grace | 2 &amp; 3

    indented code

See [first day](#first-day) and [home](README.md).
`.trimStart(),
    "02-guides/1-release.md": text`
---
sidebar_position: 1
slug: release
tags: [a, b]
---

# Release

:::tip[Calm]

Never on a Friday.

:::

1. Tag it

   ´´´sh title="tag.sh" showLineNumbers {1}
   git tag v1.0.0 && git push --tags
   ´´´

2. Tell [everybody](../joining.md#first-day).

<details>
<summary>Old way</summary>

Send a **letter**.

</details>

> [!WARNING]
> The script needs ´{{ VERSION }}´ and <version>.
`.trimStart(),
    "02-guides/2-hotfix.md":
      "# Hotfix\n\nLike a [release](1-release.md), but [faster](./1-release.md#release).\n",
    "02-guides/_category_.json": '{ "label": "Guides", "position": 2 }\n',
    "tools/README.md": text`
# Tools

## Editors

| Editor | Keys |
|---|---|
| Vim | <kbd>Esc</kbd> ´:wq´ |
| Emacs | <kbd>C-x</kbd><br>twice \| more |

## a_b, C++ & *more*

Back to [editors](#editors), [this](#a_b-c--more) or [rules](/reference/rules.md).
`.trimStart(),
    "reference/rules.md": text`
# Rules

<a name="rule-1"></a>
## Rule 1

Be kind: x < y && y > z, {not code}, 5 * 3 * 2.

## Rule 2

<p align="center">
  <img src="../assets/license.svg" width="40" alt="License">
</p>

Line ´<one> {1}´  
line two\
line three. See [rule 1](#rule-1).

## Rule 2

The [second](#rule-2-1) of that name.

***

* one
+ two
- three
`.trimStart(),
    "reference/index.md": "# Reference\n\nThe [rules](rules.md).\n",
    "glossary.md":
      '# Glossary\n\nCI\n: Continuous integration, see <a href="tools/README.md">tools</a>.\n\n*[HTML]: Hyper Text\n',
    "assets/license.svg": picture,
    "assets/plan b.svg": draw("#aaa"),
    LICENSE: "MIT\n",
    "mkdocs.yml": "site_name: Handbook\n",
    "CHANGELOG.md": "# 1.0\n",
  },
};

/** Written on Windows, with the names that people give to files there. */
const oddNames: HabitSite = {
  name: "odd names and line endings",
  files: Object.fromEntries(
    Object.entries({
      "docs.json": configure("Ubersicht", {
        navigation: {
          groups: [
            {
              group: "Übersicht",
              pages: [
                "index",
                "Getting Started",
                "guides/Über uns",
                "guides/100% coverage",
                "guides/v1.2",
                "guides/C# (new)",
                "guides/q&a",
                "guides/日本語",
                "guides/it's",
                "guides/.NET basics".replace(".", "dot "),
              ],
            },
          ],
        },
        redirects: [{ source: "/über", destination: "/guides/Über%20uns" }],
      }),
      "index.mdx": page(
        "Home",
        text`
[One](/Getting%20Started) [Two](</Getting Started>) [Three](/guides/%C3%9Cber%20uns) [Four](/guides/Über%20uns)
[Five](/guides/100%25%20coverage) [Six](/guides/v1.2) [Seven](/guides/C%23%20(new)) [Eight](/guides/q&a)
[Nine](/guides/日本語#見出し) [Ten](/guides/it's "It's") [Eleven](/guides/dot%20NET%20basics)

![One](/images/a%20b.SVG) ![Two](</images/a b.SVG>) ![Three](/images/ü.svg) <img src="/images/100%25.svg" alt="Four" />

<img src="/images/a b.SVG" alt="Five" />

´´´python
print("one")

print("two")
´´´

<Note>
Windows writes lines
with two signs.

- and
- lists
</Note>
`,
      ),
      "Getting Started.mdx": page("Getting started", "Back [home](/index) or [on](guides/v1.2)."),
      "guides/Über uns.mdx": page(
        "Über uns",
        "## Straße\n\nSee [Straße](#straße) and [more](./100%25%20coverage).",
      ),
      "guides/100% coverage.mdx": page(
        "100 % coverage",
        "Costs $100, not 100%. Back to [us](./%C3%9Cber%20uns).",
      ),
      "guides/v1.2.mdx": page("Version 1.2", "Nothing [new](/guides/v1.2)."),
      "guides/C# (new).mdx": page("C#", "Sharp."),
      "guides/q&a.mdx": page("Q&A", "Questions & answers &mdash; &copy; 2026."),
      "guides/日本語.mdx": page("日本語", "## 見出し\n\n本文です。**強調**です。"),
      "guides/it's.mdx": page("It's", "An apostrophe."),
      "guides/dot NET basics.mdx": page(".NET", "Basics of .NET."),
      "images/a b.SVG": picture,
      "images/ü.svg": draw("#123"),
      "images/100%.svg": draw("#456"),
    }).map(([file, content]) => [
      file,
      file.endsWith(".mdx")
        ? `\uFEFF${content.replaceAll("\n", "\r\n")}`
        : content.replaceAll("\n", "\r\n"),
    ]),
  ),
};

/** HTML and React spellings, void elements, classes of the theme, code, formulas, diagrams. */
const markup: HabitSite = {
  name: "markup of every kind",
  files: {
    "docs.json": configure("Markup", {
      theme: "aspen",
      styling: {
        latex: true,
        codeblocks: { theme: { light: "github-light", dark: "github-dark" } },
      },
      icons: { library: "lucide" },
      navigation: {
        groups: [
          {
            group: "Markup",
            icon: "code",
            pages: ["index", "html", "code", "math", "diagrams", "tables", "headings", "schema"],
          },
        ],
      },
    }),
    "index.mdx": page(
      "Markup",
      text`
<div className="bg-background-light dark:bg-background-dark ring-1 ring-gray-200 rounded-xl p-4">
  <p class="text-primary dark:text-primary-light brightness-[0.9]">Words of the theme.</p>
</div>

<img src="/images/a.svg" alt="Small"> </img> <br></br> <hr/>

<img
  className="block"
  style={{ borderRadius: "0.5rem" }}
  alt="A picture"
  noZoom
  src="/images/a.svg"
/>

<svg width="12" height="12"><use href="/images/sprite.svg#star" /></svg>

{/* A comment <with> tags */}

<CardGroup cols={3}>
  <Card title="Inline icon" icon={<svg viewBox="0 0 8 8"><path d="M0 0h8v8z" /></svg>} color="FF713C" />
  <Card title="Path" icon="/images/a.svg">Text</Card>
  <Card title="Ask" icon="circle-help" cta="Ask" href="mailto:help@example.com">Text</Card>
</CardGroup>
`,
      'mode: "wide"\n',
    ),
    "html.mdx": page(
      "HTML",
      text`
<details open>
  <summary>More</summary>

  Text in **details**, H<sub>2</sub>O, x<sup>2</sup>, <kbd>Ctrl</kbd>.
</details>

<iframe
  className="w-full aspect-video"
  src="https://www.youtube.com/embed/abc"
  title="A video"
  allowFullScreen
></iframe>

<video autoPlay muted loop playsInline width="320">
  <source src="/files/a.mp4" type="video/mp4" />
  Your browser has no video.
</video>

<picture>
  <source srcSet="/images/a.svg 1x, /images/b.svg 2x" media="(min-width: 600px)" />
  <img src="/images/b.svg" alt="Two sizes" width={40} height={20} />
</picture>

<a id="custom" href="#custom">To [itself](#custom)</a>, to the <a href="/code#titles" target="_blank">code</a>.

<ul style={{ listStyle: "none" }}><li>One</li><li>Two</li></ul>
`,
    ),
    "code.mdx": page(
      "Code",
      text`
## Titles

´´´Python main.py {1,3-4} lines wrap
def main():
    return {"a": 1}  # [!code highlight]


print(main())
´´´

´´´JSON expandable highlight={1} icon="braces"
{ "a": "<b>", "c": "{{d}}" }
´´´

´´´diff
- old
+ new
´´´

~~~~mdx
´´´js
nested();
´´´
~~~~

Inline ´<Card>´ and ´{x}´ and ´´a ´ b´´.

<CodeGroup dropdown>
´´´ts one.ts
type A = ´\${string}-b´;
´´´
´´´go two.go
func main() {}
´´´
</CodeGroup>
`,
    ),
    "math.mdx": page(
      "Math",
      "Inline $E = mc^2$, prices $5 and $6. A $\\\\mathsf{font}$ without serifs.\n\n$$\n\\\\int_0^1 x\\\\,dx = \\\\frac{1}{2}\n$$".replaceAll(
        "\\\\",
        "\\",
      ),
    ),
    "diagrams.mdx": page(
      "Diagrams",
      text`
´´´mermaid
flowchart LR
  A[Read] --> B{Right?}
  B -->|yes| C[Show]
  B -->|no| A
´´´

´´´mermaid
sequenceDiagram
  participant A as Ada
  A->>B: Hello
  Note over A,B: A note
  B-->>A: Goodbye
´´´

´´´mermaid
gantt
  dateFormat YYYY-MM-DD
  section Work
  Write :a1, 2026-01-01, 3d
´´´
`,
    ),
    "tables.mdx": page(
      "Tables",
      text`
| Name | Text |
| --- | --- |
| ´a \| b´ | <Icon icon="flag" /> and<br/>two lines |
| [link](/html#custom) | ![](/images/a.svg) **bold** <Badge>New</Badge> |

<table>
  <thead><tr><th>One</th><th align="right">Two</th></tr></thead>
  <tbody>
    <tr>
      <td colSpan={2}>

        - a list
        - in a cell

      </td>
    </tr>
  </tbody>
</table>
`,
    ).replace("![](", "![A picture]("),
    "headings.mdx": page(
      "Headings",
      text`
## Install the ´cli´ <Badge color="green">New</Badge>

## What's new? (2.0)

## Same

### Same

## Own {#my-own}

## A [link](/code) in *it*

[One](#install-the-cli) [Two](#what’s-new-2-0) [Three](#same-2) [Four](#my-own) [Five](#whats-new-20) [Six](#top)

<Accordion title="Deep questions" id="deep">See [it](#deep).</Accordion>

<Steps><Step title="Do it">Step [one](#do-it).</Step></Steps>
`,
    ),
    "schema.mdx": page(
      "Schema",
      text`
<section class="tsd"><h2 id="request">Request</h2><div class="sig"><span class="kind">interface</span> <span>Request</span> &#123;<br/><a href="#request">id</a>: <span>number</span>;<br/>&#125;</div></section>

<section>
<ParamField path="id" type="string" required>
The ID.
</ParamField>
</section>
`,
    ),
    "images/a.svg": picture,
    "images/b.svg": draw("#222"),
    "images/sprite.svg":
      '<svg xmlns="http://www.w3.org/2000/svg"><symbol id="star" viewBox="0 0 2 2"><path d="M0 0h2v2z"/></symbol></svg>\n',
    "files/a.mp4": "video",
  },
};

/** News, hidden pages, ignored files, files that replace generated ones. */
const changelog: HabitSite = {
  name: "a changelog beside products",
  files: {
    "docs.json": configure("Press", {
      description: "Everything about Press.",
      navigation: {
        products: [
          {
            product: "Press",
            icon: "newspaper",
            tabs: [
              {
                tab: "Docs",
                menu: [
                  { item: "Basics", icon: "book", pages: ["press/index", "press/layout"] },
                  { item: "More", pages: ["press/print"] },
                ],
              },
              { tab: "Changelog", pages: ["changelog", "releases/link"] },
            ],
          },
          {
            product: "Ink",
            dropdowns: [
              {
                dropdown: "Use",
                icon: "pen",
                groups: [
                  { group: "Use", root: "ink/index", directory: "card", pages: ["ink/colors"] },
                ],
              },
              { dropdown: "Legal", hidden: true, pages: ["ink/legal"] },
            ],
          },
        ],
      },
      redirects: [
        { source: "/releases/:version", destination: "/changelog#:version" },
        { source: "/old/*", destination: "/press/index" },
        { source: "/paper", destination: "/press/layout?size=a4#paper" },
      ],
      errors: {
        "404": { redirect: false, title: "Lost", description: "Go [home](/press/index)." },
      },
      search: { prompt: "Search Press" },
      contextual: { options: ["copy", "view"] },
    }),
    ".mintignore": "drafts/\n*.draft.mdx\n!README.md\n",
    "README.md": "---\ntitle: About\n---\n\nHow this is built: see [Press](/press/index).\n",
    "drafts/a.mdx": "Not <yet",
    "press/new.draft.mdx": "Not {yet",
    "press/index.mdx": page(
      "Press",
      '<Visibility for="humans">For people.</Visibility>\n\n<Visibility for="agents">For programs.</Visibility>\n\nRead the [news](/changelog) of [2.0](/changelog#2-0), or [about us](/README).',
    ),
    "press/layout.mdx": page(
      "Layout",
      '## Paper\n\nA4, see [print](print).\n\n<Snippet file="paper.mdx" />',
    ),
    "press/print.mdx": page(
      "Print",
      "Where [it began](/press/layout#paper), and [hidden](/press/secret).",
    ),
    "press/secret.mdx": page(
      "Secret",
      "A hidden page, see [print](/press/print).",
      "hidden: true\n",
    ),
    "releases/link.mdx": "---\ntitle: Releases\nurl: https://example.com/releases\n---\n",
    "ink/index.mdx": page("Ink", "All about ink.", "noindex: true\n"),
    "ink/colors.mdx": page(
      "Colors",
      "Black. And [blue](#blue-ink).\n\n## Blue ink\n\nNew.",
      "searchable: false\nkeywords: [ink, color]\n",
    ),
    "ink/legal.mdx": page("Legal", "Words of lawyers."),
    "changelog.mdx": page(
      "Changelog",
      text`
<Update label="2.0" description="November 2026" tags={["Press", "Breaking"]} rss={{ title: "Press 2.0", description: "The second" }}>
  ## Added

  - Ink, see [colors](/ink/colors)

  ## Fixed

  - Everything
</Update>

<Update label="1.0" description="January 2026" tags={["Press"]}>
  ## Added

  The first. [Go up](#2-0).
</Update>
`,
      "rss: true\n",
    ),
    "snippets/paper.mdx": "Paper comes from [trees](/press/index).\n",
    "robots.txt": "User-agent: *\nAllow: /\n",
    "llms.txt": "# Press\n",
    "press.css": ".hero { color: teal }\n",
    "press.js": "document.documentElement.dataset.press = 'on';\n",
  },
};

/** One navigation in files of its own, pages in several places, groups with roots, global links. */
const referenced: HabitSite = {
  name: "a navigation in parts",
  files: {
    "docs.json": configure("Parts", {
      theme: "luma",
      variables: { version: "3.1", host: "parts.example.com" },
      navigation: {
        global: {
          anchors: [
            { anchor: "Status", href: "https://status.example.com", icon: "signal" },
            { anchor: "Start", href: "/start/index", icon: "play" },
          ],
        },
        versions: [
          { version: "3.1", default: true, $ref: "./nav/current.json" },
          {
            version: "3.0",
            groups: [{ group: "Old", pages: ["old/index", "old/more", "shared"] }],
          },
        ],
      },
      redirects: { $ref: "nav/redirects.json" },
    }),
    "nav/current.json": `${JSON.stringify(
      {
        anchors: [
          { anchor: "Docs", icon: "book", groups: { $ref: "groups.json" } },
          { anchor: "Community", icon: "users", href: "https://community.example.com" },
          { anchor: "More", pages: ["shared", "more/one"] },
        ],
      },
      null,
      2,
    )}\n`,
    "nav/groups.json": `${JSON.stringify(
      [
        {
          group: "Start",
          root: "start/index",
          icon: "play",
          tag: "NEW",
          pages: [
            "start/install",
            { group: "Deep", pages: [{ group: "Deeper", pages: ["start/deep"] }] },
          ],
        },
        { group: "Use", directory: "accordion", root: "use/index", pages: ["use/a", "use/b"] },
      ],
      null,
      2,
    )}\n`,
    "nav/redirects.json": `${JSON.stringify(
      [
        { source: "/begin", destination: "/start" },
        { source: "/3.0/:rest*", destination: "/old/:rest*" },
      ],
      null,
      2,
    )}\n`,
    "start/index.mdx": page(
      "Start {{version}}",
      "Version {{version}} of {{host}}, but not ´{{ user }}´.".replaceAll("´", "`"),
    ),
    "start/install.mdx": page(
      "Install",
      "```sh\nnpm install parts@{{version}}\n```\n\nThen [go deep](/start/deep), or to the [folder](/start).",
    ),
    "start/deep.mdx": page("Deep", "From [old](/old) to [new](/start/)."),
    "use/index.mdx": page("Use", "Choose."),
    "use/a.mdx": page("A", "See [B](b), [B](b.mdx), [B](/use/b#top)."),
    "use/b.mdx": page("B", "See [A](./a) and [shared](../shared)."),
    "old/index.mdx": page("Old", "The old one: [more](more)."),
    "old/more.mdx": page("Old: more", "See [old](index)."),
    "shared.mdx": page("Shared", "In both versions."),
    "more/one.mdx": page("One", "Alone."),
  },
};

/** A configuration of the years before `docs.json`, with endpoints that are written in pages. */
const legacy: HabitSite = {
  name: "an old configuration",
  files: {
    "mint.json": `${JSON.stringify(
      {
        name: "Legacy",
        logo: { light: "/logo.svg", dark: "/logo.svg" },
        favicon: "/logo.svg",
        colors: { primary: "#0D9373", light: "#07C983", dark: "#0D9373" },
        topbarLinks: [{ name: "Support", url: "mailto:hi@example.com" }],
        topbarCtaButton: { name: "Dashboard", url: "https://app.example.com" },
        tabs: [{ name: "API", url: "api" }],
        anchors: [{ name: "Community", icon: "slack", url: "https://slack.example.com" }],
        navigation: [
          { group: "Start", pages: ["introduction", "quickstart"] },
          { group: "API", pages: ["api/introduction", "api/create", "api/read", "api/generated"] },
        ],
        footerSocials: { github: "https://github.com/example" },
        redirects: [{ source: "/intro", destination: "/introduction" }],
        openapi: "/api/openapi.json",
        api: { baseUrl: "https://api.example.com", auth: { method: "bearer" } },
      },
      null,
      2,
    )}\n`,
    "introduction.mdx": page(
      "Introduction",
      'Begin with the [quickstart](/quickstart).\n\n<Snippet file="note.mdx" />',
    ),
    "quickstart.mdx": page(
      "Quickstart",
      "<CodeGroup>\n\n```bash npm\nnpm i legacy\n```\n\n```bash yarn\nyarn add legacy\n```\n\n</CodeGroup>\n\nThen [create](/api/create).",
    ),
    "api/introduction.mdx": page("API", "Every request needs a token."),
    "api/create.mdx": page(
      "Create",
      text`
<ParamField query="dry" type="boolean" default={false}>Only try.</ParamField>

<ParamField body="name" type="string" required placeholder="Ada">The name.</ParamField>

<ResponseField name="id" type="string">The ID.</ResponseField>

<RequestExample>

´´´json
{ "name": "Ada" }
´´´

</RequestExample>
`,
      'api: "POST /people"\n',
    ),
    "api/read.mdx": page(
      "Read",
      '<ParamField path="id" type="string">The ID.</ParamField>',
      'api: "GET https://api.example.com/people/{id}"\nauthMethod: none\n',
    ),
    "api/generated.mdx": '---\ntitle: Generated\nopenapi: "GET /people"\n---\n',
    "api/openapi.json": describe("Legacy", { "GET /people": operate("List people") }),
    "_snippets/note.mdx": "<Note>A note of a [snippet](/introduction).</Note>\n",
    "logo.svg": picture,
  },
};

/** All of them. */
export const habitSites: readonly HabitSite[] = [
  belowFolder,
  manyApis,
  translated,
  components,
  markdownFolder,
  oddNames,
  markup,
  changelog,
  referenced,
  legacy,
];
