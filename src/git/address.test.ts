import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isOctavoError } from "../core/index.ts";
import { parseRepositoryAddress } from "./index.ts";

describe("parseRepositoryAddress", () => {
  const read: [text: string, address: object][] = [
    [
      "https://GitHub.com/octo/docs.git",
      {
        protocol: "https",
        host: "github.com",
        port: 443,
        url: "https://github.com/octo/docs.git",
      },
    ],
    [
      "https://[2001:db8::1]:8443/docs",
      {
        protocol: "https",
        host: "2001:db8::1",
        port: 8443,
        url: "https://[2001:db8::1]:8443/docs",
      },
    ],
    // Other spellings of 127.0.0.1, so that nobody compares letters.
    [
      "https://0x7f.1/docs",
      { protocol: "https", host: "127.0.0.1", port: 443, url: "https://127.0.0.1/docs" },
    ],
    [
      "http://git.corp.example/docs",
      {
        protocol: "http",
        host: "git.corp.example",
        port: 80,
        url: "http://git.corp.example/docs",
      },
    ],
    [
      "ssh://git@github.com:2222/octo/docs.git",
      {
        protocol: "ssh",
        host: "github.com",
        port: 2222,
        url: "ssh://git@github.com:2222/octo/docs.git",
      },
    ],
    [
      "git@github.com:octo/docs.git",
      {
        protocol: "ssh",
        host: "github.com",
        port: 22,
        url: "ssh://git@github.com/octo/docs.git",
      },
    ],
    [
      "file:///srv/git/my%20docs.git",
      { protocol: "file", path: "/srv/git/my docs.git", url: "file:///srv/git/my%20docs.git" },
    ],
    ["file:///srv/git/../../etc", { protocol: "file", path: "/etc", url: "file:///etc" }],
  ];
  for (const [text, address] of read) {
    it(`reads ${text}`, () => assert.deepEqual(parseRepositoryAddress(text), address));
  }

  const refused: [text: string, words: RegExp][] = [
    ["", /address of a repository/],
    ["docs", /address of a repository/],
    ["/srv/git/docs", /address of a repository/],
    ["--upload-pack=touch /tmp/x", /address of a repository/],
    ["ext::sh -c touch% /tmp/x", /https and ssh/],
    ["git://github.com/octo/docs", /https and ssh/],
    ["ftp://host.example/docs", /https and ssh/],
    ["https://github.com", /no path/],
    ["https://host.example/docs?ref=main", /query/],
    ["https://host.example/docs#main", /query/],
    ["https://octo:hunter2@github.com/octo/docs", /credentials/],
    ["https://hunter2@github.com/octo/docs", /credentials/],
    ["ssh://git:hunter2@github.com/octo/docs", /credentials/],
    ["https://octo:hunter2@github.com:99999/octo/docs", /address of a repository/],
    ["octo:hunter2@github.com:octo/docs", /https and ssh/],
    ["hunter2:x-oauth-basic@github.com/octo/docs", /https and ssh/],
    ["hunter2", /address of a repository/],
    ["ssh://-oProxyCommand=touch/docs", /host name/],
    ["ssh://-oProxyCommand=touch@host.example/docs", /user name/],
    ["-oProxyCommand=x@host.example:docs", /address of a repository|https and ssh/],
    ["file://host.example/srv/git", /no host/],
    ["file:///srv/%00git", /control/],
    ["file:///srv/%ff", /escape/],
    ["https://host.example/a\nb", /control/],
    [`https://host.example/${"a".repeat(3000)}`, /too long/],
  ];
  for (const [text, words] of refused) {
    it(`refuses ${JSON.stringify(text.slice(0, 60))}`, () => {
      assert.throws(
        () => parseRepositoryAddress(text),
        (error) =>
          isOctavoError(error, "invalid_input") &&
          words.test(error.message) &&
          !error.message.includes("hunter2"),
      );
    });
  }
});
