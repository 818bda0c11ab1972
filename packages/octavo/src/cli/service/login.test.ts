import assert from "node:assert/strict";
import { it } from "node:test";
import { folderFor } from "../../../../../test/support/git-fixture.ts";
import { run } from "../cli.test-support.ts";
import { commands } from "../commands.ts";

it("the help of login names every command that uses the login", async (t) => {
  const cwd = await folderFor(t);
  const help = async (...args: string[]) => (await run([...args, "--help"], { cwd })).stdout;
  const users: string[] = [];
  for (const { name } of commands.filter((command) => !/^log(in|out)$/.test(command.name))) {
    const own = await help(name);
    const [, list = ""] = own.split("\nCommands:\n");
    const children = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, child = ""]) => child);
    const texts = await Promise.all(children.map((child) => help(name, child)));
    if ([own, ...texts].some((text) => /^ +--url <url> /m.test(text))) users.push(name);
  }
  assert.ok(users.includes("publish") && users.includes("webhooks"), users.join());
  const words = new Set((await help("login")).split("Arguments:")[0]?.match(/[a-z]+/g));
  assert.deepEqual(
    users.filter((name) => !words.has(name)),
    [],
  );
});
