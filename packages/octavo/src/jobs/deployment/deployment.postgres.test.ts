import "./deployment.test.ts";
