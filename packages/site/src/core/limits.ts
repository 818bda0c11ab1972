/** Limits on the cost of hostile input. Each number is defined only here; tests and messages read it from here. */
export const limits = {
  /** A page's source. The largest of 17,800 real files is 726 KB. */
  pageBytes: 4 * 1024 * 1024,
  /** A configuration file, and each file that it refers to by `$ref`. */
  configBytes: 8 * 1024 * 1024,
  /** Files that a configuration may include by `$ref`, nested or not. */
  configFiles: 200,
  /** Depth of objects and lists in a configuration. Real navigation nests 7 deep. */
  configDepth: 64,
  /** Values in a configuration, counting a `$ref` target each time. 5,000 pages in six languages are 40,000. */
  configValues: 1_000_000,
  /** Patterns of one `.mintignore`. */
  ignorePatterns: 1_000,
  /** Characters of one pattern: more than a path has. */
  ignorePatternLength: 1_000,
  /** Files of one site, pages and assets together. */
  files: 400_000,
  /** Style sheets, and as many scripts, that a site adds to every page. The most on ten real sites is 5. */
  injectedFiles: 100,
  /** How deep folders may nest. */
  folderDepth: 64,
  /** The start of a page in which its frontmatter must end. */
  frontmatterBytes: 64 * 1024,
  /** Pages of one site. */
  pages: 100_000,
  /** Open tags, brackets, quotes and list levels at any position in a page; the parser crashes near 10,000. */
  nesting: 500,
  /** Files that one page may include as snippets, nested or not, and their depth. */
  snippets: 1_000,
  snippetDepth: 32,
  /** Elements that snippets and expressions may bring into one page, and steps to evaluate them. */
  expandedNodes: 1_000_000,
  expressionSteps: 1_000_000,
  /** Calls of an author's functions and components inside each other; the engine's stack has room for about 600. */
  nestedCalls: 200,
  /** Steps of the first render of a client component; a component that takes more is not shown. */
  liveSteps: 200_000,
  /** Rounds of one loop of such a component. */
  liveRounds: 5_000,
  /** A file of such components, compiled. */
  componentScriptBytes: 512 * 1024,
  /** HTML of one page. */
  htmlBytes: 32 * 1024 * 1024,
  /** Size of llms-full.txt; the whole text of 3,000 heavy pages is 40 MB. */
  fullTextBytes: 256 * 1024 * 1024,
  /** One description of an API. The largest of 42 real ones is 772 KB; large public ones are near 12 MB. */
  descriptionBytes: 16 * 1024 * 1024,
  /** All descriptions of one site together, their number, and the number from other hosts. */
  descriptionsBytes: 64 * 1024 * 1024,
  descriptions: 200,
  remoteDescriptions: 20,
  /** Other files that one description refers to, directly or not. */
  linkedFiles: 1_000,
  /** Depth of objects and lists in a description. Real ones nest 40 deep. */
  descriptionDepth: 100,
  /** Characters and values of a description and the files that it refers to; a YAML alias's target counts each time. */
  descriptionWeight: 32 * 1024 * 1024,
  /** Length of a chain of `$ref` to `$ref`. */
  descriptionReferences: 32,
  /** The part of a description that one page receives, as JSON. */
  subjectBytes: 2 * 1024 * 1024,
  /**
   * HTML of the schemas of one page, approximately. The largest of 104 real pages has 64,000 bytes with its samples;
   * schemas that refer to each other would become gigabytes.
   */
  schemaBytes: 160_000,
  /** HTML of the schemas that readers of one page load when they open them, approximately. */
  deferredBytes: 1_000_000,
  /** Groups and pages beside divisions, such as tabs, to which the pages in the divisions link. */
  outerEntries: 20,
  /** Tags of one changelog that readers can filter by, and entries of its feed. */
  changelogTags: 100,
  feedItems: 500,
  /** Redirects of one site. */
  redirects: 10_000,
  /** Redirects with wildcards, each of which is tried in turn. The largest of ten real sites has 126. */
  wildcardRedirects: 1_000,
  /** Fetches of an export from other hosts: bytes of a file, bytes of all files, their number, and the total time. */
  remoteFileBytes: 32 * 1024 * 1024,
  remoteBytes: 1024 * 1024 * 1024,
  remoteFiles: 10_000,
  remoteMs: 10 * 60 * 1_000,
  /** Wall time for one page in a render child before the child is ended. */
  pageMs: 20_000,
  /** Resident memory of one render child before it is ended. */
  childBytes: 1024 * 1024 * 1024,
  /** Resident memory of a process that reads a site for a service, and the CPU time that it may use on one task. */
  readerBytes: 4 * 1024 * 1024 * 1024,
  readerBlockedMs: 60_000,
} as const;
