/** Compares what sources say of a pod's end: one that is Failed for one of them cannot be Succeeded for another. */
import { isObject } from '@syncloop/core/base';
import type { Json } from '@syncloop/core/trace';
import { find } from './catalogue/index.js';
import type { Evidence } from './evidence/index.js';
import { Recent } from './identity.js';
import { podIdentity, podStatus } from './pods/facts.js';
import type { Extractor, RecordWriter } from './record-writer.js';
import { patchedStatus } from './story/node.js';

interface Ended {
  readonly source: string;
  readonly phase: string;
}

/** Writes a disagreement if a list of pods and the status manager's patches name different final phases of a pod. */
export class StatusCheck implements Extractor {
  /** The final phase that was named first, by UID. */
  private readonly ended = new Recent<string, Ended>();
  /** UIDs of pods whose sources were said to disagree. */
  private readonly said = new Recent<string, true>();

  hear(evidence: Evidence, seq: number, writer: RecordWriter): void {
    const { source } = evidence;
    if (evidence.kind === 'pods') {
      for (const object of evidence.pods) {
        this.compare(podIdentity(object).uid, { source, phase: finalPhase(podStatus(object)) }, seq, writer);
      }
    } else if (evidence.kind === 'line' && evidence.entry.kind === 'entry') {
      const found = find(evidence.entry);
      if (found?.row.says.is !== 'status-patch') return;
      const patch = patchedStatus(found.fields);
      if (patch) this.compare(patch.uid, { source, phase: finalPhase(patch.status) }, seq, writer);
    }
  }

  private compare(uid: string, side: Ended, seq: number, writer: RecordWriter): void {
    if (uid === '' || side.phase === '') return;
    const first = this.ended.get(uid);
    if (!first) {
      this.ended.set(uid, side);
      return;
    }
    if (first.phase === side.phase || first.source === side.source || this.said.has(uid)) return;
    this.said.set(uid, true);
    const about = `status.phase of ${writer.pods.name(uid) ?? uid}`;
    const sides = [first, side].map(({ source, phase }) => ({ source, value: phase }));
    writer.write({ kind: 'disagreement', about, sides }, { basis: [seq] });
  }
}

/** `Failed` or `Succeeded`; '' for any other status. */
function finalPhase(status: Json | undefined): string {
  const phase = isObject(status) ? status.phase : '';
  return phase === 'Failed' || phase === 'Succeeded' ? phase : '';
}
