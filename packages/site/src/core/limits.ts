/**
 * The maximum values that limit the cost of hostile input. Each number is defined only here; tests and messages read it
 * from here.
 */
export const limits = {
  /** The size of a page's source. The largest of 17,800 real files is 726 KB. */
  pageBytes: 4 * 1024 * 1024,
  /** The size of a configuration file, and of each file to which it refers with `$ref`. */
  configBytes: 8 * 1024 * 1024,
  /** The number of files that a configuration may include with `$ref`, directly or indirectly. */
  configFiles: 200,
  /** The depth of objects and lists in a configuration. Real navigation is nested 7 levels deep. */
  configDepth: 64,
  /**
   * The number of values in a configuration. The target of a `$ref` is counted each time. 5,000 pages in six languages
   * amount to 40,000.
   */
  configValues: 1_000_000,
  /** The number of patterns in a `.mintignore` file. */
  ignorePatterns: 1_000,
  /** The number of characters in one pattern, which is more than any real path has. */
  ignorePatternLength: 1_000,
  /** The number of files of one site, including pages and assets. */
  files: 400_000,
  /**
   * The number of style sheets that a site adds to every page, and also of scripts. The maximum on ten real sites is 5.
   */
  injectedFiles: 100,
  /** The nesting depth of folders. */
  folderDepth: 64,
  /** The number of bytes at the start of a page within which its frontmatter must end. */
  frontmatterBytes: 64 * 1024,
  /** The number of pages of one site. */
  pages: 100_000,
  /**
   * The number of open tags, brackets, quotes and list levels at any position in a page; the parser crashes at about
   * 10,000.
   */
  nesting: 500,
  /**
   * The number of files that one page may include as snippets, directly or indirectly, and the nesting depth of
   * snippets.
   */
  snippets: 1_000,
  snippetDepth: 32,
  /** The number of elements that snippets and expressions may add to one page, and of steps to evaluate them. */
  expandedNodes: 1_000_000,
  expressionSteps: 1_000_000,
  /** The depth of nested calls of an author's functions and components; the engine's stack overflows at about 600. */
  nestedCalls: 200,
  /** The number of steps of a client component's first render; a component that takes more steps is not shown. */
  clientRenderSteps: 200_000,
  /** The number of iterations of one loop during a client component's first render. */
  clientLoopIterations: 5_000,
  /** The size of a compiled file of client components. */
  componentScriptBytes: 512 * 1024,
  /** The size of one page's HTML. */
  htmlBytes: 32 * 1024 * 1024,
  /** The size of llms-full.txt; the complete text of 3,000 long pages has 40 MB. */
  fullTextBytes: 256 * 1024 * 1024,
  /**
   * The size of one API description. The largest of 42 descriptions on real sites has 772 KB; large public descriptions
   * have about 12 MB.
   */
  descriptionBytes: 16 * 1024 * 1024,
  /** The total size of all descriptions of one site, their number, and the number from other hosts. */
  allDescriptionBytes: 64 * 1024 * 1024,
  descriptions: 200,
  remoteDescriptions: 20,
  /** The number of other files to which one description refers, directly or indirectly. */
  linkedFiles: 1_000,
  /** The depth of objects and lists in a description. Real descriptions are nested up to 40 levels deep. */
  descriptionDepth: 100,
  /**
   * The number of characters and values in a description and the files to which it refers. The target of a YAML alias
   * is counted each time.
   */
  descriptionWeight: 32 * 1024 * 1024,
  /** The length of a chain of `$ref` values that refer to each other. */
  descriptionReferences: 32,
  /** The size of the part of a description that one page receives, as JSON. */
  subjectBytes: 2 * 1024 * 1024,
  /**
   * The approximate size of the HTML of one page's schemas. The largest of 104 real pages has 64,000 bytes, including
   * its samples; schemas that refer to each other would expand to gigabytes.
   */
  schemaBytes: 160_000,
  /** The approximate size of the HTML of one page's schemas that is loaded only when readers open these schemas. */
  deferredSchemaBytes: 1_000_000,
  /** The number of groups and pages next to divisions (such as tabs) to which pages in these divisions link. */
  outerEntries: 20,
  /** The number of tags by which readers can filter one changelog, and of entries in its feed. */
  changelogTags: 100,
  feedItems: 500,
  /** The number of redirects of one site. */
  redirects: 10_000,
  /** The number of redirects with wildcards, each of which is tried in turn. The largest of ten real sites has 126. */
  wildcardRedirects: 1_000,
  /**
   * The limits on an export's requests to other hosts: bytes of one file, bytes of all files, number of files, and
   * total time.
   */
  remoteFileBytes: 32 * 1024 * 1024,
  remoteBytes: 1024 * 1024 * 1024,
  remoteFiles: 10_000,
  remoteMs: 10 * 60 * 1_000,
  /** The elapsed time for one page after which the render child is killed. */
  pageMs: 20_000,
  /** The resident memory of one render child above which it is killed. */
  renderChildBytes: 1024 * 1024 * 1024,
  /** The resident memory of a process that reads a site for a service, and its CPU time for one task. */
  readerBytes: 4 * 1024 * 1024 * 1024,
  readerTaskCpuMs: 60_000,
} as const;
