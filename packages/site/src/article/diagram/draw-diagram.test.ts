import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createDiagrams } from "./draw-diagram.ts";
import { patienceMs } from "../../../../../test/support/patience.ts";

const diagrams = createDiagrams({ maxParseMs: patienceMs });
before(() => diagrams.load());

function svgOf(source: string): string {
  const drawing = diagrams.draw(source, "d-");
  assert.ok("svg" in drawing, JSON.stringify(drawing));
  return drawing.svg;
}

describe("a drawing", () => {
  for (const [name, source] of Object.entries({
    flowchart: "flowchart TD\n  A --> B",
    sequence: "sequenceDiagram\n  A->>B: hello",
    classes: "classDiagram\n  class A {\n    +int a\n  }\n  A --> B",
    state: "stateDiagram-v2\n  [*] --> Open",
    entities: "erDiagram\n  A ||--o{ B : has",
    directive: "%%{init: {'theme': 'dark'}}%%\ngraph TD\n  A --> B",
    frontmatter: "---\nconfig:\n  theme: dark\n---\ngraph TD\n  A --> B",
  })) {
    it(`consists of known elements: ${name}`, () => {
      const svg = svgOf(source);
      assert.match(svg, /^<svg [^]*<\/svg>\s*$/);
      assert.doesNotMatch(svg, /<style|@import|https?:|class=|data-/);
    });
  }

  it("has unique ids, so that a page may have several drawings", () => {
    const svg = svgOf("graph TD\n  A --> B");
    const ids = Array.from(svg.matchAll(/ id="([^"]+)"/g), ([, id]) => id);
    assert.ok(ids.length > 0 && ids.every((id) => id?.startsWith("d-")));
    for (const [, target] of svg.matchAll(/url\(#([^)]+)\)/g)) assert.ok(ids.includes(target));
  });

  it("shows the titles of groups in front of the edges that cross them", () => {
    const svg = svgOf("graph LR\n  subgraph Quay\n    B[Boat]\n  end\n  A --> B");
    assert(svg.lastIndexOf("<polyline") !== -1);
    assert(svg.indexOf(">Quay</text>") > svg.lastIndexOf("<polyline"));
    assert.equal(svg.split(">Quay</text>").length, 2);
  });

  it("takes its title from its frontmatter", () => {
    const drawing = diagrams.draw('---\ntitle: "Flow"\n---\ngraph TD\n  A --> B', "d-");
    assert.equal("svg" in drawing && drawing.title, "Flow");
  });

  it("has dark labels on light colors, and light ones on dark", () => {
    const svg = svgOf("graph TD\n  A --> B\n  style A fill:#fef3c7\n  style B fill:#111827");
    assert.match(svg, /fill="#fef3c7"[^]*?fill="#1a1a1a"/);
    assert.match(svg, /fill="#111827"[^]*?fill="#ffffff"/);
  });

  it("has the page's colors for labels beside an author's lines, which are seen in both schemes", () => {
    const svg = svgOf(
      "graph TD\n  A --> B\n  linkStyle 0 stroke:#eee\n  style B color:#222,stroke:#d33",
    );
    const labels = Array.from(svg.matchAll(/<text[^>]* fill="([^"]+)"/g), ([, fill]) => fill);
    assert.deepEqual(labels, ["var(--_text)", "var(--_text)"]);
    assert.doesNotMatch(svg, /stroke="#eee"/);
    assert.match(svg, /stroke="#d33"/);
  });

  it("has labels with enough contrast on any color of an author", () => {
    for (const [fill, ink] of [
      ["#888888", "#1a1a1a"],
      ["#777", "#000000"],
      ["#06c", "#ffffff"],
    ]) {
      assert.match(
        svgOf(`graph TD\n  A --> B\n  style A fill:${fill},color:${fill}`),
        new RegExp(`fill="${ink}"`),
      );
    }
  });

  const hostile = [
    'graph TD\n  A["<script>alert(1)</script>"] --> B',
    'graph TD\n  A["<img src=x onerror=alert(1)>"] --> B',
    "graph TD\n  A --> B\n  style A fill:url(https://evil.example/x),stroke:expression(1)",
    'graph TD\n  A --> B\n  style A fill:red" onload="alert(1)',
    'graph TD\n  A --> B\n  click A href "javascript:alert(1)"',
    'graph TD\n  A["</text></svg><script>1</script>"] --> B',
    "sequenceDiagram\n  participant A as <script>1</script>\n  A->>A: <svg onload=1>",
  ];
  for (const source of hostile) {
    it(`contains nothing that acts: ${JSON.stringify(source.slice(0, 60))}`, () => {
      const drawing = diagrams.draw(source, "d-");
      const tags = ("svg" in drawing ? drawing.svg : "").match(/<[^>]*>/g)?.join("") ?? "";
      assert.doesNotMatch(tags, /<script|<img|<a\b|\son\w+=|javascript:|evil\.example|expression/);
    });
  }
});

function lines(count: number, line: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => line(at)).join("\n");
}

describe("a diagram that is not drawn here", () => {
  const large: Readonly<Record<string, string>> = {
    "another kind": "gitGraph\n  commit",
    "too many edges": `graph TD\n${lines(400, (at) => `A${at} --> B`)}`,
    "too many lines": `sequenceDiagram\n${lines(700, () => "A->>B: x")}`,
    "a long line": `graph TD\nA[${"x".repeat(3_000)}] --> B`,
    "all with all": `graph TD\n${lines(30, (at) => `A${at} & B --> C & D`)}`,
    "a statement": 'graph TD\nA --> B\nclick A href "https://example.com"',
    "settings and a statement": "%%{init: {'theme': 'dark'}}%%\ngraph TD\nA --o B",
  };
  for (const [name, source] of Object.entries(large)) {
    it(`is left to Mermaid: ${name}`, () => {
      assert.deepEqual(diagrams.draw(source, "d-"), { isLive: true, omissions: [] });
    });
  }

  it("says which parts will be missing", () => {
    const drawing = diagrams.draw(
      'flowchart TD\n a@{ icon: "fa:user", label: "x" }\n b["fa:fa-car Car"]\n c@{ img: "https://example.com/a.png" }',
      "d-",
    );
    assert("isLive" in drawing);
    assert.deepEqual(drawing.omissions.map(({ name, line }) => `${name} ${line}`).toSorted(), [
      "fa:fa-car 2",
      "fa:user 1",
      "https://example.com/a.png 3",
    ]);
  });

  it("keeps its names", () => {
    const { title, description } = readNames(
      "---\ntitle: A plan\n---\ngantt\naccDescr: What is done when\nsection S\nA task :a, 2024-01-01, 3d",
    );
    assert.deepEqual([title, description], ["A plan", "What is done when"]);
  });

  const faults: readonly (readonly [name: string, source: string, fault: unknown])[] = [
    [
      "a bracket",
      "graph TD\n  A[never closed --> B",
      'Mermaid does not understand "A[never closed --> B".@1',
    ],
    [
      "a statement",
      "sequenceDiagram\n%% Why\n  A->>B: x\n  Nonsense\n\n  A->>B: y",
      'Mermaid does not understand "Nonsense".@3',
    ],
    [
      "after settings",
      "---\ntitle: T\n---\n%%{init: {}}%%\npie\n  nonsense",
      'Mermaid does not understand "nonsense".@5',
    ],
    ["no kind", "// Your diagram", "It does not begin with a known type of diagram.@undefined"],
    ["nothing", "", "It does not begin with a known type of diagram.@undefined"],
    ["an end without a start", "sequenceDiagram\n  A->>B: x\n  deactivate B", undefined],
    [
      "too long",
      `graph TD\n${"%% x\n".repeat(20_000)}`,
      "It is longer than 50000 characters.@undefined",
    ],
  ];
  for (const [name, source, expected] of faults) {
    it(`has a fault that is named with its line: ${name}`, () => {
      const fault = diagrams.draw(source, "d-");
      assert("reason" in fault, JSON.stringify(fault));
      if (expected !== undefined) assert.equal(`${fault.reason}@${fault.line}`, expected);
    });
  }
});

function readNames(source: string): { title?: string; description?: string } {
  const drawing = diagrams.draw(source, "d-");
  assert("isLive" in drawing, JSON.stringify(drawing));
  return drawing;
}
