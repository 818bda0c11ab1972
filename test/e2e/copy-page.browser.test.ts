import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { launchChromium } from "../support/chromium.ts";
import { stopClock } from "../support/stopped-clock.ts";
import { temporaryFolder, writeFiles } from "../support/temporary-folder.ts";

/**
 * "Copy page" in a bundle that was opened by a double click: no neighboring file can be read there, so the
 * Markdown is made of what the page holds, whatever of it is shown.
 */

const fence = "```";

const page = `---
title: First *firing*
description: From cold to hot.
tag: NEW
---

Read [the rules](/rules#one) of \`kiln_set\`, **twice** and _slowly_; it costs $5.[^1]

## Ramp

<Tabs>
  <Tab title="Bisque">Heat at $T = 1222$ °C.</Tab>
  <Tab title="Glaze">
    ${fence}bash run.sh
    kiln  go
    ${fence}
  </Tab>
</Tabs>

<CodeGroup>
${fence}js npm
install("\`\`\`");
${fence}
${fence}python pip
pip()
${fence}
</CodeGroup>

<Accordion title="Why?" description="In short">Because.</Accordion>

<Warning>
  Hot.

  - Gloves
</Warning>

<Steps>
  <Step title="Mount">Screw it.</Step>
  <Step title="Wire">Connect it.</Step>
</Steps>

$$
\\int_0^t r
$$

1. one
   - inner
2. two

- [x] open
- [ ] close

| a | b |
| - | - |
| \`x\` | 1 \\| 2 |

${fence}mermaid
graph LR
  A --> B
${fence}

> Said *so*.

![A kiln](/kiln.svg)

[^1]: They do.
`;

const expected = `# First \\*firing\\*

> From cold to hot.

Read [the rules](rules.html#one) of \`kiln_set\`, **twice** and *slowly*; it costs \\$5.[^1]

## Ramp

**Bisque**

Heat at $T = 1222$ °C.

**Glaze**

${fence}bash run.sh
kiln  go
${fence}

**npm**

${fence}\`js
install("${fence}");
${fence}\`

**pip**

${fence}python
pip()
${fence}

**Why?** In short

Because.

> **Warning**
>
> Hot.
>
> - Gloves

1. **Mount**

   Screw it.

2. **Wire**

   Connect it.

$$
\\int_0^t r
$$

1. one
   - inner
2. two

- [x] open
- [ ] close

| a | b |
| --- | --- |
| \`x\` | 1 \\| 2 |

${fence}mermaid
graph LR
  A --> B
${fence}

> Said *so*.

![A kiln](kiln.svg)

[^1]: They do.`;

test("the page is copied as Markdown where no file can be read", async () => {
  await using folder = await temporaryFolder();
  const [siteDir, outDir] = [join(folder.path, "site"), join(folder.path, "out")];
  await writeFiles(siteDir, {
    "docs.json": JSON.stringify({
      name: "Kiln",
      theme: "mint",
      colors: { primary: "#9a3412" },
      contextual: { options: ["copy"] },
      navigation: { pages: ["index", "rules"] },
    }),
    "index.mdx": page,
    "rules.mdx": "---\ntitle: Rules\n---\n\n## One\n",
    "kiln.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
  });
  await renderSite({ siteDir, outDir, workers: 1 });
  const browser = await launchChromium();
  try {
    const context = await browser.newContext({
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const opened = await context.newPage();
    await opened.goto(pathToFileURL(join(outDir, "index.html")).href);
    await stopClock(opened);
    await opened.click(".copy-page");
    await opened.locator(".copy-page[data-copied]").waitFor();
    assert.equal(await opened.evaluate("navigator.clipboard.readText()"), expected);
  } finally {
    await browser.close();
  }
});
