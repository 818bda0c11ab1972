/** Text for people: what it names may be gone, as in a changelog. */
const prose = /\.(?:mdx?|markdown|rst|adoc|asciidoc|txt|tex|po|pot|rtf|html?)$/i;
const data =
  /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|svg|pdf|mp[34]|webm|mov|wav|ogg|woff2?|ttf|otf|eot|zip|gz|tgz|xz|bz2|zst|7z|jar|war|wasm|so|dylib|dll|exe|bin|dat|db|sqlite|csv|tsv|parquet|map|lock|snap|pack|pem|crt)$/i;
const locks =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|[^/]+\.min\.\w+)$/i;
/** Code that uses other programs, or the product as others do. */
const aside =
  /(?:^|\/)(?:\.[^/]+|tests?|__tests__|specs?|fixtures?|testdata|examples?|samples?|demos?|docs?|scripts?|tools?|bench(?:marks?)?|ci|vendor|third[_-]party|node_modules)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]+$/i;

/** Whether a name that stands in the file may still be had. */
export function isSearched(path: string): boolean {
  return !prose.test(path) && !data.test(path) && !locks.test(path);
}

/** Signs that end a place in a citation. */
const uncitable = /[\s"'`“”]/;

/** Whether the file can define what the product offers, and be cited for it. */
export function isDefining(path: string): boolean {
  return isSearched(path) && !aside.test(path) && !uncitable.test(path);
}
