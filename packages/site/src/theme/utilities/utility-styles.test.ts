import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { html } from "../../markup/index.ts";
import {
  findClassNames,
  findScriptClassNames,
  findSelectorNames,
  findSheetClassNames,
  renderUtilityStyles,
} from "./utility-styles.ts";

const cases: Readonly<Record<string, string>> = {
  block: ".block{display:block}",
  hidden: ".hidden{display:none}",
  "mt-4": ".mt-4{margin-top:1rem}",
  "py-0.5": String.raw`.py-0\.5{padding-block:0.125rem}`,
  "-mx-2": ".-mx-2{margin-inline:calc(0.5rem * -1)}",
  "mx-auto": ".mx-auto{margin-inline:auto}",
  "w-1/2": String.raw`.w-1\/2{width:50%}`,
  "w-full": ".w-full{width:100%}",
  "h-screen": ".h-screen{height:100vh}",
  "size-3": ".size-3{width:0.75rem;height:0.75rem}",
  "max-w-3xl": ".max-w-3xl{max-width:48rem}",
  "min-w-[4rem]": String.raw`.min-w-\[4rem\]{min-width:4rem}`,
  "gap-x-2": ".gap-x-2{column-gap:0.5rem}",
  "text-sm": ".text-sm{font-size:0.875rem;line-height:1.45}",
  "text-white": ".text-white{color:#fff}",
  "text-primary": ".text-primary{color:var(--c-accent-text)}",
  "text-[#ff0000]": String.raw`.text-\[\#ff0000\]{color:#ff0000}`,
  "bg-zinc-950/20": String.raw`.bg-zinc-950\/20{background-color:color-mix(in srgb, oklch(0.14 0.014 286) 20%, transparent)}`,
  "border-b": ".border-b{border-bottom:1px solid var(--c-border)}",
  "border-gray-200": ".border-gray-200{border-color:oklch(0.925 0.027 264)}",
  "rounded-xl": ".rounded-xl{border-radius:.75rem}",
  "grid-cols-2": ".grid-cols-2{grid-template-columns:repeat(2,minmax(0,1fr))}",
  "opacity-80": ".opacity-80{opacity:0.8}",
  "space-y-4": ".space-y-4>:not([hidden])~:not([hidden]){margin-top:1rem}",
  "dark:hidden": String.raw`.dark .dark\:hidden{display:none}`,
  "sm:grid-cols-2": String.raw`@media (min-width:640px){.sm\:grid-cols-2{grid-template-columns:repeat(2,minmax(0,1fr))}}`,
  "group-hover:scale-105": String.raw`.group:hover .group-hover\:scale-105{scale:1.05}`,
  "dark:hover:text-white": String.raw`.dark .dark\:hover\:text-white:hover{color:#fff}`,
  "bg-background-light": ".bg-background-light{background-color:var(--c-background-light)}",
  "dark:bg-background-dark": String.raw`.dark .dark\:bg-background-dark{background-color:var(--c-background-dark)}`,
  "dark:bg-codeblock": String.raw`.dark .dark\:bg-codeblock{background-color:var(--code-background,var(--c-bg-soft))}`,
  "bg-primary": ".bg-primary{background-color:var(--c-primary)}",
  "border-primary-dark": ".border-primary-dark{border-color:var(--c-fill)}",
  "ring-2": ".ring-2{box-shadow:var(--ring-inset,) 0 0 0 2px var(--ring,var(--c-border-strong))}",
  "hover:ring-primary/20": String.raw`.hover\:ring-primary\/20:hover{--ring:color-mix(in srgb, var(--c-primary) 20%, transparent)}`,
  "brightness-[0.8]": String.raw`.brightness-\[0\.8\]{--f-brightness:brightness(0.8);filter:var(--f-blur,) var(--f-brightness,) var(--f-contrast,) var(--f-grayscale,) var(--f-invert,) var(--f-saturate,) var(--f-sepia,)}`,
  "bg-gradient-to-r":
    ".bg-gradient-to-r{background-image:linear-gradient(to right,var(--from,transparent),var(--via,)var(--to,transparent))}",
  "from-primary": ".from-primary{--from:var(--c-primary)}",
  "via-white": ".via-white{--via:#fff,}",
  "to-transparent": ".to-transparent{--to:transparent}",
  "group-open:rotate-90": String.raw`.group[open] .group-open\:rotate-90{rotate:90deg}`,
  "line-clamp-2":
    ".line-clamp-2{overflow:hidden;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2}",
  "!mt-0": String.raw`.\!mt-0{margin-top:0rem!important}`,
};

describe("utilityStyles", () => {
  for (const [name, css] of Object.entries(cases)) {
    it(name, () => assert.equal(renderUtilityStyles([name]), css));
  }

  const strangers = [
    "card",
    "tab-panel",
    "table",
    "w-[url(//evil.example)]",
    "w-[1px;color:red]",
    "m-[}]",
    "foo:hidden",
    "text-nobody-500",
    "brightness-[url(x)]",
    "ring-[1px;color:red]",
    "from-nowhere",
    "grid-cols-99",
    "constructor",
    "text-constructor",
    "hover:toString",
    "x".repeat(5_000),
  ];
  for (const name of strangers) {
    it(`passes over ${name.slice(0, 30)}`, () => assert.equal(renderUtilityStyles([name]), ""));
  }

  it("orders by window and state, whatever the order of the names", () => {
    const names = ["lg:block", "dark:block", "hidden", "sm:block", "dark:sm:hidden"];
    const css = renderUtilityStyles(names);
    assert.equal(renderUtilityStyles(names.toReversed()), css);
    assert.deepEqual(
      css.split("\n").map((rule) => /\.((?:[\w-]|\\:)+)\{/.exec(rule)?.[1]),
      [
        "hidden",
        String.raw`dark\:block`,
        String.raw`sm\:block`,
        String.raw`dark\:sm\:hidden`,
        String.raw`lg\:block`,
      ],
    );
  });

  it("finds the authored names for which only a sheet can have rules", () => {
    const names = ["hero", "flex", "own", "group", "group/a", "dark", "", "a:b"];
    const content = html`<style>.own{color:red} p.x{}</style><p class="hero own">x</p>`;
    assert.deepEqual(findSheetClassNames(names, content), ["a:b", "hero"]);
    const css = String.raw`.a, p.b-c > .d\:e:hover{margin:.5em} @media (x){.f{}}`;
    assert.deepEqual(
      [...findSelectorNames(css)].filter((name) => name !== "5em"),
      ["a", "b-c", "d:e", "f"],
    );
  });

  it("finds the names in HTML", () => {
    const content = html`<p class="a  b"><i data-class="x" class="b c">class="d"</i></p>`;
    assert.deepEqual([...findClassNames(content)], ["a", "b", "c"]);
  });

  it("finds the words in a component's script that may be names", () => {
    const script = "h('p',{className:`flex ${open?\"md:block\":'hidden'} p-4`},\"Two words, 3\")";
    const names = [...findScriptClassNames(script)];
    assert.deepEqual(names.toSorted(), ["flex", "hidden", "md:block", "p", "p-4"]);
  });
});
