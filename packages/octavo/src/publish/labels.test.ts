import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  getBranchLabel,
  getDeploymentLabel,
  getPullRequestLabel,
  isSlug,
  numberSlug,
  parseLabel,
  suggestSlug,
  toSlug,
} from "./labels.ts";

describe("slugs", () => {
  it("are 1 to 40 letters, digits and single hyphens", () => {
    for (const slug of ["a", "acme", "acme-docs-2", "a".repeat(40)]) assert.ok(isSlug(slug), slug);
    const invalid = ["", "A", "-a", "a-", "a--b", "a.b", "a_b", "ä", "a ", "a".repeat(41), "a\n"];
    for (const slug of invalid) assert.ok(!isSlug(slug), slug);
  });

  it("are made from any text", () => {
    assert.equal(toSlug("Über  Größe / 2.0"), "uber-gro-e-2-0");
    assert.equal(toSlug("--a--b--"), "a-b");
    assert.equal(toSlug("日本語"), "");
    assert.equal(toSlug(`${"a".repeat(39)}-b`), "a".repeat(39));
  });

  it("are suggested by the label of a domain that names its owner", () => {
    assert.equal(suggestSlug("demo.localhost"), "demo");
    assert.equal(suggestSlug("docs.acme.example"), "acme");
    assert.equal(suggestSlug("docs.localhost"), "docs");
    assert.equal(suggestSlug("acme.example"), "acme");
    assert.equal(suggestSlug("xn--bcher-kva.example"), "xn-bcher-kva");
  });

  it("get a number within the limit", () => {
    assert.equal(numberSlug("acme", 2), "acme-2");
    assert.ok(isSlug(numberSlug("a".repeat(40), 12)));
  });
});

describe("labels of hosts", () => {
  const key = `bundles/0123456789abcdef${"0".repeat(48)}.zip`;

  it("name a deployment, a pull request or a branch before the slug", () => {
    assert.equal(getDeploymentLabel("acme", key), "0123456789ab--acme");
    assert.equal(getPullRequestLabel("acme", 12), "pr-12--acme");
    assert.equal(getBranchLabel("acme", "Feature/New navigation"), "feature-new-navigation--acme");
  });

  it("are read back", () => {
    assert.deepEqual(parseLabel("acme"), { slug: "acme", prefix: "" });
    assert.deepEqual(parseLabel("pr-12--acme-docs"), { slug: "acme-docs", prefix: "pr-12" });
    assert.deepEqual(parseLabel("a--b--c"), { slug: "b--c", prefix: "a" });
  });

  it("never exceed 63 characters, and tell long branches apart", () => {
    const slug = "s".repeat(40);
    const [one, other] = ["a", "b"].map((end) =>
      getBranchLabel(slug, `${"long/".repeat(20)}${end}`),
    );
    assert.ok(one && other && one.length <= 63 && other.length <= 63);
    assert.notEqual(one, other);
    assert.equal(parseLabel(one).slug, slug);
  });

  it("of a branch never look like another kind of host", () => {
    for (const branch of ["pr-12", "0123456789ab", "xn", "日本"]) {
      const { prefix } = parseLabel(getBranchLabel("acme", branch));
      assert.match(prefix, /[0-9a-f]{8}$/);
      assert.ok(!/^(?:pr-\d+|[0-9a-f]{12}|xn)$/.test(prefix), prefix);
    }
  });
});
