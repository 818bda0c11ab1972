import "./local-code-host.test.ts";
