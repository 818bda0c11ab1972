import "./static-export.test.ts";
