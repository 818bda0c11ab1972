/** Part of a site: a folder or a page, as the instruction names it; the whole site where undefined. */
export interface Scope {
  readonly name: string;
}

interface Scoped {
  readonly scope?: Scope;
}

/** One thing to do, understood in every part. Names of pages and groups are as they were written. */
export type Task =
  | ({ readonly kind: "fix_links"; readonly what: "links" | "anchors" } & Scoped)
  | ({
      readonly kind: "rename_term";
      readonly from: string;
      readonly to: string;
      readonly inCode: boolean;
      readonly withPlural: boolean;
      /** It may be a group, a tab or a page as well: only two names were given. */
      readonly isNamed?: true;
    } & Scoped)
  | ({
      readonly kind: "raise_version";
      readonly from: string;
      readonly to: string;
      readonly product?: string;
    } & Scoped)
  | { readonly kind: "move_page"; readonly page: string; readonly to: string }
  | {
      readonly kind: "add_page";
      readonly title: string;
      readonly path?: string;
      readonly group?: string;
      readonly description?: string;
      readonly text?: string;
    }
  | ({ readonly kind: "fill_descriptions" } & Scoped)
  | ({ readonly kind: "fix_spelling" } & Scoped)
  | ({ readonly kind: "check_sources" } & Scoped)
  | { readonly kind: "delete_page"; readonly page: string; readonly redirectTo?: string }
  | {
      readonly kind: "set_field";
      readonly page: string;
      readonly field: string;
      readonly value: string;
    }
  | { readonly kind: "add_redirect"; readonly from: string; readonly to: string }
  | {
      readonly kind: "rename_division";
      readonly division: "group" | "tab";
      readonly name: string;
      readonly to: string;
    };

export type TaskOf<Kind extends Task["kind"]> = Extract<Task, { readonly kind: Kind }>;
