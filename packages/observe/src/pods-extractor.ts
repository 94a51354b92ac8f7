/** Reads lists of pods: which name goes with which UID, and which statuses changed. */
import { oldestKey } from '@syncloop/core/base';
import type { Evidence } from './evidence/index.js';
import type { PodIdentities } from './identity.js';
import { podIdentity, podStatus } from './pods/facts.js';
import type { Extractor, RecordWriter } from './record-writer.js';

/** Most pods whose last status is remembered. */
const MOST_PODS = 4096;

export class PodsExtractor implements Extractor {
  /** The last status of a pod as text, by UID. */
  private readonly statuses = new Map<string, string>();

  hear(evidence: Evidence, _seq: number, writer: RecordWriter): void {
    if (evidence.kind !== 'pods') return;
    for (const object of evidence.pods) {
      const { pod, uid } = podIdentity(object);
      if (uid === '') continue;
      writer.pods.learn(pod, uid);
      if (evidence.removed) {
        this.statuses.delete(uid);
        continue;
      }
      const status = podStatus(object);
      if (status === undefined) continue;
      const text = JSON.stringify(status);
      if (this.statuses.get(uid) === text) continue;
      this.statuses.delete(uid);
      this.statuses.set(uid, text);
      if (this.statuses.size > MOST_PODS) this.statuses.delete(oldestKey(this.statuses) as string);
      writer.write({ kind: 'status', pod, uid, status });
    }
  }
}

/** Learns which UID goes with which name, for evidence before the list; the first one counts until the list's turn. */
export function foreseePods(evidence: Evidence, pods: PodIdentities): void {
  if (evidence.kind !== 'pods') return;
  for (const object of evidence.pods) {
    const { pod, uid } = podIdentity(object);
    if (pods.uid(pod) === undefined) pods.learn(pod, uid);
  }
}
