/** Names that do not depend on ids, so that two runs can be laid side by side. */

/** A sandbox or container. */
export interface StableName {
  /** Its pod's name: `web@0` is the first pod of that name, `web@1` the next (another UID). */
  readonly pod: string;
  /** `sandbox#0`, `app#1`: with the attempt. */
  readonly short: string;
  /** Container's name; undefined for a sandbox. */
  readonly container?: string;
}

/** Assigns the names of one recording. */
export class Names {
  /** Pods' names by UID, in the order they were met. */
  readonly byUid = new Map<string, string>();
  private readonly seen = new Map<string, number>();
  private readonly byId = new Map<string, StableName>();

  /** The pod of this name and UID. */
  pod(name: string, uid: string): string {
    const known = this.byUid.get(uid);
    if (known !== undefined) return known;
    const n = this.seen.get(name) ?? 0;
    this.seen.set(name, n + 1);
    const made = `${name}@${n}`;
    this.byUid.set(uid, made);
    return made;
  }

  learn(id: string, named: StableName): void {
    this.byId.set(id, named);
  }

  find(id: string): StableName | undefined {
    return this.byId.get(id);
  }
}

const patterns: readonly [RegExp, string][] = [
  [/containerd:\/\/[0-9a-f]+/g, 'CID'],
  [/\b[0-9a-f]{64}\b/g, 'ID'],
  [/sha256:\S+/g, 'DIGEST'],
  // The duration in some of the kubelet's texts: "in 203ms (203ms including waiting)."
  [/\d+(\.\d+)?m?s\b(?= \(| including|\.)/g, 'DUR'],
];

/** Returns a text without what differs from run to run: UIDs, ids, digests, measured times. */
export function scrub(text: unknown, uids: Iterable<string>): string {
  let out = String(text ?? '');
  for (const uid of uids) if (uid) out = out.replaceAll(uid, 'UID');
  return patterns.reduce((t, [pattern, name]) => t.replace(pattern, name), out);
}
