import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, test } from "node:test";
import type { IconOptions } from "../component.ts";
import { createIconRenderer, iconImage, iconStyles } from "../index.ts";
import { freeNames } from "./free-names.ts";
import { iconFile } from "./icon-names.ts";

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
    ["tabler", "rocket", "lucide:rocket"],
    ["tabler", "brand-github", "fa-brands:github"],
    ["tabler", "star-filled", "lucide:star"],
  ];
  for (const [library, name, key, options = {}] of table) {
    test(`${name} of ${library}`, () => {
      const icon = renderers[library](name, options);
      assert.equal(icon.key, key);
      assert.equal(icon.missing, undefined);
      assert.equal(
        icon.html,
        `<span class="icon i-${key.replace(":", "-")}" aria-hidden="true"></span>`,
      );
    });
  }

  test("an object as the configuration writes it", () => {
    const icon = { name: "star", style: "regular", library: "fontawesome" };
    assert.equal(renderers.lucide(icon, {}).key, "fa-regular:star");
  });

  test("what no library has becomes a neutral drawing and is told", () => {
    for (const name of ["ダウンロード", "no-such-icon", "../../x", "a\0b", "x".repeat(5_000)]) {
      const icon = renderers.fontawesome(name.replaceAll("/", "|"), {});
      assert.equal(icon.key, "lucide:circle-dashed");
      assert.equal(icon.missing, name.replaceAll("/", "|"));
    }
  });

  test("nothing where nothing is asked for", () => {
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
      iconImage("a.svg?x=1&y=2", { size: 20, className: "mine" }),
      '<img class="icon icon-image mine" src="a.svg?x=1&amp;y=2" style="--icon-size:20px" alt="">',
    );
  });

  test("size, colour and classes", () => {
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

  test("every free name is drawn, and needed", () => {
    const { fontawesome } = renderers;
    for (const [paid, free] of freeNames) {
      assert.equal(fontawesome(paid, {}).missing, undefined, paid);
      assert.notEqual(fontawesome(free, {}).key, "lucide:circle-dashed", free);
      const own = ["lucide:", "fa-solid:", "fa-regular:", "fa-brands:"].map(
        (set) => `${set}${paid}`,
      );
      for (const key of own) {
        const file = iconFile(key);
        assert.equal(file !== undefined && existsSync(file), false, `${key} needs no other name`);
      }
    }
  });
});

describe("styles", () => {
  test("hold the drawings of the keys, sorted, each once", async () => {
    const css = await iconStyles(["lucide:rocket", "fa-brands:github", "lucide:rocket"]);
    const rules = css.split("\n").filter((line) => line.startsWith("."));
    assert.deepEqual(
      rules.map((rule) => rule.slice(0, rule.indexOf("{"))),
      [".i-fa-brands-github", ".i-lucide-rocket"],
    );
    for (const rule of rules)
      assert.match(
        rule,
        /^\.[a-z-]+\{--icon:url\("data:image\/svg\+xml,<svg [^"#\n]+<\/svg>"\)\}$/,
      );
    assert.match(css, /CC BY 4\.0/);
    assert.equal(css, await iconStyles(["fa-brands:github", "lucide:rocket"]));
  });

  test("leave out what is no icon, and never another file", async () => {
    const keys = ["lucide:no-such", "lucide:../package", "fa-solid:", "x:y", "lucide:a/b", ""];
    assert.doesNotMatch(await iconStyles(keys), /\{/);
    assert.equal(await iconStyles([]), "");
  });
});
