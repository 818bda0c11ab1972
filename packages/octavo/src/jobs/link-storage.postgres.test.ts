import "./link-storage.test.ts";
