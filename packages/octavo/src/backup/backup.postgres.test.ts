import "./backup.test.ts";
