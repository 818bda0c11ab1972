import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { IconOptions } from "./icon-renderer.ts";
import {
  createIconRenderer,
  renderIconImage,
  renderIconStyles,
  freeNames,
  createIconSets,
  iconSets,
} from "./icon-renderer.ts";
import { escapeHtml } from "../html.ts";

const renderers = {
  fontawesome: createIconRenderer({ library: "fontawesome" }),
  lucide: createIconRenderer({ library: "lucide" }),
  tabler: createIconRenderer({ library: "tabler" }),
};

describe("names", () => {
  const table: readonly (readonly [
    library: keyof typeof renderers,
    name: string,
    key: string,
    options?: IconOptions,
  ])[] = [
    ["fontawesome", "rocket", "fa-solid:rocket"],
    ["fontawesome", "star", "fa-regular:star", { type: "regular" }],
    ["fontawesome", "rocket", "fa-solid:rocket", { type: "duotone" }],
    ["fontawesome", "star", "fa-regular:star", { type: "thin" }],
    ["fontawesome", "star", "fa-solid:star", { type: "sharp-solid" }],
    ["fontawesome", "rocket", "fa-solid:rocket", { type: "brands" }],
    ["fontawesome", "github", "fa-brands:github"],
    ["fontawesome", "Fa-Rocket", "fa-solid:rocket"],
    ["fontawesome", "fa-solid fa-rocket", "fa-solid:rocket"],
    ["fontawesome", "far fa-star", "fa-regular:star"],
    ["fontawesome", "circle_check", "fa-solid:circle-check"],
    ["fontawesome", "sparkles", "lucide:sparkles"],
    ["fontawesome", "message-smile", "fa-solid:face-smile"],
    ["fontawesome", "rocket-launch", "fa-solid:rocket"],
    ["fontawesome", "up", "fa-solid:arrow-up"],
    ["fontawesome", "lucide:rocket", "lucide:rocket"],
    ["lucide", "rocket", "lucide:rocket"],
    ["lucide", "alert-circle", "lucide:alert-circle"],
    ["lucide", "github", "fa-brands:github"],
    ["lucide", "rocket-launch", "lucide:rocket"],
    ["lucide", "brand-github", "tabler:brand-github"],
    ["tabler", "rocket", "tabler:rocket"],
    ["tabler", "brand-github", "tabler:brand-github"],
    ["tabler", "star-filled", "tabler:star-filled"],
    ["tabler", "ti ti-adjustments", "tabler:adjustments"],
    ["tabler", "github", "fa-brands:github"],
    ["fontawesome", "tabler:rocket", "tabler:rocket"],
    ["fontawesome", "adjustments-bolt", "tabler:adjustments-bolt"],
    ["fontawesome", "folder-gear", "lucide:folder-cog"],
    ["fontawesome", "shield-xmark", "lucide:shield-x"],
    ["fontawesome", "comment-alt-lines", "lucide:message-square"],
    ["fontawesome", "arrow-right-to-line", "lucide:arrow-right-to-line"],
    ["fontawesome", "square-question", "tabler:help-square"],
  ];
  for (const [library, name, key, options = {}] of table) {
    test(`${name} of ${library}`, () => {
      const icon = renderers[library](name, options);
      assert.equal(icon.key, key);
      assert.equal(icon.problem, undefined);
      assert.equal(
        icon.html,
        `<span class="icon i-${key.replace(":", "-")}" aria-hidden="true"></span>`,
      );
    });
  }

  test("an object, as in the configuration", () => {
    const icon = { name: "star", style: "regular", library: "fontawesome" };
    assert.equal(renderers.lucide(icon, {}).key, "fa-regular:star");
  });

  test("an unknown icon becomes a neutral drawing and is reported", () => {
    for (const name of ["ダウンロード", "no-such-icon", "../../x", "a\0b", "x".repeat(5_000)]) {
      const icon = renderers.fontawesome(name.replaceAll("/", "|"), {});
      assert.equal(icon.key, "lucide:circle-dashed");
      assert.match(icon.problem?.() ?? "", /^No icon is named ".+"; a neutral one is shown\./);
    }
  });

  test("the nearest icon by its words is shown and reported", () => {
    const table = [
      [
        "rocket-boosters-on",
        "fa-solid:rocket",
        'No icon is named "rocket-boosters-on"; "rocket" is shown.',
      ],
      ["super-rocket", "fa-solid:rocket", 'No icon is named "super-rocket"; "rocket" is shown.'],
    ] as const;
    for (const [name, key, sentence] of table) {
      const icon = renderers.fontawesome(name, {});
      assert.equal(icon.key, key);
      assert.equal(icon.problem?.(), sentence);
    }
  });

  test("a misspelled or translated name is reported with a suggestion", () => {
    const table = [
      ["rockett", /Did you mean "rocket"\?$/],
      ["gihtub", /Did you mean "github"\?$/],
      ["ダウンロード", /English/],
      ["zzqx", /shown\.$/],
    ] as const;
    for (const [name, sentence] of table)
      assert.match(renderers.lucide(name, {}).problem?.() ?? "", sentence);
  });

  test("no icon without a name", () => {
    for (const value of [undefined, null, "", "  ", 4, true, [], {}, { name: 3 }])
      assert.deepEqual(renderers.fontawesome(value, {}), { html: "" });
  });

  test("paths and addresses are pictures", () => {
    for (const image of [
      "/images/a.svg",
      "./a.png",
      "a.svg",
      "https://host/x",
      "data:image/png;base64,AA",
    ])
      assert.deepEqual(renderers.fontawesome(image, {}), { html: "", image });
    assert.equal(
      renderIconImage(escapeHtml("a.svg?x=1&y=2"), { size: 20, className: "mine" }),
      '<img class="icon icon-image mine" src="a.svg?x=1&amp;y=2" style="--icon-size:20px" alt="">',
    );
  });

  test("size, color and classes", () => {
    const { html } = renderers.fontawesome("flag", {
      size: 32,
      color: "FF5733",
      className: "mine",
    });
    assert.equal(
      html,
      '<span class="icon i-fa-solid-flag mine" style="--icon-size:32px;color:#FF5733" aria-hidden="true"></span>',
    );
  });

  test("every free name has a drawing, and is needed", () => {
    const { fontawesome } = renderers;
    const sets = createIconSets();
    for (const [paid, free] of freeNames) {
      assert.equal(fontawesome(paid, {}).problem, undefined, paid);
      assert.notEqual(fontawesome(free, {}).key, "lucide:circle-dashed", free);
      for (const set of iconSets)
        assert.equal(sets.getNames(set).has(paid), false, `${set}:${paid} needs no other name`);
    }
  });
});

describe("styles", () => {
  test("contain the drawings of the keys, sorted, without duplicates", async () => {
    const css = renderIconStyles([
      "lucide:rocket",
      "tabler:star-filled",
      "fa-brands:github",
      "lucide:rocket",
      "tabler:123",
    ]);
    const rules = css.split("\n").filter((line) => line.startsWith("."));
    assert.deepEqual(
      rules.map((rule) => rule.slice(0, rule.indexOf("{"))),
      [".i-fa-brands-github", ".i-lucide-rocket", ".i-tabler-123", ".i-tabler-star-filled"],
    );
    for (const rule of rules)
      assert.match(
        rule,
        /^\.[a-z0-9-]+\{--icon:url\("data:image\/svg\+xml,<svg [^"#\n]+<\/svg>"\)\}$/,
      );
    assert.match(css, /CC BY 4\.0/);
    assert.match(css, /MIT/);
    const again = ["tabler:123", "fa-brands:github", "tabler:star-filled", "lucide:rocket"];
    assert.equal(css, renderIconStyles(again));
  });

  test("keep the filled parts of an outline icon", async () => {
    assert.match(renderIconStyles(["lucide:palette"]), /<circle [^>]*fill='%23000'/);
  });

  test("omit invalid keys, and never read another file", async () => {
    const keys = [
      "lucide:no-such",
      "lucide:../package",
      "fa-solid:",
      "x:y",
      "lucide:a/b",
      "tabler:constructor",
      "",
    ];
    assert.doesNotMatch(renderIconStyles(keys), /\{/);
    assert.equal(renderIconStyles([]), "");
  });
});
