import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson } from "../text/index.ts";
import { findConfigLocations } from "./config-file.ts";

const told = (map: ReadonlyMap<string, object>) =>
  Object.fromEntries(
    [...map].map(([name, place]) => [name, Object.values(place).slice(1).join(":")]),
  );

test("of each name the first place in the configuration is known, apart for icons, addresses and redirects", () => {
  const text = `{
    "logo": "/logo.svg",
    "navbar": { "links": [{ "href": " /a ", "icon": { "name": "rocket", "style": "solid" } }] },
    "navigation": { "groups": [
      { "group": "/a", "icon": "star", "pages": [{ "icon": "star" }] },
      { "href": "/a", "icon": "/logo.svg" }
    ] },
    "redirects": [{ "source": "/a", "destination": "/b" }]
  }`;
  const places = findConfigLocations(parseJson("docs.json", text, { remaining: 100 }));
  assert.deepEqual(told(places.icons), { rocket: "3:63", star: "5:32", "/logo.svg": "6:31" });
  assert.deepEqual(told(places.addresses), { "/logo.svg": "2:13", "/a": "3:37", "/b": "8:52" });
  assert.deepEqual(told(places.redirects), { "/a": "8:31" });
});
