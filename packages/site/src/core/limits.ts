/** Limits on the cost of hostile input. Each number is defined only here; tests and messages read it from here. */
export const limits = {
  /** The size of a page's source. The largest of 17,800 real files is 726 KB. */
  pageBytes: 4 * 1024 * 1024,
  /** The size of a configuration file, and of each file that it refers to by `$ref`. */
  configBytes: 8 * 1024 * 1024,
  /** Files that a configuration may include by `$ref`, nested or not. */
  configFiles: 200,
  /** Depth of objects and lists in a configuration. Real navigation is nested 7 levels deep. */
  configDepth: 64,
  /** Values in a configuration, counting a `$ref` target each time. 5,000 pages in six languages amount to 40,000. */
  configValues: 1_000_000,
  /** Patterns of one `.mintignore`. */
  ignorePatterns: 1_000,
  /** Characters in one pattern: more than any path has. */
  ignorePatternLength: 1_000,
  /** Files of one site, pages and assets together. */
  files: 400_000,
  /** Style sheets that a site adds to every page, and as many scripts. The maximum on ten real sites is 5. */
  injectedFiles: 100,
  /** Nesting depth of folders. */
  folderDepth: 64,
  /** Bytes at the start of a page within which its frontmatter must end. */
  frontmatterBytes: 64 * 1024,
  /** Pages of one site. */
  pages: 100_000,
  /** Open tags, brackets, quotes and list levels at any position in a page; the parser crashes near 10,000. */
  nesting: 500,
  /** Files that one page may include as snippets, nested or not, and the depth to which snippets may be nested. */
  snippets: 1_000,
  snippetDepth: 32,
  /** Elements that snippets and expressions may add to one page, and steps to evaluate them. */
  expandedNodes: 1_000_000,
  expressionSteps: 1_000_000,
  /** Nested calls of an author's functions and components; the engine's stack has room for about 600. */
  nestedCalls: 200,
  /** Steps of the first render of a client component; a component that takes more is not shown. */
  clientRenderSteps: 200_000,
  /** Iterations of one loop during this render. */
  clientLoopIterations: 5_000,
  /** The size of a compiled file of client components. */
  componentScriptBytes: 512 * 1024,
  /** The size of one page's HTML. */
  htmlBytes: 32 * 1024 * 1024,
  /** Size of llms-full.txt; the whole text of 3,000 heavy pages is 40 MB. */
  fullTextBytes: 256 * 1024 * 1024,
  /** The size of one API description. The largest of 42 real ones is 772 KB; large public ones are about 12 MB. */
  descriptionBytes: 16 * 1024 * 1024,
  /** All descriptions of one site: their total size, their number, and the number from other hosts. */
  allDescriptionBytes: 64 * 1024 * 1024,
  descriptions: 200,
  remoteDescriptions: 20,
  /** Other files that one description refers to, directly or not. */
  linkedFiles: 1_000,
  /** Depth of objects and lists in a description. Real ones are nested 40 levels deep. */
  descriptionDepth: 100,
  /**
   * Characters and values of a description and of the files that it refers to; the target of a YAML alias counts each
   * time.
   */
  descriptionWeight: 32 * 1024 * 1024,
  /** Length of a chain of `$ref` to `$ref`. */
  descriptionReferences: 32,
  /** The part of a description that one page receives, as JSON. */
  subjectBytes: 2 * 1024 * 1024,
  /**
   * Approximate size of the HTML of one page's schemas. The largest of 104 real pages has 64,000 bytes, including its
   * samples; schemas that refer to each other would expand to gigabytes.
   */
  schemaBytes: 160_000,
  /** Approximate size of the HTML of one page's schemas that is loaded only when readers open them. */
  deferredSchemaBytes: 1_000_000,
  /** Groups and pages next to divisions (such as tabs) that pages in those divisions link to. */
  outerEntries: 20,
  /** Tags of one changelog that readers can filter by, and entries of its feed. */
  changelogTags: 100,
  feedItems: 500,
  /** Redirects of one site. */
  redirects: 10_000,
  /** Redirects with wildcards, each of which is tried in turn. The largest of ten real sites has 126. */
  wildcardRedirects: 1_000,
  /** Fetches of an export from other hosts: bytes of one file, bytes of all files, number of files, and total time. */
  remoteFileBytes: 32 * 1024 * 1024,
  remoteBytes: 1024 * 1024 * 1024,
  remoteFiles: 10_000,
  remoteMs: 10 * 60 * 1_000,
  /** Wall time for one page in a render child, after which the child is killed. */
  pageMs: 20_000,
  /** Resident memory of one render child, above which it is killed. */
  renderChildBytes: 1024 * 1024 * 1024,
  /** Resident memory of a process that reads a site for a service, and the CPU time that it may use on one task. */
  readerBytes: 4 * 1024 * 1024 * 1024,
  readerTaskCpuMs: 60_000,
} as const;
