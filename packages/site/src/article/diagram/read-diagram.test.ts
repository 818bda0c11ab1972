import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createDiagrams } from "./draw-diagram.ts";
import { readDiagram } from "./read-diagram.ts";
import { patienceMs } from "../../../../../test/support/patience.ts";

const diagrams = createDiagrams({ maxParseMs: patienceMs });
before(() => diagrams.load());

/** Returns the lines of text in a drawing. */
function textsOf(source: string): string[] {
  const drawing = diagrams.draw(source, "d-");
  assert("svg" in drawing, `not drawn: ${source}`);
  return Array.from(drawing.svg.matchAll(/>([^<>]+)</g), ([, text = ""]) => text.trim()).filter(
    Boolean,
  );
}

describe("a diagram that is drawn", () => {
  const rows: readonly (readonly [kind: string, body: string, texts: readonly string[]])[] = [
    ["flowchart", "a --> b", ["a", "b"]],
    ["graph", "a-->b", ["a", "b"]],
    ["flowchart;a-->b;b-->c", "", ["a", "b", "c"]],
    ["graph LR;", "a-->b[Two];", ["a", "Two"]],
    ["graph >", "a---b", ["a", "b"]],
    ["graph LR", "a --> b\na[Named later]", ["Named later", "b"]],
    ["graph LR", 'a["x [y] (z) {w} #quot;q#quot;"] --> b', ["x [y] (z) {w} &quot;q&quot;", "b"]],
    ["graph LR", "a(round (x)) --> b", []],
    ["graph LR", 'a("round (x)") --> b(((deep)))', ["round (x)", "deep"]],
    ["graph LR", 'a["2 * 3 * 4 ~~ &amp; `code`"] --> b', ["2 * 3 * 4 ~~ &amp; `code`", "b"]],
    [
      "graph LR",
      "a -- yes --> b -. no .-> c == sure ==> d",
      ["yes", "no", "sure", "a", "b", "c", "d"],
    ],
    ["graph LR", "a-->|yes|b-.->|no|c==>|sure|d---|open|e", ["yes", "no", "sure", "open", "e"]],
    ["graph LR", 'a-->|"one | two"|b', []],
    ["graph LR", "a <--> b & c", ["a", "b", "c"]],
    ["graph LR", "a.b --> c-d --> é", ["a.b", "c-d", "é"]],
    ["graph LR", "a --> b\nsubgraph g [A group]\nb[Inside]\nend", ["A group", "Inside", "a"]],
    ["graph LR", 'subgraph "One (1)"\na\nsubgraph Two\nb\nend\nend\na --> b', ["One (1)", "Two"]],
    [
      "graph LR",
      "a:::hot --> b\nclassDef hot fill:#f00\nstyle b fill:#0f0\nlinkStyle 0 stroke:#f00",
      ["a", "b"],
    ],
    ["graph LR", "accTitle: Name\naccDescr: Longer\n%% no\na --> b", ["a", "b"]],
    ["sequenceDiagram", "Note over a: First\na->>b: Hi", ["First", "Hi", "a", "b"]],
    [
      "sequenceDiagram",
      "Big Client->>optimizer: x: y (z)",
      ["Big Client", "optimizer", "x: y (z)"],
    ],
    ["sequenceDiagram", "a->>b: go\nactivate b\nb-->>a: back\ndeactivate b", ["go", "back"]],
    [
      "sequenceDiagram",
      "alt one\na->>b: x\nelse two\nb->>a: y\nend",
      ["alt [one]", "[two]", "x", "y"],
    ],
    ["sequenceDiagram", "title Named\na->>b: x", ["a", "b", "x"]],
    ["stateDiagram-v2", "[*] --> A\nA --> B : go\nB : Later name", ["A", "Later name", "go"]],
    ["stateDiagram", 'state "Long name" as A\nstate Lone\nA --> [*]', ["Long name", "Lone"]],
    ["stateDiagram-v2", "A --> C\nstate C {\nx --> y : in\n}", ["A", "C", "x", "y", "in"]],
    ["classDiagram", 'class A["A name"]\nA "1" --> "*" B : has', ["A name", "B", "1", "*", "has"]],
    [
      "classDiagram",
      "class A~T~ {\n<<interface>>\n+List~int~ ids\n+run(int x) void\n}",
      ["A&lt;T&gt;", "&lt;&lt;interface&gt;&gt;", "List&lt;int&gt;", "ids", "run(int x)", "void"],
    ],
    ["classDiagram", "A : +name: String\nA<|--B", ["name: String", "A", "B"]],
    ["erDiagram", 'A }o--o{ B : "has many"', ["A", "B", "has many"]],
    [
      "erDiagram",
      'P["A person"] {\nstring(9) id PK, FK\n}\nLONE',
      ["A person", "string(9)", "id", "PK,FK", "LONE"],
    ],
  ];
  for (const [kind, body, texts] of rows) {
    if (texts.length === 0) continue;
    it(`has all its labels: ${kind} ${body}`, () => {
      const shown = textsOf(`${kind}\n${body}`);
      for (const text of texts) assert(shown.includes(text), `${text} in ${shown.join(" | ")}`);
    });
  }

  it("has no box for a statement that is not a node", () => {
    assert.deepEqual(textsOf("graph LR\naccTitle: Name\na --> b\nclassDef x fill:#fff"), [
      "a",
      "b",
    ]);
  });

  it("is laid out from top to bottom if it gives no direction", () => {
    const [without, topDown] = ["flowchart", "flowchart TD"].map((kind) =>
      diagrams.draw(`${kind}\na --> b`, "d-"),
    );
    assert.deepEqual(without, topDown);
  });

  it("has the names that it gives to screen readers", () => {
    const { title, description } = readDiagram(
      "graph LR\naccTitle: Name\naccDescr: Longer\na --> b",
    );
    assert.deepEqual([title, description], ["Name", "Longer"]);
  });
});

describe("a diagram with a statement that would be lost is not drawn by the library", () => {
  const rows: Readonly<Record<string, readonly string[]>> = {
    "graph LR\na --> b": [
      "c@{ shape: rounded, label: x }",
      'c["`**bold**`"]',
      'click a "https://example.com"',
      "a[never closed",
      "a --> c[one] two",
      "a --o c",
      "a x--x c",
      "a ~~~ c",
      "a --> b --> ",
      "c[/lean/]",
      "c(-oval-)",
      "c[|borders:lr|x]",
      'c["<img src=x>"]',
      "c[fa:fa-car Car]",
      'c["$$x^2$$"]',
      "e1@--> c",
      "direction TB",
      "subgraph g [Empty]\nend",
      "subgraph g\nc\nend\na --> g",
      "subgraph g\nc\nsubgraph h\nc --> d\nend\nend",
      "subgraph g\nc",
      "end",
      "classDef default fill:#f00",
      "style a fill:pink",
      'c["two\nlines"]',
      "accDescr {\nlong\n}",
      "%% no\nnonsense line",
    ],
    "sequenceDiagram\na->>b: x": [
      "autonumber",
      "Nonsense line here",
      "a-xb: lost",
      "a->b: no head",
      "a<<->>b: both",
      "a->>b:",
      "box Blue\nparticipant c\nend",
      "rect rgb(0, 0, 0)\na->>b: y\nend",
      "critical one\na->>b: y\noption two\na->>b: z\nend",
      "create participant c",
      "destroy b",
      "deactivate b",
      "link a: Docs @ https://example.com",
      "participant a as Later",
      "loop none\nend",
      "loop a note first\nNote over a: y\na->>b: z\nend",
      "a->>b: text # comment",
      "a->>b: wrap: long",
      "a->>b: one; a->>b: two",
      "end",
      "loop open",
    ],
    "stateDiagram-v2\nA --> B": [
      "note right of A: Text",
      "state C <<choice>>",
      "A : one\nA : two",
      "state C {\nx --> y\n--\nz --> w\n}",
      "classDef hot fill:#f00",
      "state C {\nA --> x\n}",
      "state C {\n}",
      "nonsense here",
    ],
    "classDiagram\nA --> B": [
      'note for A "Text"',
      'note "Text"',
      "namespace N {\nclass C\n}",
      "A -- C",
      "A .. C",
      "A <|--|> C",
      "class C:::hot",
      'click A href "https://example.com"',
      "direction LR",
      "class A {\n+int[] (x)\n}",
    ],
    "erDiagram\nA ||--o{ B : has": [
      'A {\nint id "the key"\n}',
      "direction LR",
      "A ||--|| B",
      "A one to many B : x",
      "style A fill:#f00",
      "A {\nint\n}",
    ],
    "---\nconfig:\n  sequence:\n    showSequenceNumbers: true\n---\nsequenceDiagram": ["a->>b: x"],
  };
  for (const [start, statements] of Object.entries(rows)) {
    for (const statement of statements) {
      it(JSON.stringify(statement), () => {
        assert.equal(readDiagram(`${start}\n${statement}`).known, undefined);
      });
    }
  }
  for (const kind of [
    "gantt",
    "mindmap\n  root",
    "gitGraph\n  commit",
    "xychart-beta\n  bar [1]",
    "// x",
    "",
  ]) {
    it(JSON.stringify(kind), () => assert.equal(readDiagram(kind).known, undefined));
  }
});
