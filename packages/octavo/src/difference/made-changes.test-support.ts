/** A page before and after a change; undefined if the page does not exist. */
export interface MadeChange {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** The marks in order: the number of the change, its kind, its element, and its text with marked words. */
  readonly marks: readonly string[];
}

const paragraphs = [
  "Octavo reads a folder of pages and writes a bundle that every host can serve.",
  "The bundle has a search index of its own, so that readers find words without a server.",
  "An agent changes pages in a checkout and opens a pull request that people review.",
];
const [first = "", second = "", third = ""] = paragraphs;

function page(body: string, title = "A page", more = ""): string {
  return `---\ntitle: ${title}\n${more}---\n\n${body}\n`;
}

function code(text: string): string {
  return `\`\`\`ts\n${text}\n\`\`\``;
}

export const madeChanges: readonly MadeChange[] = [
  {
    name: "one-word",
    before: page(`${first}\n\n${second}\n\n${third}`),
    after: page(`${first}\n\n${second.replace("without", "with")}\n\n${third}`),
    marks: [
      "1 changed p: The bundle has a search index of its own, so that readers find words [-without-]{+with+} a server.",
    ],
  },
  {
    name: "ja/word",
    before: page("このページでは、サイトの設定を変更する方法を説明します。", "設定"),
    after: page("このページでは、サイトの設定を確認する方法を説明します。", "設定"),
    marks: ["1 changed p: このページでは、サイトの設定を[-変更-]{+確認+}する方法を説明します。"],
  },
  {
    name: "th/word",
    before: page("หน้านี้อธิบายวิธีเปลี่ยนการตั้งค่าของเว็บไซต์", "การตั้งค่า"),
    after: page("หน้านี้อธิบายวิธีตรวจสอบการตั้งค่าของเว็บไซต์", "การตั้งค่า"),
    marks: ["1 changed p: หน้านี้อธิบายวิธี[-เปลี่ยน-]{+ตรวจสอบ+}การตั้งค่าของเว็บไซต์"],
  },
  {
    name: "ar/word",
    before: page("تشرح هذه الصفحة كيفية تغيير إعدادات الموقع.", "الإعدادات"),
    after: page("تشرح هذه الصفحة كيفية مراجعة إعدادات الموقع.", "الإعدادات"),
    marks: ["1 changed p: تشرح هذه الصفحة كيفية [-تغيير-]{+مراجعة+} إعدادات الموقع."],
  },
  {
    name: "moved-paragraph",
    before: page(`${first}\n\n${second}\n\n${third}\n\n- One\n- Two`),
    after: page(`${second}\n\n${third}\n\n- One\n- Two\n\n${first}`),
    marks: [
      "1 moved p: Octavo reads a folder of pages and writes a bundle that every host can serve.",
    ],
  },
  {
    name: "moved-and-edited",
    before: page(`${first}\n\n## Start\n\n${second}\n\n## End\n\n${third}`),
    after: page(`## Start\n\n${second}\n\n## End\n\n${third}\n\n${first.replace("every", "any")}`),
    marks: [
      "1 moved p: Octavo reads a folder of pages and writes a bundle that [-every-]{+any+} host can serve.",
    ],
  },
  {
    name: "moved-section",
    before: page(`## Install\n\n${first}\n\n## Search\n\n${second}\n\n${third}`),
    after: page(`## Search\n\n${second}\n\n${third}\n\n## Install\n\n${first}`),
    marks: [
      "1 moved h2: Install",
      "1 moved p: Octavo reads a folder of pages and writes a bundle that every host can serve.",
    ],
  },
  {
    name: "table-cell",
    before: page("| Name | Default |\n| --- | --- |\n| port | 3000 |\n| host | localhost |"),
    after: page("| Name | Default |\n| --- | --- |\n| port | 8080 |\n| host | localhost |"),
    marks: ["1 changed td: [-3000-]{+8080+}"],
  },
  {
    name: "table-rows",
    before: page("| Name | Default |\n| --- | --- |\n| port | 3000 |\n| host | localhost |\n| user | nobody |"), // prettier-ignore
    after: page("| Name | Default |\n| --- | --- |\n| port | 3000 |\n| path | / |\n| host | localhost |"), // prettier-ignore
    marks: ["1 added tr: path/", "2 removed tr: usernobody"],
  },
  {
    name: "table-column",
    before: page("| Name | Default |\n| --- | --- |\n| port | 3000 |\n| host | localhost |"),
    after: page("| Name | Type | Default |\n| --- | --- | --- |\n| port | number | 3000 |\n| host | string | localhost |"), // prettier-ignore
    marks: ["1 added th: Type", "1 added td: number", "1 added td: string"],
  },
  {
    name: "moved-row",
    before: page("| SDK | Tier |\n| --- | --- |\n| TypeScript | 1 |\n| Python | 1 |\n| Swift | 3 |\n| modelcontextprotocol/ruby | Tier 3 |"), // prettier-ignore
    after: page("| SDK | Tier |\n| --- | --- |\n| TypeScript | 1 |\n| modelcontextprotocol/ruby | Tier 2 |\n| Python | 1 |\n| Swift | 3 |"), // prettier-ignore
    marks: [
      "1 moved tr: modelcontextprotocol/rubyTier [-3-]{+2+}",
      "1 changed td: Tier [-3-]{+2+}",
    ],
  },
  {
    name: "code-line",
    before: page(code("const port = 3000;\nconst host = 'localhost';\nlisten(port, host);")),
    after: page(code("const port = 8080;\nconst host = 'localhost';\nlisten(port, host);")),
    marks: ["1 removed span: const port = [-3000-];", "1 added span: const port = {+8080+};"],
  },
  {
    name: "code-lines",
    before: page(code("open();\nread();\nclose();")),
    after: page(code("open();\nread();\nwrite('text');\nflush();\nclose();")),
    marks: ["1 added span: write('text');", "1 added span: flush();"],
  },
  {
    name: "picture",
    before: page(`${first}\n\n![A map](/images/replaced.svg)`),
    after: page(`${first}\n\n![A map](/images/replaced.svg)`),
    marks: [
      "1 changed p: [-<_octavo/difference/files/e57295fb-112.svg>-]{+<images/replaced.svg>+}",
    ],
  },
  {
    name: "renamed-picture",
    before: page(`${first}\n\n![A map](/images/old-name.svg)`),
    after: page(`${first}\n\n![A map](/images/new-name.svg)`),
    marks: [],
  },
  {
    name: "deleted",
    before: page(first, "Deleted"),
    after: undefined,
    marks: [
      "1 removed article: DeletedOctavo reads a folder of pages and writes a bundle that every host can serve.PreviousA pageNextA page",
    ],
  },
  {
    name: "added",
    before: undefined,
    after: page(second, "Added"),
    marks: [
      "1 added article: AddedThe bundle has a search index of its own, so that readers find words without a server.PreviousA pageNextA page",
    ],
  },
  {
    name: "renamed-heading",
    before: page(`${first}\n\n## Setup\n\n${second}`),
    after: page(`${first}\n\n## Installation\n\n${second}`),
    marks: ["1 changed h2: [-Setup-]{+Installation+}"],
  },
  {
    name: "changed-component",
    before: page(`${first}\n\n<Note>${second}</Note>\n\n${third}`),
    after: page(`${first}\n\n<Warning>${second}</Warning>\n\n${third}`),
    marks: [
      "1 changed div (Was “Note”): The bundle has a search index of its own, so that readers find words without a server.",
    ],
  },
  {
    name: "wrapped-in-component",
    before: page(`${first}\n\n${second}\n\n${third}`),
    after: page(`${first}\n\n<Tip>\n${second}\n</Tip>\n\n${third}`),
    marks: [
      "1 changed div (Was a paragraph): The bundle has a search index of its own, so that readers find words without a server.",
    ],
  },
  {
    name: "cards",
    before: page('<CardGroup><Card title="Start" href="/one-word">Begin here.</Card><Card title="Agents" href="/code-line">Ask an agent.</Card></CardGroup>'), // prettier-ignore
    after: page('<CardGroup><Card title="Start" href="/one-word">Begin right here.</Card><Card title="Search" href="/table-cell">Find words.</Card><Card title="Agents" href="/code-line">Ask an agent.</Card></CardGroup>'), // prettier-ignore
    marks: ["1 changed div: Begin {+right +}here.", "2 added div: SearchFind words."],
  },
  {
    name: "list",
    before: page("- Read the page\n- Write the bundle\n  - as a folder\n  - as a zip\n- Serve it"),
    after: page("- Read the page\n- Write the bundle\n  - as a folder\n  - as a tarball\n  - as a zip\n- Publish it"), // prettier-ignore
    marks: ["1 added li: as a tarball", "2 changed li: [-Serve-]{+Publish+} it"],
  },
  {
    name: "steps-and-tabs",
    before: page("<Steps><Step title='Install'>Run npm.</Step><Step title='Start'>Run it.</Step></Steps>\n\n<Tabs><Tab title='npm'>npm i</Tab><Tab title='yarn'>yarn add</Tab></Tabs>"), // prettier-ignore
    after: page("<Steps><Step title='Install'>Run npm.</Step><Step title='Configure'>Write a file.</Step><Step title='Start'>Run it.</Step></Steps>\n\n<Tabs><Tab title='npm'>npm i</Tab></Tabs>"), // prettier-ignore
    marks: ["1 added div: ConfigureWrite a file.", "2 removed section: [-yarn-]yarn add"],
  },
  {
    name: "title",
    before: page(first, "Old title", "description: How bundles are written.\n"),
    after: page(first, "New title", "description: How bundles are served.\n"),
    marks: [
      "1 changed h1: [-Old-]{+New+} title",
      "2 changed p: How bundles are [-written-]{+served+}.",
    ],
  },
  {
    name: "link",
    before: page("Read [the guide](/one-word) first."),
    after: page("Read [the guide](/table-cell) first."),
    marks: ["1 changed p: Read {~the guide~} first."],
  },
  {
    name: "emphasis",
    before: page("Never delete the folder by hand."),
    after: page("**Never** delete the folder by hand."),
    marks: ["1 changed p: {~Never~} delete the folder by hand."],
  },
  {
    name: "rewritten",
    before: page(`${first}\n\nEvery host serves the files as they are.\n\n${third}`),
    after: page(`${first}\n\nQuotas limit previews per author; operators raise them.\n\n${third}`),
    marks: [
      "1 changed p: [-Every host serves the files as they are-]{+Quotas limit previews per author; operators raise them+}.",
    ],
  },
  {
    name: "mostly-rewritten",
    before: page("The mode replaces the tool catalog with two tools for finding tools by keyword and for running scripts, and a model needs one round trip."), // prettier-ignore
    after: page("Instead of seeing your entire tool catalog, the model gets tools for discovering what is available, and needs scripts for everything else."), // prettier-ignore
    marks: [
      "1 removed p: The mode replaces the tool catalog with two tools for finding tools by keyword and for running scripts, and a model needs one round trip.",
      "1 added p: Instead of seeing your entire tool catalog, the model gets tools for discovering what is available, and needs scripts for everything else.",
    ],
  },
  {
    name: "same-for-readers",
    before: page(`${first}\n\n## A heading {#one}\n\n* One\n* Two\n\n*${second}*\n\n[Top](#one)`),
    after: page(`${first.replace("and writes", "and\nwrites")}\n\n## A heading {#two}\n\n- One\n- Two\n\n_${second}_\n\n[Top](#two)`), // prettier-ignore
    marks: [],
  },
  {
    name: "snippet",
    before: page("import Shared from '/snippets/shared.mdx';\n\n<Shared />"),
    after: page("import Shared from '/snippets/shared.mdx';\n\n<Shared />"),
    marks: ["1 changed p: A snippet that two pages share [-before-]{+after+} a change."],
  },
  {
    name: "diagram",
    before: page("```mermaid\ngraph TD\n  A[Push] --> B[Build]\n```"),
    after: page("```mermaid\ngraph TD\n  A[Push] --> B[Render]\n```"),
    marks: [
      "1 removed figure: PushBuildDiagram source (Mermaid)graph TD A[Push] --> B[Build]",
      "1 added figure: PushRenderDiagram source (Mermaid)graph TD A[Push] --> B[Render]",
    ],
  },
  {
    name: "untouched",
    before: page(`${first}\n\n${second}`),
    after: page(`${first}\n\n${second}`),
    marks: [],
  },
];
