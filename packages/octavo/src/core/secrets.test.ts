import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { redactSecrets } from "./secrets.ts";

const secret = "s3cr+t/of=Ada";

describe("hideSecrets", () => {
  const cases: [text: string, clean: string][] = [
    [`denied: ${secret}, ${secret}`, "denied: [redacted], [redacted]"],
    [`https://host/?key=${encodeURIComponent(secret)}&x`, "https://host/?key=[redacted]&x"],
    ["nothing of it here", "nothing of it here"],
  ];
  for (const [text, clean] of cases) {
    test(text, () => assert.equal(redactSecrets(text, ["", "of", secret]), clean));
  }

  test("finds a secret in base64 behind names of every length, and before anything", () => {
    for (const name of ["", "x", "ab", "ada", "ada@example.com"]) {
      for (const rest of ["", "1", "12", "123"]) {
        const encoded = btoa(`${name}:${secret}${rest}`);
        const clean = redactSecrets(`Basic ${encoded} was refused`, [secret]);
        assert.match(clean, /^Basic [\w+/]*\[redacted\][\w+/=]* was refused$/);
      }
    }
  });

  test("does not change words that contain a very short password", () => {
    assert.equal(redactSecrets("a password", ["", "a", "ass"]), "a password");
  });
});
