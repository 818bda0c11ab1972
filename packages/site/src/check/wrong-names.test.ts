import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { sharedChildren } from "../../../../test/support/shared-children.ts";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { renderSite } from "../export/index.ts";
import { checkSite } from "./check-site.ts";

const children = sharedChildren();

/** A wrong name in a page's text, in its frontmatter or in the configuration, and the name that the report suggests. */
const inText: readonly (readonly [text: string, suggested: string | undefined])[] = [
  ["[a](/guides/instalation)", "/guides/installation"],
  ["[a](/guides/Installation)", "/guides/installation"],
  ["[a](/guides/install-ation)", "/guides/installation"],
  ["[a](/guides/deplyo)", "/guides/deploy"],
  ["[a](/guide/deploy)", "/guides/deploy"],
  ["[a](/deploy)", "/guides/deploy"],
  ["[a](/docs/guides/deploy-it)", undefined],
  ["[a](/guides/step-4)", undefined],
  ["[a](/guides/completely-different)", undefined],
  ["[a](/guides/v3)", undefined],
  ["[a](/guides/installation#frist-step)", "#first-step"],
  ["[a](/guides/installation#first_step)", "#first-step"],
  ["[a](/guides/installation#First-Step)", "#first-step"],
  ["[a](/guides/installation#uninstal)", "#uninstall"],
  ["[a](/guides/installation#chapter-3)", undefined],
  ["[a](/guides/installation#unrelated)", undefined],
  ["![a](/images/harbor.svg)", "/images/harbour.svg"],
  ["![a](/images/Harbour.svg)", "/images/harbour.svg"],
  ["![a](/img/harbour.svg)", "/images/harbour.svg"],
  ["![a](/images/lighthouse.svg)", undefined],
  ["<Crad title='a'>b</Crad>", "<Card>"],
  ["<Acordion title='a'>b</Acordion>", "<Accordion>"],
  ["<Warnning>b</Warnning>", "<Warning>"],
  ["<CodeGruop>b</CodeGruop>", "<CodeGroup>"],
  ["<ParamFeild path='a'>b</ParamFeild>", "<ParamField>"],
  ["<Spaceship>b</Spaceship>", undefined],
  ["<Card title='a' icon='rockett'>b</Card>", "rocket"],
  ["<Card title='a' icon='gihtub'>b</Card>", "github"],
  ["<Card title='a' icon='hous'>b</Card>", "house"],
  ["<Card title='a' icon='qqqqqq'>b</Card>", undefined],
];
const inFrontmatter: readonly (readonly [text: string, suggested: string])[] = [
  ["descripton: a", "description"],
  ["sidebarTitel: a", "sidebarTitle"],
  ["hiden: true", "hidden"],
];
const inConfiguration: readonly (readonly [key: string, suggested: string | undefined])[] = [
  ["themee", "theme"],
  ["navbarr", "navbar"],
  ["colrs", "colors"],
  ["redirets", "redirects"],
  ["mascot", undefined],
];
const inNavigation: readonly (readonly [page: string, suggested: string | undefined])[] = [
  ["guides/instalation", "guides/installation"],
  ["guide/deploy", "guides/deploy"],
  ["guides/zebra", undefined],
];

interface WrongName {
  readonly text?: string;
  readonly frontmatter?: string;
  readonly key?: string;
  readonly page?: string;
}

suite("a report suggests the name that was meant, and no other", () => {
  const rows: readonly (readonly [WrongName, string | undefined])[] = [
    ...inText.map(([text, suggested]) => [{ text }, suggested] as const),
    ...inFrontmatter.map(([frontmatter, suggested]) => [{ frontmatter }, suggested] as const),
    ...inConfiguration.map(([key, suggested]) => [{ key }, suggested] as const),
    ...inNavigation.map(([page, suggested]) => [{ page }, suggested] as const),
  ];
  for (const [wrong, suggested] of rows) {
    test(JSON.stringify(wrong), async (t) => {
      const { text = "Words.", frontmatter = "icon: ship", key, page = "index" } = wrong;
      const pages = ["index", page, "guides/installation", "guides/deploy", "guides/step-1", "guides/step-2"]; // prettier-ignore
      const siteDir = await writeSite(t, {
        "docs.json": JSON.stringify({
          name: "Harbor",
          theme: "mint",
          colors: { primary: "#112233" },
          navigation: { pages: [...new Set(pages)] },
          ...(key !== undefined && { [key]: "x" }),
        }),
        "index.mdx": `---\ntitle: Home\n${frontmatter}\n---\n\n${text}\n`,
        "guides/installation.mdx":
          "---\ntitle: Installation\n---\n\n## First step\n\nA.\n\n## Uninstall\n\nB.\n\n## Chapter 1\n\nC.\n\n## Chapter 2\n\nD.\n",
        "guides/deploy.mdx": "---\ntitle: Deploy\n---\n\nText.\n",
        "guides/step-1.mdx": "---\ntitle: One\n---\n\nText.\n",
        "guides/step-2.mdx": "---\ntitle: Two\n---\n\nText.\n",
        "images/harbour.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
      });
      const { problems } = await renderSite({
        siteDir,
        outDir: await writeSite(t, {}),
        workers: 1,
        children,
        check: (site, checked) => checkSite(site, checked),
      });
      const [problem, ...others] = problems;
      assert.ok(problem, "nothing is reported");
      assert.deepEqual(others, []);
      const found = /Did you mean "?(.*?)"?\?$/.exec(problem.message)?.[1];
      assert.equal(found, suggested, problem.message);
    });
  }
});
