import "./webhooks.test.ts";
