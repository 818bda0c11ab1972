import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { countsIn, finishJobs } from "../support/finished-jobs.ts";
import type { FinishedJob, FinishedJobs } from "../support/finished-jobs.ts";

/**
 * Each recipe as a whole job of a fresh service without a model key, on a site made of traps. The diff and the
 * summary are kept beside the site; `npx node --test --test-update-snapshots test/e2e/recipes.service.test.ts` writes
 * them anew, to be read line by line.
 */
const folder = join(import.meta.dirname, "../sites/recipes");

const prompts = {
  "fix-links": "Fix the broken links",
  "rename-term": "Rename the term “Anchor Watch” to “Night Watch”.",
  "rename-term-in-code":
    "Please replace the term 'Anchor Watch' with 'Berth Guard', including plurals, also in code",
  "move-page": "Move guides/mooring to guides/berths/tying-up",
  "rename-page":
    "Rename the page guides/tides to guides/tide-tables\nSet the title of guides/tide-tables to 'Tide tables'",
  "add-page":
    'Add a page "Anchoring overnight" to the group Guides with the description "Sleep at anchor." and the text "Look at the *bottom* first."',
  "fill-descriptions": "Fill in the missing descriptions",
  "fix-spelling": "fix common misspellings",
  "remove-page": "Delete the page guides/weather",
  "remove-page-with-redirect": "Remove guides/weather and redirect it to guides/tides",
  "joined-tasks":
    "Move guides/rates to guides/fees, set its title to 'Fees' and rename the group Guides to Handbook",
  "scope-of-folder-and-page":
    "Please rename the term 'Anchor Watch' to 'Night Watch' in guides/anchor-watch and snippets",
  "scope-of-group": "Fix the typos in the Guides group",
  several:
    "1. Fix the broken links\n2. Fix typos\n3. Rename the term 'Anchor Watch' to 'Night Watch'\n4. Move guides/rates to guides/fees\n5. Add the missing descriptions",
} as const;
const nothing =
  "Rename 'Galley' to 'Kitchen'\nRename 'Frigate' to 'Ship'\nFix typos in reference/api";
const strange = "Fix the broken links and write a poem about the sea";
/** Prompts of which one part cannot be done, each with the reason. */
const refused = {
  "Move guides/rates to guides/fees and delete the page guides/nowhere":
    /the site has no page “guides\/nowhere”\. Nothing was changed\./,
  "Set the title of guides/rates to 'Fees' and its icon to 'coin' and rename the tab Log to Diary":
    /no tab “Log”.*Nothing was changed\./,
  "Fix the broken links in harbor/": /no folder or page “harbor\/”.*Nothing was changed\./,
  "Fix typos in the Harbors group": /no group “Harbors”.*Nothing was changed\./,
  "Fix typos and fill in the missing descriptions in guides/":
    /it is not clear whether the part of the site applies to all tasks\. Nothing was changed\./,
} as const;

describe("a recipe, from the prompt to the pull request", () => {
  let finished: FinishedJobs;
  before(async () => {
    finished = await finishJobs(join(folder, "docs"), [
      ...Object.values(prompts),
      nothing,
      strange,
      ...Object.keys(refused),
    ]);
  });
  const jobOf = (prompt: string): FinishedJob => {
    const found = finished.jobs.find((job) => job.prompt === prompt);
    assert.ok(found);
    return found;
  };

  for (const [name, prompt] of Object.entries(prompts)) {
    test(name, (t) => {
      const { job, diff, body = "", after } = jobOf(prompt);
      assert.equal(job.status, "completed", job.error);
      assert.ok(job.prLink);
      const keep = { serializers: [String] };
      t.assert.fileSnapshot(diff, join(folder, "diffs", `${name}.diff`), keep);
      t.assert.fileSnapshot(`${job.summary}\n`, join(folder, "diffs", `${name}.md`), keep);
      assert.deepEqual(countsIn(body), {
        errors: [finished.before.errors, after.errors],
        warnings: [finished.before.warnings, after.warnings],
      });
      assert.ok(after.errors <= finished.before.errors);
    });
  }

  test("changes nothing where nothing is to be changed, and says so", () => {
    const { job, diff } = jobOf(nothing);
    assert.deepEqual([job.status, job.prLink, diff], ["completed", null, ""]);
    assert.match(
      job.summary ?? "",
      /^No file was changed\. Nothing was renamed: `Galley` does not/,
    );
  });

  test("does no part of what it understands in part, and shows what could be sent", () => {
    const { job, diff } = jobOf(strange);
    assert.deepEqual([job.status, job.prLink, diff], ["failed", null, ""]);
    assert.match(
      job.error ?? "",
      /do not understand “Fix the broken links and write a poem about the sea”.*\n\n {4}Fix the broken links\n/s,
    );
  });

  for (const [prompt, reason] of Object.entries(refused)) {
    test(`changes nothing if a part cannot be done: ${prompt}`, () => {
      const { job, diff, after } = jobOf(prompt);
      assert.deepEqual([job.status, job.prLink, diff], ["failed", null, ""]);
      assert.match(job.error ?? "", reason);
      assert.deepEqual(after.problems, finished.before.problems);
    });
  }
});
