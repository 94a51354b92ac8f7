import { defaultEra, type EraVersion, loadEra } from '@syncloop/core/kubelet/era';
import { startScenario } from '@syncloop/core/scenario';
import { findScenario, library } from '@syncloop/core/scenario/library';
import { formatKlog, type Json, type TraceRecord } from '@syncloop/core/trace';
import { expect, it } from 'vitest';
import { observeLog } from './testing/observe-log.js';
import { manyRuns, sampled } from './testing/sampled.js';

const EPOCH = Date.UTC(2026, 10, 22, 10);
const uidOf = (args: Json | undefined) => String((args as { uid?: Json } | undefined)?.uid ?? '');

/** The facts of a run that a log reports, as texts. A mirror pod goes by its name: no line has to name its UID. */
function facts(records: readonly TraceRecord[], mirrors: ReadonlySet<string>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const add = (kind: string, key: string) => {
    const keys = found.get(kind);
    if (keys) keys.push(key);
    else found.set(kind, [key]);
  };
  const names = new Set<string>();
  for (const r of records)
    switch (r.kind) {
      case 'pod-config':
        add('config', `${r.op} ${r.source} ${r.pods.map((p) => `${p.pod} ${mirrors.has(p.pod) ? '' : p.uid}`).join()}`);
        break;
      case 'pleg-event':
        if (r.type !== 'ContainerRemoved' && !r.dropped) add('PLEG events', `${r.type} ${r.uid} ${r.data}`);
        break;
      case 'pod-update':
        if (r.dropped === undefined) add('updates', `${r.uid} ${r.updateType} ${r.workType}`);
        break;
      case 'worker':
        if (r.state !== 'removed') add('workers', `${r.uid} ${r.state}`);
        break;
      case 'enter':
        if (/^Sync(Pod|Term)/.test(r.fn)) add('syncs', `${r.fn} ${uidOf(r.args)}`);
        if (r.fn === 'createPodSandbox') add('sandboxes', '');
        if (r.fn === 'startContainer') add('starts', `${uidOf(r.args)} ${(r.args as { container: string }).container}`);
        if (r.fn === 'killContainer')
          add('kills', (r.args as { containerID: string }).containerID.replace(/^.*:\/\//, ''));
        break;
      case 'work-done':
        if (r.error !== undefined) add('failed syncs', r.uid);
        break;
      case 'pleg-transition':
        add('transitions', `${r.id} ${r.old} ${r.new}`);
        if (r.name !== undefined || r.sandbox === true) names.add(`${r.id} ${r.name} ${r.sandbox}`);
        break;
      case 'probe':
        add('probes', `${r.uid} ${r.container} ${r.probeType} ${r.outcome}`);
        break;
      case 'probe-result':
        add('probe results', `${r.uid} ${r.container} ${r.probeType} ${r.result}`);
        break;
      case 'backoff':
        if (r.active && r.of === 'crash-loop') add('back-offs', `${r.uid} ${r.container} ${r.delay}`);
        break;
      case 'eviction':
        if (/^(evict|evicted|cleaned)$/.test(r.phase)) add('evictions', `${r.phase} ${r.uid}`);
        break;
    }
  found.set('names', [...names]);
  return found;
}

/** Kinds of which a log at `-v=4` reports each one. */
const WHOLE = [
  'config',
  'PLEG events',
  'updates',
  'syncs',
  'sandboxes',
  'starts',
  'kills',
  'failed syncs',
  'transitions',
  'probes',
  'back-offs',
  'evictions',
];

function hold(era: EraVersion, names: readonly string[], whole: readonly string[], only = (_: string) => true): void {
  for (const name of names) {
    const records: TraceRecord[] = [];
    startScenario(findScenario(name), { era, sink: (r) => records.push(r) }).run({ until: 60e6 });
    const text: string[] = [];
    const mirrors = new Set<string>();
    let pid = 100;
    for (const r of records) {
      if (r.kind === 'process' && r.process === 'kubelet' && r.state === 'started') pid++;
      if (r.kind === 'log' && r.v <= 4) text.push(`${formatKlog(r, { epochMillis: EPOCH, pid })}\n`);
    }
    const sources = new Map<string, Set<string>>();
    for (const r of records)
      if (r.kind === 'pod-config')
        for (const { pod } of r.pods) sources.set(pod, new Set([...(sources.get(pod) ?? []), r.source]));
    // Before v1.27 the lines about a pod that is refused, or done with, do not tell its UID.
    for (const [pod, of] of sources) if (of.size > 1 || era !== defaultEra) mirrors.add(pod);
    const truth = facts(records, mirrors);
    for (const [kind, told] of facts(observeLog(text.join('')).records, mirrors)) {
      if (!only(kind)) continue;
      const counts = new Map<string, number>();
      for (const key of truth.get(kind) ?? []) counts.set(key, (counts.get(key) ?? 0) + 1);
      const invented = told.filter((key) => {
        const n = counts.get(key) ?? 0;
        counts.set(key, n - 1);
        return n <= 0;
      });
      const left = [...counts].filter(([, n]) => n > 0).map(([key]) => key);
      expect(invented, `${era} ${name}: ${kind} that never were`).toEqual([]);
      if (whole.includes(kind)) expect(left, `${era} ${name}: ${kind} that are missing`).toEqual([]);
    }
  }
}

// What config-operations puts into configCh comes from no source, so that no record but the line has it. The run of
// full-node costs as much as twenty others, and its lines are those of the others.
const everything = library
  .map(({ name }) => name)
  .filter((name) => name !== 'config-operations' && (manyRuns || name !== 'full-node'));

it('concludes from the log of our own kubelet what our kubelet did, and nothing else', () => {
  hold(defaultEra, sampled(everything, 3), WHOLE);
});

/** The facts that the lines of a version report. */
const PRINTED = ['config', 'PLEG events', 'transitions', 'failed syncs'];
const WITH_FIELDS = [...PRINTED, 'sandboxes', 'starts', 'probes'];

it.each([
  ['v1.12', PRINTED],
  ['v1.21', WITH_FIELDS],
  ['v1.25', [...WITH_FIELDS, 'kills', 'syncs']],
  ['v1.32', [...WITH_FIELDS, 'kills', 'syncs']],
] as const)('reads back what the kubelet of %s wrote in the words of its version', async (era, whole) => {
  await loadEra(era);
  const names = ['hello', 'crash-loop', 'static-pod-edited', 'init-failing', 'liveness', 'api-pod', 'readiness'];
  hold(era, names, whole, (kind) => (whole as readonly string[]).includes(kind));
});
