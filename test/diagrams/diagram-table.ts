/** Small diagrams of every kind that Mermaid reads, with the texts that must be in their drawings. */
export interface SmallDiagram {
  readonly source: string;
  readonly texts: readonly string[];
}

/** A diagram for each row: its first part is the start of all, the others are a statement and its texts. */
interface Kind {
  readonly start: string;
  readonly texts: readonly string[];
  readonly rows: readonly (readonly [statement: string, ...texts: string[]])[];
}

const kinds: readonly Kind[] = [
  {
    start: "flowchart LR\n  a[Start] --> b[Stop]",
    texts: ["Start", "Stop"],
    rows: [
      ["c[Box] --- d(Round)", "Box", "Round"],
      ["c([Stadium]) -.-> d[[Routine]]", "Stadium", "Routine"],
      ["c[(Store)] ==> d((Circle))", "Store", "Circle"],
      ["c>Flag] --> d{Choice}", "Flag", "Choice"],
      ["c{{Hexagon}} --> d[/Trapezoid\\]", "Hexagon", "Trapezoid"],
      ["c[/Lean/] --> d[\\Left\\]", "Lean", "Left"],
      ["c(((Double))) --> d", "Double", "d"],
      ["a -- yes --> c", "yes", "c"],
      ["a -. maybe .-> c", "maybe"],
      ["a == sure ==> c", "sure"],
      ["a -->|piped| c", "piped"],
      ["a --o c\n  a --x d", "c", "d"],
      ["a <--> c\n  a ~~~ d", "c", "d"],
      ["a ----> c & d", "c", "d"],
      ["a --> c[Named]\n  c[Named later]", "Named later"],
      ['c["Brackets [x] (y) {z}"]', "Brackets [x] (y) {z}"],
      ['c["Quotes #quot;q#quot; and 1 #lt; 2"]', 'Quotes "q" and 1 < 2'],
      ['c["First line<br/>second line"]', "First line", "second line"],
      ['c["`Some **bold** text`"]', "Some", "bold", "text"],
      ['c["<b>Bold</b> text"]', "Bold", "text"],
      ['c@{ shape: rounded, label: "New label" }', "New label"],
      ['c@{ shape: doc, label: "A document" }', "A document"],
      ["subgraph g [A group]\n    c[Inside]\n  end", "A group", "Inside"],
      ["subgraph g [A group]\n    c[Inside]\n  end\n  a --> g", "A group", "Inside"],
      ["subgraph One\n    subgraph Two\n      c\n    end\n  end", "One", "Two", "c"],
      ["subgraph g\n    direction TB\n    c --> d\n  end", "c", "d"],
      ["subgraph g [Mine]\n    b\n  end", "Mine"],
      ['click a "https://example.com" "Tip"'],
      ["style a fill:#111827,color:#222,stroke:#333"],
      ["style a fill:#fde68a\n  style b fill:pink,stroke:white"],
      ["classDef hot fill:#f00,color:#f11\n  class a,b hot"],
      ["linkStyle 0 stroke:#eee,color:#ddd"],
      ["c:::hot --> d\n  classDef hot fill:#888", "c", "d"],
      ["id.with-dots-1 --> größe", "id.with-dots-1", "größe"],
      ["accTitle: A name\n  c", "c"],
      ["%% A comment\n  c;d", "c", "d"],
    ],
  },
  {
    start: "graph\n  p-->q",
    texts: ["p", "q"],
    rows: [["z;"], ["q-->z;z-->p", "z"], ["q--text-->z", "text", "z"], ["q-->|a b|z", "a b"]],
  },
  {
    start: "sequenceDiagram\n  participant A as Alice\n  A->>Bob: Hello",
    texts: ["Alice", "Bob", "Hello"],
    rows: [
      ["Bob-->>A: Answer", "Answer"],
      ["autonumber 10 5\n  A->>Bob: Again", "Again", "10"],
      ["A-xBob: Lost", "Lost"],
      ["A->Bob: Plain\n  A-->Bob: Dashed", "Plain", "Dashed"],
      ["A-)Bob: Open", "Open"],
      ["A<<->>Bob: Both", "Both"],
      ["A->>A: Self", "Self"],
      ["actor C as A person\n  C->>A: Hi", "A person", "Hi"],
      ["Note over A,Bob: A note", "A note"],
      ["Note right of Bob: Aside", "Aside"],
      ["activate Bob\n  Bob-->>A: Done\n  deactivate Bob", "Done"],
      ["Bob->>+A: Start\n  A-->>-Bob: End", "Start", "End"],
      ["loop Each day\n    A->>Bob: Ping\n  end", "Each day", "Ping"],
      [
        "alt Good\n    A->>Bob: Yes\n  else Bad\n    A->>Bob: No\n  end",
        "Good",
        "Bad",
        "Yes",
        "No",
      ],
      ["opt Extra\n    A->>Bob: More\n  end", "Extra", "More"],
      ["par One\n    A->>Bob: P\n  and Two\n    A->>Bob: Q\n  end", "One", "Two", "P", "Q"],
      [
        "critical Now\n    A->>Bob: C\n  option Else\n    A->>Bob: D\n  end",
        "Now",
        "Else",
        "C",
        "D",
      ],
      ["break Failed\n    A->>Bob: Stop\n  end", "Failed", "Stop"],
      ["rect rgb(20, 40, 60)\n    A->>Bob: Inside\n  end", "Inside"],
      ["box Blue Team\n    participant C\n  end\n  C->>A: x", "Team", "C"],
      ["create participant N as New\n  A->>N: Born", "New", "Born"],
      ["loop First\n    Note over A: Early\n    A->>Bob: Late\n  end", "First", "Early", "Late"],
      ["Big Client->>A: With: a colon", "Big Client", "With: a colon"],
      ["A->>Bob: a #35; and #59;", "a # and ;"],
      ["A->>Bob: one<br/>two", "one", "two"],
      ["title A title\n  A->>Bob: t", "A title", "t"],
    ],
  },
  {
    start: "sequenceDiagram\n  Note over A: Before all",
    texts: ["A", "Before all"],
    rows: [
      ["A->>B: m", "B", "m"],
      ["A->>A: m", "m"],
    ],
  },
  {
    start: "sequenceDiagram\n  autonumber\n  A->>B: First",
    texts: ["A", "B", "First", "1"],
    rows: [
      ["B-->>A: Second", "Second", "2"],
      ["loop Often\n    B-xA: Lost\n  end", "Often", "Lost", "2"],
      ["Note over A: Between\n  A->>B: Third", "Between", "Third", "2"],
    ],
  },
  {
    start: "stateDiagram-v2\n  [*] --> Idle",
    texts: ["Idle"],
    rows: [
      ["Idle --> Busy : go", "Busy", "go"],
      ["Idle : Waiting for work", "Waiting for work"],
      ['state "A long name" as L\n  Idle --> L', "A long name"],
      ["note right of Idle: A note", "A note"],
      ["note left of Idle\n    Two\n    lines\n  end note", "Two", "lines"],
      ["state Box {\n    In --> Out\n  }\n  Idle --> Box", "Box", "In", "Out"],
      ["state fork <<fork>>\n  Idle --> fork\n  fork --> A\n  fork --> B", "A", "B"],
      ["state pick <<choice>>\n  Idle --> pick\n  pick --> A : if", "A", "if"],
      ["state Two {\n    a1 --> a2\n    --\n    b1 --> b2\n  }", "a1", "a2", "b1", "b2"],
      ["direction LR\n  Idle --> B", "B"],
      ["classDef hot fill:#f00\n  class Idle hot"],
      ["Lone", "Lone"],
      ["Idle --> [*]"],
    ],
  },
  {
    start: "classDiagram\n  class Animal",
    texts: ["Animal"],
    rows: [
      ["Animal <|-- Dog", "Dog"],
      ["Animal : +String name\n  Animal : +eat(food) void", "String", "name", "eat(food)", "void"],
      ["class Cat {\n    -int age\n    #run() bool\n  }", "Cat", "age", "run()"],
      ["class Shape {\n    <<interface>>\n    +draw()\n  }", "Shape", "interface", "draw()"],
      ['Animal "1" --> "*" Leg : has', "Leg", "1", "*", "has"],
      ["Animal *-- Heart\n  Animal o-- Toy", "Heart", "Toy"],
      ["Animal ..> Food\n  Animal ..|> Being", "Food", "Being"],
      ["Animal -- Friend", "Friend"],
      ["class Box~T~ {\n    +List~T~ items\n  }", "Box<T>", "List<T>", "items"],
      ['note for Animal "A note"', "A note"],
      ["namespace Zoo {\n    class Lion\n  }", "Zoo", "Lion"],
      ['class L["A label"]', "A label"],
      ["direction LR\n  Animal --> B", "B"],
      ["style Animal fill:#333"],
    ],
  },
  {
    start: "erDiagram\n  CUSTOMER ||--o{ ORDER : places",
    texts: ["CUSTOMER", "ORDER", "places"],
    rows: [
      ["CUSTOMER {\n    string name PK\n    int age\n  }", "string", "name", "PK", "age"],
      ['CUSTOMER {\n    string id PK, FK "The key"\n  }', "id", "The key"],
      ['ORDER }o--o{ ITEM : "has many"', "ITEM", "has many"],
      ['p["A person"] {\n    int id\n  }', "A person", "id"],
      ["LONE", "LONE"],
      ["ORDER |o..o| NOTE : may", "NOTE", "may"],
    ],
  },
  {
    start:
      "gantt\n  title A plan\n  dateFormat YYYY-MM-DD\n  section First\n  Build it :a1, 2024-01-01, 5d",
    texts: ["A plan", "First", "Build it"],
    rows: [
      ["Next :after a1, 4d", "Next"],
      ["Danger :crit, 2024-01-03, 5d", "Danger"],
      ["Done :done, 2024-01-02, 5d\n  Now :active, 3d", "Done", "Now"],
      ["Point :milestone, 2024-01-04, 0d", "Point"],
      ["section Second\n  Other :2024-01-02, 6d", "Second", "Other"],
      ["excludes weekends\n  Work :2024-01-02, 6d", "Work"],
      ["axisFormat %d\n  Ship :2024-01-02, 6d", "Ship"],
    ],
  },
  {
    start: "mindmap\n  root((Center))",
    texts: ["Center"],
    rows: [
      ["  One\n    Two\n    Three", "One", "Two", "Three"],
      ["  [Square]\n    (Round)\n    ))Bang((", "Square", "Round", "Bang"],
      ["  {{Hexagon}}\n    )Cloud(", "Hexagon", "Cloud"],
      ['  ["`**Bold** idea`"]', "Bold", "idea"],
    ],
  },
  {
    start: 'gitGraph\n  commit id: "first"',
    texts: ["first", "main"],
    rows: [
      ['commit id: "second"', "second"],
      ['branch dev\n  commit id: "side"', "dev", "side"],
      ['commit id: "t" tag: "v1.0"', "t", "v1.0"],
      ['branch dev\n  commit id: "d"\n  checkout main\n  merge dev id: "joined"', "dev", "joined"],
      ['commit id: "h" type: HIGHLIGHT\n  commit id: "r" type: REVERSE', "h", "r"],
    ],
  },
  {
    start: 'pie\n  "Dogs" : 60',
    texts: ["Dogs"],
    rows: [
      ['"Cats" : 40', "Cats", "40%"],
      ['"A" : 10\n  "B" : 20\n  "C" : 10', "A", "B", "C"],
    ],
  },
  {
    start: 'pie showData title Pets\n  "Dogs" : 60',
    texts: ["Pets", "Dogs"],
    rows: [
      ['"Cats" : 40', "Cats", "40"],
      ['"Rats" : 15.5', "Rats", "15.5"],
    ],
  },
  {
    start: "timeline\n  title History",
    texts: ["History"],
    rows: [
      ["2002 : LinkedIn\n  2004 : Facebook : Google", "2002", "LinkedIn", "Facebook", "Google"],
      ["section Old\n    1990 : Web\n  section New\n    2020 : More", "Old", "Web", "New", "More"],
    ],
  },
  {
    start: "quadrantChart\n  title Reach",
    texts: ["Reach"],
    rows: [
      ["x-axis Low --> High\n  y-axis Bad --> Good", "Low", "High", "Bad", "Good"],
      ["quadrant-1 Expand\n  quadrant-3 Drop\n  Thing: [0.3, 0.6]", "Expand", "Drop", "Thing"],
      ["Point A: [0.9, 0.9]\n  Point B: [0.1, 0.2]", "Point A", "Point B"],
    ],
  },
  {
    start: "sankey-beta\nCoal,Power,10",
    texts: ["Coal", "Power"],
    rows: [
      ["Power,Light,4", "Light"],
      ["Gas,Power,5\nPower,Loss,3", "Gas", "Loss"],
      ["Wind,Power,2", "Wind"],
    ],
  },
  {
    start: 'xychart-beta\n  title "Sales"\n  x-axis [jan, feb, mar]',
    texts: ["Sales", "jan", "feb", "mar"],
    rows: [
      ["bar [5, 6, 7]"],
      ["line [5, 6, 7]"],
      ['y-axis "Money" 0 --> 100\n  bar [50, 60, 70]\n  line [40, 20, 30]', "Money", "100"],
    ],
  },
  {
    start: "journey\n  title My day\n  section Work",
    texts: ["My day", "Work"],
    rows: [
      ["Make tea: 5: Me", "Make tea", "Me"],
      ["Do it: 1: Me, Cat\n  section Home\n  Rest: 3: Cat", "Do it", "Cat", "Home", "Rest"],
    ],
  },
  {
    start:
      "requirementDiagram\n  requirement need {\n  id: 7\n  text: The text\n  risk: high\n  verifymethod: test\n  }",
    texts: ["need", "The text", "7"],
    rows: [
      [
        "element thing {\n  type: sim\n  }\n  thing - satisfies -> need",
        "thing",
        "sim",
        "satisfies",
      ],
      [
        "functionalRequirement other {\n  id: 8\n  text: More\n  }\n  need - traces -> other",
        "other",
        "More",
        "traces",
      ],
    ],
  },
  {
    start: 'C4Context\n  title A system\n  Person(p, "Customer", "Buys things")',
    texts: ["A system", "Customer", "Buys things"],
    rows: [
      [
        'System(s, "Shop", "Sells")\n  Rel(p, s, "Uses", "HTTPS")',
        "Shop",
        "Sells",
        "Uses",
        "HTTPS",
      ],
      ['System_Ext(e, "Mail", "Sends")', "Mail", "Sends"],
      [
        'Enterprise_Boundary(b, "Company") {\n  System(x, "Inner", "Does")\n  }',
        "Company",
        "Inner",
        "Does",
      ],
    ],
  },
  {
    start: 'C4Container\n  Container(c, "App", "Node", "Serves")',
    texts: ["App", "Node", "Serves"],
    rows: [
      [
        'ContainerDb(d, "Data", "SQL", "Keeps")\n  Rel(c, d, "Reads")',
        "Data",
        "SQL",
        "Keeps",
        "Reads",
      ],
    ],
  },
  {
    start: 'block-beta\n  columns 2\n  a["First"]',
    texts: ["First"],
    rows: [
      ['b["Second"]\n  a --> b', "Second"],
      ['b(("Circle")) c[("Store")]', "Circle", "Store"],
      ['block:g\n    d["Deep"]\n  end', "Deep"],
      ['b["Wide"]:2\n  style b fill:#333', "Wide"],
    ],
  },
  {
    start: 'packet-beta\n  0-15: "Source"',
    texts: ["Source", "0", "15"],
    rows: [
      ['16-31: "Target"', "Target"],
      ['16: "A flag"\n  17-31: "Rest"', "Rest"],
    ],
  },
  {
    start: "architecture-beta\n  group api(cloud)[The API]\n  service db(database)[Data] in api",
    texts: ["The API", "Data"],
    rows: [
      ["service web(server)[Web] in api\n  db:L -- R:web", "Web"],
      ["service disk(disk)[Disk]\n  db:T --> B:disk", "Disk"],
      ["service net(internet)[Net]\n  junction j\n  net:R -- L:j", "Net"],
    ],
  },
  {
    start: "kanban\n  Todo\n    [Write it]",
    texts: ["Todo", "Write it"],
    rows: [
      ["done[Finished]\n    x[Ship it]", "Finished", "Ship it"],
      ["  y[Who]@{ assigned: 'knut', ticket: T-1 }", "Who", "knut", "T-1"],
    ],
  },
  {
    start: 'radar-beta\n  title Grades\n  axis m["Math"], s["Science"], e["English"]',
    texts: ["Grades", "Math", "Science", "English"],
    rows: [
      ['curve a["Alice"]{85, 90, 80}', "Alice"],
      ['curve a["Al"]{85, 90, 80}\n  curve b["Bo"]{5, 9, 8}\n  max 100', "Al", "Bo"],
    ],
  },
  {
    start: "flowchart TB\n  subgraph one [First group]\n    a1[Alpha] --> a2[Beta]\n  end",
    texts: ["First group", "Alpha", "Beta"],
    rows: [
      ["subgraph two [Second group]\n    b1[Gamma]\n  end\n  a2 --> b1", "Second group", "Gamma"],
      ["subgraph two [Second group]\n    b1[Gamma]\n  end\n  one --> two", "Second group", "Gamma"],
      ["c[Outside] -->|in| a1", "Outside", "in"],
      ["style one fill:#222,color:#333", "Alpha"],
      ["style a1 fill:#333\n  style a2 fill:#ccc,color:#ddd"],
      ["a1:::x\n  classDef x stroke:#111,stroke-width:3px"],
      ["direction LR\n  c", "c"],
      ["a1 & a2 --> c & d", "c", "d"],
      ["c{{Six}} -- label --> a1", "Six", "label"],
      ["c@{ shape: cyl, label: Disk }\n  a2 --> c", "Disk"],
      ["c@{ shape: notch-rect, label: Card }\n  d@{ shape: hourglass }", "Card"],
    ],
  },
  {
    start: "classDiagram\n  Shape <|-- Circle\n  Shape : +area() double",
    texts: ["Shape", "Circle", "area()", "double"],
    rows: [
      ["Shape <|-- Square : is a", "Square", "is a"],
      ["Circle : +double radius$", "radius"],
      ["Circle : +draw()* void", "draw()"],
      ["<<abstract>> Shape", "abstract"],
      ["Shape <|--|> Other", "Other"],
      ["Shape ()-- Port", "Port"],
      ['click Circle href "https://example.com" "Tip"'],
      ["class Point {\n    +int x = 0\n    +Map~K, V~ all\n  }", "Point", "int x = 0"],
    ],
  },
  {
    start: "erDiagram\n  direction LR\n  A ||--|{ B : has",
    texts: ["A", "B", "has"],
    rows: [
      ["A one or more to many C : holds", "C", "holds"],
      ["style A fill:#444"],
      ["B {\n    int id UK\n    date when\n  }", "id", "UK", "when"],
    ],
  },
  {
    start: "stateDiagram\n  state Outer {\n    [*] --> Inner\n  }",
    texts: ["Outer", "Inner"],
    rows: [
      ["Outer --> Next : then", "Next", "then"],
      ["note right of Outer : Said", "Said"],
      [
        "state Deep {\n    state Deeper {\n      x1 --> x2\n    }\n  }",
        "Deep",
        "Deeper",
        "x1",
        "x2",
      ],
      ["Next --> Next : self", "Next", "self"],
    ],
  },
  {
    start: "mindmap\n  Plain root\n    First",
    texts: ["Plain root", "First"],
    rows: [
      ["  Second\n      Third", "Second", "Third"],
      ["  id[A box]", "A box"],
      ["  Fünf &amp; mehr", "Fünf"],
    ],
  },
  {
    start: 'gitGraph TB:\n  commit id: "a1"\n  branch feature',
    texts: ["a1", "main", "feature"],
    rows: [
      ['commit id: "b2"', "b2"],
      ['commit id: "b3"\n  checkout main\n  commit id: "c4"', "b3", "c4"],
      ['commit id: "p"\n  checkout main\n  commit id: "q"\n  cherry-pick id: "p"', "p", "q"],
    ],
  },
  {
    start: "ishikawa-beta\n  Problem",
    texts: ["Problem"],
    rows: [
      ["  Cause\n      Detail", "Cause", "Detail"],
      ["  People\n    Tools", "People", "Tools"],
    ],
  },
  {
    start: 'venn-beta\n  set A["Alpha"]\n  set B["Beta"]',
    texts: ["Alpha", "Beta"],
    rows: [['union A,B["Both"]', "Both"]],
  },
  {
    start: "quadrantChart\n  x-axis Few --> Many",
    texts: ["Few", "Many"],
    rows: [
      ["quadrant-2 Second\n  quadrant-4 Fourth", "Second", "Fourth"],
      ["P1: [0.5, 0.1]", "P1"],
    ],
  },
  {
    start: "xychart-beta horizontal\n  x-axis [one, two]",
    texts: ["one", "two"],
    rows: [['y-axis "Count" 0 --> 9\n  bar [3, 4]', "Count"], ["line [1, 2]"]],
  },
  {
    start: "timeline\n  2001 : Alpha",
    texts: ["2001", "Alpha"],
    rows: [
      ["2002 : Beta\n       : Gamma", "2002", "Beta", "Gamma"],
      ["title Named", "Named"],
    ],
  },
  {
    start: "graph BT\n  low[Below] --> high[Above]",
    texts: ["Below", "Above"],
    rows: [
      ["high -- up --> top{{Top}}", "up", "Top"],
      ["low -.- side[[Side]]", "Side"],
    ],
  },
  {
    start: 'treemap-beta\n"Whole"',
    texts: ["Whole"],
    rows: [
      ['    "Part": 12\n    "Rest": 8', "Part", "Rest"],
      ['    "Deep"\n        "Leaf": 5', "Deep", "Leaf"],
    ],
  },
];

export const smallDiagrams: readonly SmallDiagram[] = kinds.flatMap(({ start, texts, rows }) =>
  rows.map(([statement, ...others]) => ({
    source: `${start}\n  ${statement}`,
    texts: [...texts.filter((text) => !isReplaced(text, statement)), ...others],
  })),
);

/** The text of the state that a row describes. */
function isReplaced(text: string, statement: string): boolean {
  return statement.startsWith(`${text} : `) && text === "Idle";
}
