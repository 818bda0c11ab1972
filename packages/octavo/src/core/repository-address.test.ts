import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { parseRepositoryAddress } from "./repository-address.ts";

describe("parseRepositoryAddress", () => {
  const read: [text: string, protocol: string, host: string, port: number, path: string][] = [
    ["https://github.com/octo/docs.git", "https", "github.com", 443, "/octo/docs.git"],
    ["https://[2001:db8::1]:8443/docs", "https", "2001:db8::1", 8443, "/docs"],
    ["http://git.corp.example/docs", "http", "git.corp.example", 80, "/docs"],
    ["https://git.corp.example/my%20docs", "https", "git.corp.example", 443, "/my%20docs"],
    ["ssh://git@github.com:2222/octo/docs.git", "ssh", "github.com", 2222, "/octo/docs.git"],
    ["ssh://git@[2001:db8::1]/docs", "ssh", "2001:db8::1", 22, "/docs"],
  ];
  for (const [text, protocol, host, port, path] of read) {
    it(`reads ${text}`, () => {
      const address = { protocol, host, port, path, url: text };
      assert.deepEqual(parseRepositoryAddress(text), address);
    });
  }

  const brought: [text: string, host: string, url: string][] = [
    ["https://GitHub.com/octo/docs.git", "github.com", "https://github.com/octo/docs.git"],
    ["ssh://git@GitHub.com/octo", "github.com", "ssh://git@GitHub.com/octo"],
    ["git@github.com:octo/docs.git", "github.com", "ssh://git@github.com/octo/docs.git"],
    ["git@github.com:/octo/docs.git", "github.com", "ssh://git@github.com/octo/docs.git"],
    ["git@github.com:2222/docs.git", "github.com", "ssh://git@github.com/2222/docs.git"],
    ["https://bücher.example/docs", "xn--bcher-kva.example", "https://xn--bcher-kva.example/docs"],
    // Other spellings of 127.0.0.1, which a comparison of text would miss.
    ["https://0x7f.1/docs", "127.0.0.1", "https://127.0.0.1/docs"],
    ["https://2130706433/docs", "127.0.0.1", "https://127.0.0.1/docs"],
  ];
  for (const [text, host, url] of brought) {
    it(`brings ${text} into one form`, () => {
      const address = parseRepositoryAddress(text);
      assert.ok(address.protocol !== "file");
      assert.deepEqual([address.host, address.url], [host, url]);
    });
  }

  const folders: [text: string, path: string, url: string][] = [
    ["file:///srv/git/my%20docs.git", "/srv/git/my docs.git", "file:///srv/git/my%20docs.git"],
    ["file:///srv/git/../../etc", "/etc", "file:///etc"],
    ["file:///srv/git/%2e%2e/other", "/srv/other", "file:///srv/other"],
  ];
  for (const [text, path, url] of folders) {
    it(`reads ${text}`, () => {
      assert.deepEqual(parseRepositoryAddress(text), { protocol: "file", path, url });
    });
  }

  const refused: [text: string, words: RegExp][] = [
    ["", /not a repository address/],
    ["docs", /not a repository address/],
    ["/srv/git/docs", /not a repository address/],
    ["--upload-pack=touch", /not a repository address/],
    ["--upload-pack=touch /tmp/x", /spaces/],
    ["ext::sh -c touch% /tmp/x", /spaces/],
    ["ext::sh", /https or ssh/],
    ["git://github.com/octo/docs", /https or ssh/],
    ["ftp://host.example/docs", /https or ssh/],
    ["https://github.com", /no path/],
    ["ssh://git@github.com", /no path/],
    ["https://host.example/docs?ref=main", /query/],
    ["https://host.example/docs#main", /query/],
    ["https://octo:hunter2@github.com/octo/docs", /credentials/],
    ["https://hunter2@github.com/octo/docs", /credentials/],
    ["ssh://git:hunter2@github.com/octo/docs", /credentials/],
    ["https://octo:hunter2@github.com:99999/octo/docs", /not a repository address/],
    ["octo:hunter2@github.com:octo/docs", /https or ssh/],
    ["hunter2:x-oauth-basic@github.com/octo/docs", /https or ssh/],
    ["hunter2", /not a repository address/],
    ["https://host.example/docs?token=hunter2", /query/],
    ["https://host.example/docs#hunter2", /query/],
    ["ssh://-oProxyCommand=touch/docs", /host name/],
    ["ssh://git@bücher.example/docs", /host name/],
    ["ssh://git@0x7f.1/docs", /host name/],
    ["https://a_b.example/docs", /host name/],
    ["git@-x:a/b", /host name/],
    ["git@git.example:-x", /hyphen/],
    ["ssh://-oProxyCommand=touch@host.example/docs", /user name/],
    ["-oProxyCommand=x@host.example:docs", /not a repository address|https or ssh/],
    ["file://host.example/srv/git", /without a host/],
    ["file:///srv/%00git", /control/],
    ["file:///srv/%ff", /percent-encoding/],
    ["https://host.example/a\nb", /spaces/],
    ["https://host.example/a\u0007", /control/],
    [`https://host.example/${"a".repeat(3000)}`, /longer than/],
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
