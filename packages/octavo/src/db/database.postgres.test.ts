import "./database.test.ts";
