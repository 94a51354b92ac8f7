import { learnFrom, proofOf } from './catalogue.js';
import type { Evidence, LogEntry } from './evidence/index.js';
import type { PodIdentities } from './identity.js';
import type { KubeletFacts } from './observer.js';
import type { Scribe, Witness } from './scribe.js';

/** Makes records of what a log's lines say. Only what a line says itself becomes one. */
export class LogWitness implements Witness {
  private pid = 0;
  facts: KubeletFacts = { version: '', node: '', runtime: '' };

  hear(evidence: Evidence, _seq: number, scribe: Scribe): void {
    if (evidence.kind !== 'line' || evidence.entry.kind === 'other') return;
    const { entry } = evidence;
    this.learn(entry);
    // Another process number is another start of the kubelet. How the one before ended no line says.
    if (entry.pid !== 0 && entry.pid !== this.pid) {
      this.pid = entry.pid;
      scribe.write({ kind: 'process', process: 'kubelet', state: 'started' }, { concluded: true });
    }
    const body = proofOf(entry)?.make(scribe.pods);
    if (body) scribe.write(body);
  }

  private learn({ msg, fields }: LogEntry): void {
    const text = (key: string) => (typeof fields[key] === 'string' ? (fields[key] as string) : '');
    if (msg === 'Kubelet version') this.facts = { ...this.facts, version: text('kubeletVersion') };
    else if (msg === 'Container runtime initialized')
      this.facts = { ...this.facts, runtime: `${text('containerRuntime')} ${text('version')}`.trim() };
    else if (msg === 'Attempting to register node') this.facts = { ...this.facts, node: text('node') };
    else if (msg === 'Event occurred' && fields.kind === 'Node' && this.facts.node === '')
      this.facts = { ...this.facts, node: text('object') };
  }
}

/** Which UID goes with which name, from lines that come after those that need it. */
export function foreseeIdentities(evidence: Evidence, pods: PodIdentities): void {
  if (evidence.kind === 'line' && evidence.entry.kind === 'entry') learnFrom(evidence.entry, pods);
}
