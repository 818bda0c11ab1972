import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { TracedGit } from "../support/git-trace.ts";
import { plant, plantSecrets } from "../support/planted-secrets.ts";
import type { SeenProcess } from "../support/process-watch.ts";
import { createSecretSearch } from "../support/secret-search.ts";
import { workThroughEverything } from "../support/secrets-scenario.ts";
import type { Met } from "../support/secrets-scenario.ts";
import { startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const isLinux = process.platform === "linux";
const loginVariables = ["OCTAVO_GIT_USERNAME", "OCTAVO_GIT_PASSWORD"];

describe("a service whose every neighbor is careless", () => {
  const planted = plantSecrets();
  let met: Met;
  before(async () => {
    met = await workThroughEverything(planted);
  });

  const kinds = ["output", "answer", "page", "request", "bundle", "repository", "database", "file"];
  for (const kind of kinds) {
    test(`leaks no secret into any ${kind}`, () => {
      const found = met.evidence.filter((one) => one.kind === kind);
      // The log contains no part of a path that somebody chose.
      const marker = kind === "output" ? "(unknown path)" : planted.marker;
      const control = createSecretSearch({ marker });
      assert.ok(
        found.some(({ place, content }) => control.find(place, content).length > 0),
        "The search does not find what is there.",
      );
      const { secrets, passes } = planted;
      const search = createSecretSearch(kind === "output" ? { ...secrets, ...passes } : secrets);
      const leaks = found.flatMap(({ place, content }) => search.find(place, content));
      assert.deepEqual(leaks, []);
    });
  }

  test("sends the model's key to the model, in its header", () => {
    assert.deepEqual([...met.modelKeys], [`Bearer ${planted.environment.OCTAVO_MODEL_KEY}`]);
  });

  test("gives no secret to a process as an argument", () => {
    const seen = met.processes.map(({ command }) => command);
    const commands = [...seen, ...met.gits.flatMap(commandsOf)];
    for (const part of ["git .* fetch ", "git .* push ", "git .* commit-tree ", "remote-https "]) {
      assert.ok(
        commands.some((command) => new RegExp(part).test(command)),
        `no ${part} was seen`,
      );
    }
    const search = createSecretSearch(planted.secrets);
    const leaks = commands.flatMap((command) => search.find(command, command));
    assert.deepEqual(leaks, []);
  });

  test("gives git the credentials that it needs, when it needs them, and nothing else", () => {
    const { login, wrongLogin } = planted;
    const names = met.gits.flatMap(({ variables }) => [...variables.keys()]);
    assert.deepEqual(new Set(names), new Set(loginVariables));
    const loggedIn = met.gits.filter(({ variables }) => variables.has("OCTAVO_GIT_PASSWORD"));
    const given = loggedIn.map(({ variables }) => variables.get("OCTAVO_GIT_PASSWORD"));
    assert.deepEqual(new Set(given), new Set([login.password, wrongLogin.password]));
    for (const { command } of loggedIn.filter(({ isTopLevel }) => isTopLevel)) {
      assert.match(command, /^git .* (?:fetch|push|ls-remote) /);
    }
  });

  test("keeps its environment from all that it starts", { skip: !isLinux }, () => {
    const search = createSecretSearch(planted.secrets);
    const others = met.processes.flatMap(({ command, environment = [] }) =>
      environment
        .filter((variable) => !loginVariables.includes(nameOf(variable)))
        .map((variable) => ({ command, variable })),
    );
    const leaks = others.flatMap(({ command, variable }) => search.find(command, variable));
    assert.deepEqual(leaks, []);
    const password = `OCTAVO_GIT_PASSWORD=${planted.login.password}`;
    assert.ok(
      met.processes.some(({ environment }) => environment?.includes(password)),
      "no git was seen that logs in",
    );
    const children = met.processes
      .filter(isRenderChild)
      .flatMap((child) => child.environment ?? []);
    // What Node itself adds to speak with them, and Bubblewrap's folder, which is always the root.
    const own = ["NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE"];
    const given = children.filter((variable) => variable !== "PWD=/");
    assert.deepEqual(new Set(given.map(nameOf)), new Set(own));
  });
});

test("a service that cannot open its database does not say by which password", async () => {
  await using root = await temporaryFolder();
  const secrets = { password: plant("database"), OCTAVO_SECRET: plant("secret") };
  const started = startService({
    data: root.path,
    env: {
      DATABASE_URL: `postgres://octavo:${encodeURIComponent(secrets.password)}@127.0.0.1:1/octavo`,
      OCTAVO_SECRET: secrets.OCTAVO_SECRET,
      OCTAVO_LOG_LEVEL: "trace",
    },
  });
  await assert.rejects(started, ({ message }: Error) => {
    assert.match(message, /127\.0\.0\.1:1\/octavo could not be opened/);
    assert.deepEqual(createSecretSearch(secrets).find("output", message), []);
    return true;
  });
});

function commandsOf({ command, started }: TracedGit): readonly string[] {
  return [command, ...started];
}

function isRenderChild({ command }: SeenProcess): boolean {
  return /pool\/child\.[jt]s/.test(command);
}

function nameOf(variable: string): string {
  return variable.slice(0, variable.indexOf("="));
}
