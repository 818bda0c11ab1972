import assert from "node:assert/strict";
import { stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { makeFolder, nameFileInError } from "./file-system.ts";

describe("makeFolder", () => {
  it("returns the topmost folder that it created", async () => {
    await using folder = await temporaryFolder();
    const deep = join(folder.path, "a", "b", "c");
    assert.equal(makeFolder(deep, 0o700), join(folder.path, "a"));
    assert.equal((await stat(join(folder.path, "a"))).mode & 0o777, 0o700);
    assert.equal(makeFolder(deep), undefined);
    assert.equal(makeFolder(join(deep, "d")), join(deep, "d"));
  });

  it("accepts a link to a folder", async () => {
    await using folder = await temporaryFolder();
    await symlink(folder.path, join(folder.path, "link"));
    assert.equal(makeFolder(join(folder.path, "link")), undefined);
    assert.equal(makeFolder(join(folder.path, "link", "a")), join(folder.path, "link", "a"));
  });

  const refused: [name: string, path: string, code: string][] = [
    ["below a file", "file/a/b", "ENOTDIR"],
    ["over a file", "file", "EEXIST"],
    ["below a link that leads nowhere", "nowhere/a", "EEXIST"],
    ["below a link to itself", "self/a", "ELOOP"],
    ["for a name that no system accepts", "a\0b", "ERR_INVALID_ARG_VALUE"],
  ];
  if (process.platform === "linux") {
    refused.push(["where the system accepts none", "/proc/octavo", "ENOENT"]);
    refused.push(["far below such a place", "/proc/octavo/a/b", "ENOENT"]);
  }
  for (const [name, path, code] of refused) {
    it(`fails ${name}`, async () => {
      await using folder = await temporaryFolder();
      await writeFile(join(folder.path, "file"), "");
      await symlink("nothing", join(folder.path, "nowhere"));
      await symlink("self", join(folder.path, "self"));
      assert.throws(() => makeFolder(path.startsWith("/") ? path : join(folder.path, path)), {
        code,
      });
    });
  }
});

function failure(code: string, path?: string): Error {
  return Object.assign(new Error(code), { code, ...(path !== undefined && { path }) });
}

describe("nameFileInError", () => {
  it("names the file of an error of the system that names none", () => {
    for (const [error, expected] of [
      [failure("ENOSPC"), "/a"],
      [failure("ENOSPC", "/b"), "/b"],
      [failure("ERR_INVALID_ARG_TYPE"), undefined],
    ] as const) {
      nameFileInError(error, "/a");
      assert.equal((error as { readonly path?: string }).path, expected);
    }
  });
});
