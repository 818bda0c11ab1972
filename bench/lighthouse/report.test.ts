import assert from "node:assert/strict";
import { test } from "node:test";
import { readReport } from "./report.ts";

const category = (score: number | null, ...ids: string[]) => ({
  score,
  auditRefs: ids.map((id) => ({ id, weight: id === "unweighted" ? 0 : 1 })),
});

const result = {
  environment: { benchmarkIndex: 1200 },
  categories: {
    performance: category(0.994, "speed-index"),
    accessibility: category(0.96, "link-name", "unweighted"),
    "best-practices": category(1, "errors-in-console"),
    seo: category(null, "meta-description"),
  },
  audits: {
    "speed-index": { title: "Speed", score: 0.9, displayValue: "2.3 s" },
    "link-name": {
      title: "Names",
      score: 0,
      details: { items: [{}, { node: { snippet: "<a>" } }] },
    },
    unweighted: { title: "Not counted", score: 0 },
    "errors-in-console": { title: "Errors", score: 1 },
    "meta-description": { title: "Description", score: null },
    "network-requests": {
      title: "Requests",
      score: null,
      details: { items: [{ transferSize: 1000 }, { transferSize: 24 }, {}] },
    },
  },
};

test("a report is read from Lighthouse's JSON", () => {
  const { scores, failures, bytes, machine } = readReport(JSON.stringify(result));
  assert.deepEqual(scores, { performance: 99, accessibility: 96, "best-practices": 100, seo: 0 });
  assert.deepEqual(failures, [
    {
      category: "performance",
      audit: "speed-index",
      score: 90,
      value: "2.3 s",
      element: undefined,
    },
    { category: "accessibility", audit: "link-name", score: 0, value: undefined, element: "<a>" },
  ]);
  assert.deepEqual([bytes, machine], [1024, 1200]);
});

test("a page that Lighthouse did not get to see is an error", () => {
  const failed = { ...result, runtimeError: { message: "The page did not paint." } };
  assert.throws(() => readReport(JSON.stringify(failed)), /did not paint/);
});
