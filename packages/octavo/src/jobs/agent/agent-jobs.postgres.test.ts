import "./agent-jobs.test.ts";
