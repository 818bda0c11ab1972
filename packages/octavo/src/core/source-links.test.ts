import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fillLink } from "@octavo/site";
import { findLinesUrl, findSourceLinks } from "./source-links.ts";

function editLink(repository: string, { branch = "main", directory = ".", file = "a.mdx" } = {}) {
  const template = findSourceLinks({ repository, branch, directory })?.edit;
  return template === undefined ? undefined : fillLink(template, "path", file);
}

function issueLink(repository: string): string | undefined {
  return findSourceLinks({ repository, branch: "main", directory: "." })?.issue;
}

describe("links to the source of a page", () => {
  it("have the form of each known host", () => {
    const cases = [
      ["https://github.com/acme/site", "https://github.com/acme/site/edit/main/a.mdx"],
      ["https://github.com/acme/site.git", "https://github.com/acme/site/edit/main/a.mdx"],
      ["https://GitHub.com/acme/site/", "https://github.com/acme/site/edit/main/a.mdx"],
      ["git@github.com:acme/site.git", "https://github.com/acme/site/edit/main/a.mdx"],
      ["ssh://git@github.com/acme/site.git", "https://github.com/acme/site/edit/main/a.mdx"],
      [
        "ssh://git@ssh.github.com:443/acme/site.git",
        "https://github.com/acme/site/edit/main/a.mdx",
      ],
      ["git@gitlab.com:acme/team/site.git", "https://gitlab.com/acme/team/site/-/edit/main/a.mdx"],
      [
        "https://bitbucket.org/acme/site",
        "https://bitbucket.org/acme/site/src/main/a.mdx?mode=edit",
      ],
      ["https://codeberg.org/acme/site.git", "https://codeberg.org/acme/site/_edit/main/a.mdx"],
    ] as const;
    for (const [repository, wanted] of cases)
      assert.equal(editLink(repository), wanted, repository);
  });

  it("are not guessed, and contain no password", () => {
    const others = [
      "https://git.example.com/acme/site",
      "https://github.com.example.com/acme/site",
      "https://github.com/acme",
      "https://github.com/acme/site/more",
      "https://ada:secret@github.com/acme/site",
      "https://secret@github.com/acme/site",
      "file:///srv/git/acme/site",
      "../site",
      "",
      "ext::sh -c true",
    ];
    for (const repository of others) assert.equal(editLink(repository), undefined, repository);
  });

  it("have GitHub's form on a known GitHub server", () => {
    const place = { branch: "main", directory: ".", codeHost: "github" } as const;
    const cases = [
      ["https://git.example.com/acme/site.git", "https://git.example.com"],
      ["https://git.example.com:8443/acme/site", "https://git.example.com:8443"],
      ["ssh://git@git.example.com:2222/acme/site", "https://git.example.com"],
      ["git@git.example.com:acme/site.git", "https://git.example.com"],
      ["https://gitlab.com/acme/site", "https://gitlab.com"],
    ] as const;
    for (const [repository, origin] of cases) {
      const link = findSourceLinks({ ...place, repository })?.edit;
      const form = origin === "https://gitlab.com" ? "-/edit" : "edit";
      assert.equal(link, `${origin}/acme/site/${form}/main/{path}`);
    }
  });

  it("have the form of Gitea on a server that is known to be one, also below a path", () => {
    const place = { branch: "main", directory: ".", codeHost: "gitea" } as const;
    for (const [repository, page] of [
      ["https://git.example.com/forge/acme/site.git", "https://git.example.com/forge/acme/site"],
      ["git@git.example.com:acme/site.git", "https://git.example.com/acme/site"],
      ["https://codeberg.org/acme/site", "https://codeberg.org/acme/site"],
    ] as const) {
      const link = findSourceLinks({ ...place, repository })?.edit;
      assert.equal(link, `${page}/_edit/main/{path}`);
    }
  });

  it("escape branch, folder and file part by part", () => {
    const repository = "https://github.com/acme/site";
    const place = { branch: "fix/50%#1", directory: "my docs/{path}", file: "où/a b?.mdx" };
    assert.equal(
      editLink(repository, place),
      "https://github.com/acme/site/edit/fix/50%25%231/my%20docs/%7Bpath%7D/o%C3%B9/a%20b%3F.mdx",
    );
  });

  it("lead to a new issue if the host has issues", () => {
    const template = issueLink("git@github.com:acme/site.git") ?? "";
    const filled = fillLink(template, "title", "R&D: $& {title} #1");
    assert.equal(
      filled,
      "https://github.com/acme/site/issues/new?title=R%26D%3A%20%24%26%20%7Btitle%7D%20%231",
    );
    assert.match(issueLink("https://gitlab.com/a/b") ?? "", /\/-\/issues\/new\?issue%5Btitle%5D=/);
    assert.equal(issueLink("https://bitbucket.org/a/b"), undefined);
  });
});

describe("links to lines of a file", () => {
  it("have the form of each known host", () => {
    const commit = "0123456789abcdef0123456789abcdef01234567";
    const cases = [
      [
        "https://github.com/acme/engine.git",
        3,
        `https://github.com/acme/engine/blob/${commit}/a%20%28b%29.ts#L3`,
      ],
      [
        "git@github.com:acme/engine.git",
        5,
        `https://github.com/acme/engine/blob/${commit}/a%20%28b%29.ts#L3-L5`,
      ],
      [
        "https://gitlab.com/acme/x/engine",
        5,
        `https://gitlab.com/acme/x/engine/-/blob/${commit}/a%20%28b%29.ts#L3-5`,
      ],
      [
        "https://bitbucket.org/acme/engine",
        5,
        `https://bitbucket.org/acme/engine/src/${commit}/a%20%28b%29.ts#lines-3:5`,
      ],
      [
        "https://codeberg.org/acme/engine",
        5,
        `https://codeberg.org/acme/engine/src/commit/${commit}/a%20%28b%29.ts#L3-L5`,
      ],
      ["https://git.example.com/acme/engine", 5, undefined],
      ["https://x:hunter2@github.com/acme/engine", 5, undefined],
      ["file:///srv/git/engine", 5, undefined],
    ] as const;
    for (const [repository, endLine, wanted] of cases) {
      const lines = { repository, commit, path: "a (b).ts", line: 3, endLine };
      assert.equal(findLinesUrl(lines), wanted, repository);
    }
  });
});
