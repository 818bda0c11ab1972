require("node:fs");
