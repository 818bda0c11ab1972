import assert from "node:assert/strict";
import { test } from "node:test";
import { openSearch, searchPage } from "../../../../test/support/search-in-bundle.ts";

/** Pages like those of a product's documentation, for testing readers' typical queries. */
const pages = [
  searchPage("index", "Welcome", [
    ["", "Welcome", "Orbit sends messages. Install the client, create a webhook, and go."],
    ["next-steps", "Next steps", "Read about authentication, webhooks, rate limits and errors."],
  ]),
  searchPage("install", "Installation", [
    ["", "Installation", "Orbit runs on Linux, macOS and Windows."],
    ["linux", "Install on Linux", "Run curl and add the folder to your path."],
    ["docker", "Run with Docker", "Pull the image and set ORBIT_API_KEY in the environment."],
    ["uninstall", "Uninstall", "Remove the folder ~/.orbit and what it installed."],
  ]),
  searchPage("auth", "Authentication", [
    ["", "Authentication", "Every request carries a key. Keys never expire by themselves."],
    ["rotate", "Rotate a key", "Create a new key, deploy it, then revoke the old key."],
    ["scopes", "Scopes", "A key may be limited to messages:read or messages:write."],
  ]),
  searchPage("webhooks", "Webhooks", [
    ["", "Webhooks", "Orbit calls your server when a message was delivered."],
    ["verify", "Verify signatures", "Compare the header with verifySignature(body, secret)."],
    ["retry", "Retry policy", "Calls that fail are repeated with exponential backoff."],
  ]),
  searchPage("limits", "Rate limits", [
    ["", "Rate limits", "A project may send 100 requests a second; max_retries is 5."],
    ["headers", "Headers", "X-RateLimit-Remaining says how many requests are left."],
  ]),
  searchPage(
    "api/list-users",
    "List users",
    [
      ["", "List users", "Lists the users of a project, page by page."],
      ["response", "Response", "An array of users with id, name and created_at."],
    ],
    { frontmatter: { openapi: "GET /v1/users", extra: {} } },
  ),
  searchPage(
    "api/create-user",
    "Create a user",
    [
      ["", "Create a user", "Makes a user and sends an invitation by mail."],
      ["body", "Body", "The name and the mail address of the user; see GET /v1/users for others."],
    ],
    { frontmatter: { openapi: "openapi.json POST /v1/users", extra: {} } },
  ),
  searchPage(
    "api/delete-user",
    "Delete a user",
    [["", "Delete a user", "Takes a user out of the project, with all messages."]],
    { frontmatter: { api: "DELETE https://api.example.com/v1/users/{id}", extra: {} } },
  ),
  searchPage("sdk", "JavaScript SDK", [
    ["", "JavaScript SDK", "A client for Node.js 20 and browsers."],
    ["retries", "Options", "Pass max_output_tokens, baseURL and timeoutMs to createOrbitClient."],
    ["parse", "parseHTTPDate", "Reads dates of headers."],
  ]),
  searchPage("changelog", "Changelog", [
    ["", "Changelog", "What changed in Orbit."],
    ["v1-2-3", "v1.2.3", "Fixed retries; faster installation."],
    ["v1-2-0", "v1.2.0", "Added webhooks and 3 new options."],
    ["v1-1-0", "v1.1.0", "Added rate limits."],
  ]),
  searchPage(
    "deploy",
    "Run in production",
    [["", "Run in production", "Put two nodes behind a balancer."]],
    { frontmatter: { keywords: ["kubernetes", "high availability"], extra: {} } },
  ),
  searchPage("notes", "Notes", [
    ["", "Notes", "users delete webhooks rate authentication installation. ".repeat(30)],
    [
      "more",
      "More",
      "Limits of the rate, and users to get. A policy to retry by. The key of Linux.",
    ],
  ]),
];

const cases: [of: string, query: string, href: string][] = [
  ["the title beats a text that says it thirty times", "installation", "install.html"],
  ["the title beats a heading", "webhooks", "webhooks.html"],
  ["a title as it is typed", "authent", "auth.html"],
  ["two words of a title as they are typed", "rate lim", "limits.html"],
  ["a title of two words, not the words apart", "rate limits", "limits.html"],
  ["a heading beats a text with all its words", "retry policy", "webhooks.html#retry"],
  ["a heading within a page that the query names", "webhooks retry", "webhooks.html#retry"],
  ["all words beat one", "linux install", "install.html#linux"],
  ["a common word between says nothing", "how to rotate a key", "auth.html#rotate"],
  ["a phrase of the text", "exponential backoff", "webhooks.html#retry"],
  ["the word, not one that begins with it", "install linux", "install.html#linux"],
  ["an operation", "GET /v1/users", "api/list-users.html"],
  ["an operation by another method", "POST /v1/users", "api/create-user.html"],
  ["an operation with its host", "delete /v1/users/{id}", "api/delete-user.html"],
  ["an operation by its short path", "GET /users", "api/list-users.html"],
  ["snake_case", "max_output_tokens", "sdk.html#retries"],
  ["the beginning of snake_case", "max_out", "sdk.html#retries"],
  ["snake_case with a common part", "max_retries", "limits.html"],
  ["a part of snake_case", "tokens", "sdk.html#retries"],
  ["camelCase", "verifySignature", "webhooks.html#verify"],
  ["a part of camelCase", "orbitclient", "sdk.html#retries"],
  ["parts of a name among words", "create client baseurl", "sdk.html#retries"],
  ["parts that stand in another name", "signatureVerify", "webhooks.html#verify"],
  ["capitals within a name", "parse http date", "sdk.html#parse"],
  ["a setting", "ORBIT_API_KEY", "install.html#docker"],
  ["a version", "v1.2.3", "changelog.html#v1-2-3"],
  ["a version without its v", "1.2.3", "changelog.html#v1-2-3"],
  ["the beginning of a version", "v1.1", "changelog.html#v1-1-0"],
  ["a name with a point", "node.js", "sdk.html"],
  ["a header", "x-ratelimit-remaining", "limits.html#headers"],
  ["a keyword of the author", "kubernetes", "deploy.html"],
  ["a wrong letter", "authentocation", "auth.html"],
  ["a wrong first letter", "qebhooks", "webhooks.html"],
  ["a missing first letter", "ebhooks", "webhooks.html"],
  ["a swapped first letter", "ewbhooks", "webhooks.html"],
  ["a letter too many in front", "wwebhooks", "webhooks.html"],
  ["two errors in a long word", "autentikation", "auth.html"],
  ["an error before the word is whole", "autenti", "auth.html"],
  ["an error in one of two words", "rotatr key", "auth.html#rotate"],
];

const engine = openSearch(pages);
for (const [of, query, href] of cases) {
  test(`${of}: "${query}"`, async () => {
    const results = await (await engine).query(query);
    assert.equal(results[0]?.href, href, results.map((result) => result.href).join(" "));
  });
}

const signs = openSearch([
  searchPage("using-c", "Using C", [
    ["", "Using C", "The C client calls common code. c c c."],
    ["reference", "Reference", "Refer to the reference. ref, ref."],
  ]),
  searchPage("cpp", "C++ client", [
    ["", "C++ client", "Install the C++ library, also with C++17."],
  ]),
  searchPage("csharp", "C# client", [
    ["", "C# client", "Install the C# library. Uses .NET."],
    ["asp", "Web servers", "ASP.NET runs it."],
  ]),
  searchPage("network", "Net settings", [
    ["", "Net settings", "Change the network. Net settings, colors and caches. Connect."],
    ["dry", "Run dry", "Run it until it runs dry. Dry run."],
  ]),
  searchPage("cli", "Commands", [
    ["", "Commands", "Begin here. Node version 20."],
    ["flags", "Flags", "Pass --dry-run to change nothing, or -n."],
    ["env", "Environment", "Variables come from .env.local and $HOME."],
  ]),
  searchPage("packages", "Packages", [
    ["", "Packages", "The scope has a name: orbit, client."],
    ["npm", "npm", "Run npm install @orbit/client with Node.js 20."],
    ["json", "Schemas", 'Write {"$ref": "#/definitions/a"} and {"_meta": {}}.'],
  ]),
  searchPage("meta", "Meta data", [["", "Meta data", "Meta, meta of data, and the ref of it."]]),
  searchPage("zh", "安装", [["", "安装", "可以使用.NET和C#开发服务。"]]),
]);

const signCases: [of: string, query: string, hrefs: string[]][] = [
  ["signs after a letter", "C++", ["cpp.html"]],
  ["the other sign", "c#", ["csharp.html", "zh.html"]],
  ["full width", "Ｃ＃", ["csharp.html", "zh.html"]],
  ["beside a script without spaces", "使用C#", ["zh.html"]],
  ["a point before the word", ".NET", ["csharp.html", "zh.html"]],
  ["the beginning of it", ".ne", ["csharp.html", "zh.html"]],
  ["a point within the word", "node.js", ["packages.html#npm"]],
  ["a word with signs among others", "install c++", ["cpp.html"]],
  ["a flag", "--dry-run", ["cli.html#flags"]],
  ["the beginning of a flag", "--dr", ["cli.html#flags"]],
  ["a short flag", "-n", ["cli.html#flags"]],
  ["a file", ".env", ["cli.html#env"]],
  ["a variable", "$HOME", ["cli.html#env"]],
  ["a package with its scope", "@orbit/client", ["packages.html#npm"]],
  ["a scope", "@orbit", ["packages.html#npm"]],
  ["a key of JSON", "$ref", ["packages.html#json"]],
  ["an underscore", "_meta", ["packages.html#json"]],
  ["a sign that no page has", "ref#", ["using-c.html#reference"]],
];
for (const [of, query, hrefs] of signCases) {
  test(`${of}: "${query}"`, async () => {
    const results = (await (await signs).query(query)).map((result) => result.href);
    assert.deepEqual(results.slice(0, hrefs.length), hrefs, results.join(" "));
  });
}

test("a word is marked with its signs, not its letters", async () => {
  const [result] = await (await signs).query("C#");
  assert.equal(result?.title, "[C#] client");
  assert.equal(result?.excerpt, "Install the [C#] library. Uses .NET.");
  const [flags] = await (await signs).query("--dry");
  assert.equal(flags?.excerpt, "Pass [--dry-run] to change nothing, or -n.");
  const dotNet = await (await signs).query(".NET");
  const excerpts = Object.fromEntries(dotNet.map(({ href, excerpt }) => [href, excerpt]));
  assert.equal(excerpts["csharp.html"], "Install the C# library. Uses [.NET].");
  assert.equal(excerpts["csharp.html#asp"], "ASP.NET runs it.");
});

const titles = openSearch([
  searchPage("installation", "Installation", [
    ["", "Installation", "How to put the program on your computer."],
    ["requirements", "Requirements", "Python."],
  ]),
  searchPage("skills", "Skills", [
    ["", "Skills", "Pieces of instructions."],
    ["install", "Install", "Install a published skill by its name."],
  ]),
  searchPage("node", "Node SDK", [
    ["", "Node SDK", "A client."],
    ["session", "Session", "An interface."],
    ["session-detail", "SessionDetail", "An interface of a session."],
    ["scrape-job-metadata", "ScrapeJobMetadata", "An interface."],
    ["scrape", "Scrape", "Starts a scrape."],
  ]),
  searchPage("scrape-a-website", "Scrape a website", [
    ["", "Scrape a website", "How to read a website."],
    ["pages", "Pages", "Those that were read."],
  ]),
  searchPage("overview", "Overview of sessions", [
    ["", "Overview of sessions", "How they begin and end."],
    ["states", "Session states", "Open and closed."],
  ]),
  searchPage("cart", "Create a new cart", [["", "Create a new cart", "Creates a shopping cart."]]),
  searchPage("telemetry", "Telemetry", [
    ["", "Telemetry", "What is measured."],
    ["traced", "What gets traced", "You create orders; a cart too, create, cart, create a cart."],
  ]),
  ...Array.from({ length: 40 }, (_, at) =>
    searchPage(`reference/${at}`, `Class ${at}`, [
      ["", `Class ${at}`, "An interface."],
      ["scrape", "Scrape", "Scrape, scrape, scrape."],
      ["session", "Session", "Session, session, session."],
    ]),
  ),
]);

const titleCases: [of: string, query: string, pages: string[]][] = [
  ["a title that begins with it, not a heading that equals it", "install", ["installation.html"]],
  ["a title of several words that begins with it", "scrape", ["scrape-a-website.html"]],
  ["a title that contains it", "session", ["overview.html"]],
  ["a title with words between", "create cart", ["cart.html"]],
  ["a title within a longer query", "the installation of node", ["installation.html"]],
  ["a typo in the title", "instalation", ["installation.html"]],
];
for (const [of, query, hrefs] of titleCases) {
  test(`${of}: "${query}"`, async () => {
    const results = (await (await titles).query(query)).map((result) => result.href);
    assert.deepEqual(results.slice(0, hrefs.length), hrefs, results.join(" "));
  });
}

const questions = openSearch([
  searchPage("domains", "Domains", [
    ["", "Domains", "Readers find a site at its address."],
    ["add", "Add a domain", "Create the record that proves the domain."],
  ]),
  searchPage("habits", "What people say", [
    ["", "What people say", "How do I use my own words? I use my own, and where do I?"],
  ]),
  searchPage("publish", "Publish a site", [["", "Publish a site", "It is published at once."]]),
  searchPage("history", "History", [["", "History", "Publishing came late. Turbo valves too."]]),
  searchPage("engine", "Engine", [
    ["", "Engine", "All that moves, from the pump to the turbo and its valve."],
    ["opening", "Opening", "The valve of the turbo opens when the pressure in the pipe rises."],
    ["closing", "Closing", "The valve of the turbo closes when the pressure in the pipe falls."],
  ]),
  searchPage(
    "gates",
    "Gates",
    [["", "Gates", "Limit the flow of water to a mill. A gate is made of oak, hung in a frame."]],
    { frontmatter: { description: "Limit the flow of water to a mill.", extra: {} } },
  ),
  searchPage("pumps", "Disable a pump", [["", "Disable a pump", "It stands still at once."]]),
  searchPage("lever", "Lever of the mill", [["", "Lever of the mill", "Raise it by hand."]]),
  searchPage("reference/parts", "Parts", [
    ["", "Parts", ""],
    ["turns", "Turns", "turns: How often the crank of the bucket turns."],
  ]),
  searchPage("buckets", "Buckets", [
    ["", "Buckets", "The crank of a bucket turns often. Each bucket has a rope."],
  ]),
  searchPage("mill-releases", "Old mill races", [
    ["", "Old mill races", "Races of a mill. An old mill race."],
    ...Array.from({ length: 5 }, (_, at): [string, string, string] => [
      `v1-${at}`,
      `v1.${at}.0`,
      "The old race of the mill was cleaned.",
    ]),
  ]),
  searchPage("races", "Races", [["", "Races", "The race of a mill is cleaned every spring."]]),
  searchPage("several", "Several", [["", "Several", "Several of them are old."]]),
  searchPage("mills", "Mills", [["", "Mills", "Flow, flow of water. Water."]]),
  ...Array.from({ length: 30 }, (_, at) =>
    searchPage(`notes/${at}`, `Note ${at}`, [["", `Note ${at}`, "A site has pages."]]),
  ),
]);

const questionCases: [of: string, query: string, page: string][] = [
  ["the words of a question say nothing", "how do I use my own domain", "domains.html"],
  ["other forms of a word", "publishing", "publish.html"],
  ["the description of a page beats a text that repeats it", "water flow", "gates.html"],
  ["words of quantity say nothing either", "how do I limit several flows", "gates.html"],
  ["a page with several good sections", "turbo valve", "engine.html"],
  ["a word for the same idea", "how can I throttle the flow", "gates.html"],
  ["a verb of two words apart", "how do I turn the pump off", "pumps.html"],
  ["a title with all words that name the subject", "add the mill lever", "lever.html"],
  ["a page that explains, not a changelog", "clean the race of my mill", "races.html"],
  ["a changelog, if a version is asked for", "mill race in v1.3.0", "mill-releases.html#v1-3"],
  ["a page that explains, not a reference", "how often does the crank turn", "buckets.html"],
];
for (const [of, query, href] of questionCases) {
  test(`${of}: "${query}"`, async () => {
    const results = (await (await questions).query(query)).map((result) => result.href);
    assert.equal(results[0], href, results.join(" "));
  });
}

test("words of a question that say nothing are not marked, unless nothing else was asked", async () => {
  const [result] = await (await questions).query("how do I add a domain");
  assert.equal(result?.heading, "[Add] a [domain]");
  const [other] = await (await questions).query("how do I");
  assert.match(other?.excerpt ?? "", /\[How\] \[do\] \[I\]/);
});

test("a page has one of the first three places, and its other sections come after", async () => {
  for (const query of ["scrape", "session", "interface"]) {
    const results = await (await titles).query(query);
    const pages = results.map(({ href }) => href.split("#", 1)[0]);
    assert.equal(new Set(pages.slice(0, 3)).size, 3, pages.join(" "));
  }
  const alone = openSearch([
    searchPage("a", "Alpha", [
      ["", "Alpha", "One."],
      ["b", "Alpha beta", "Two."],
      ["c", "Alpha gamma", "Three."],
    ]),
  ]);
  const results = await (await alone).query("alpha");
  assert.deepEqual(
    results.map(({ href }) => href),
    ["a.html", "a.html#b", "a.html#c"],
  );
});

test("a section without text has no excerpt", async () => {
  const search = await openSearch([searchPage("empty", "Empty", [["", "Empty", ""]])]);
  const [result] = await search.query("empty");
  assert.equal(result?.href, "empty.html");
  assert.equal(result.excerpt, "");
});

const asian = openSearch([
  searchPage("zh", "快速开始", [["", "快速开始", "安装文档服务并运行它。"]]),
  searchPage("zh-2", "部署", [["", "部署", "在服务器上运行文档。"]]),
  searchPage("ja", "サーバーの設定", [
    ["", "サーバーの設定", "データベースへの接続を構成します。"],
    ["key", "鍵", "APIキーを作成する。"],
  ]),
  searchPage("ja-2", "概要", [["", "概要", "ﾃﾞｰﾀをＡＰＩで送ります。"]]),
  searchPage("ko", "문서를 배포하기", [
    ["", "문서를 배포하기", "사용자가 서버에서 문서를 설치합니다."],
    ["docker", "Docker를 쓰기", "이미지를 내려받습니다."],
  ]),
  searchPage("th", "เริ่มต้น", [["", "เริ่มต้น", "ติดตั้งเอกสาร"]]),
]);

const asianCases: [of: string, query: string, href: string][] = [
  ["Chinese", "文档服务", "zh.html"],
  ["Chinese, one character", "署", "zh-2.html"],
  ["Japanese, katakana", "サーバー", "ja.html"],
  ["Japanese, the other spelling", "サーバ", "ja.html"],
  ["Japanese, hiragana for katakana", "さーばー", "ja.html"],
  ["Japanese, half width asked", "ｻｰﾊﾞｰ", "ja.html"],
  ["Japanese, half width in the text", "データを", "ja-2.html"],
  ["full width asked", "ＡＰＩキー", "ja.html#key"],
  ["full width in the text", "api", "ja-2.html"],
  ["Japanese, words without what joins them", "サーバー 設定", "ja.html"],
  ["Korean without a particle", "문서", "ko.html"],
  ["Korean with another particle", "사용자는", "ko.html"],
  ["Korean with two particles", "서버에서는", "ko.html"],
  ["Korean, another form of a verb", "설치하기", "ko.html"],
  ["Korean, a particle on another script", "Docker는", "ko.html#docker"],
  ["Thai", "เอกสาร", "th.html"],
];
for (const [of, query, href] of asianCases) {
  test(`${of}: "${query}"`, async () => {
    const results = await (await asian).query(query);
    assert.equal(results[0]?.href, href, results.map((result) => result.href).join(" "));
  });
}
