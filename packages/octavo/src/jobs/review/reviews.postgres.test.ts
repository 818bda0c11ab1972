import "./reviews.test.ts";
