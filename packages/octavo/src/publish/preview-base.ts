/** A deployment with which a preview can be compared. */
export interface ComparableDeployment {
  readonly bundleKey: string;
  readonly bundleBytes: number;
  /** The commit; null for an uploaded folder. */
  readonly commit: string | null;
}

export interface BaseCandidates {
  /** The deployment that readers see. */
  readonly live: ComparableDeployment | undefined;
  /**
   * The deployment of the commit at which the preview's pull request branched off; null if that commit has no
   * deployment, undefined for a preview without a pull request.
   */
  readonly forkBase: ComparableDeployment | null | undefined;
}

/** A bundle with which a preview is compared. */
export interface PreviewBase {
  readonly archive: { readonly key: string; readonly format: "zip"; readonly bytes: number };
  /** The bundle's name in a sentence, such as `the published version`. */
  readonly name: string;
}

/**
 * Chooses the deployment with which a preview is compared: the deployment of the commit where its pull request branched
 * off, because the live deployment may already contain other changes, or else the live deployment.
 */
export function choosePreviewBase({ live, forkBase }: BaseCandidates): PreviewBase | undefined {
  const base = forkBase ?? live;
  if (!base) return undefined;
  const { bundleKey: key, bundleBytes: bytes } = base;
  return { archive: { key, format: "zip", bytes }, name: describeBase(base, forkBase) };
}

function describeBase(
  { commit }: ComparableDeployment,
  forkBase: BaseCandidates["forkBase"],
): string {
  const commitName = commit === null ? "" : `commit ${commit.slice(0, 7)}`;
  if (forkBase) return `${commitName}, where the pull request branched off`;
  const published =
    commitName === "" ? "the published version" : `the published version at ${commitName}`;
  if (forkBase === undefined) return published;
  return `${published}, because no deployment shows the commit where the pull request branched off`;
}
