import type { TraceRecord } from '@syncloop/core/trace';
import type { Coverage } from '../base/types.js';

/** From this verbosity on, a log reports all syncs, PLEG events and probes; from `EVENTS` on, the events recorded. */
const ALL = 4;
const EVENTS = 3;

/**
 * Returns how much the sources of an observed run report of each kind. If a kind is reported in part, only observed
 * decisions can be compared with a twin. Everything is known of our own run.
 */
export function coverageOf(records: readonly TraceRecord[]): Coverage {
  const sources = new Set<string>();
  let own = true;
  let torn = false;
  let verbosity = 0;
  let whole = false;
  const has = new Set<string>();
  for (const r of records) {
    has.add(r.kind);
    if (r.kind === 'evidence-source') {
      own = false;
      if (r.state === 'opened') sources.add(r.source);
      if (r.state === 'lost') torn = true;
    } else if (r.kind === 'evidence-gap') torn = true;
    else if (r.kind === 'log') verbosity = Math.max(verbosity, r.v);
    else if (r.kind === 'status' && !r.concluded) whole = true;
  }
  const all = {
    config: 'whole',
    pleg: 'whole',
    sync: 'whole',
    call: 'whole',
    kill: 'whole',
    restart: 'whole',
    status: 'whole',
    event: 'whole',
  } as const;
  if (own) return all;
  const log = sources.has('log');
  const level = log ? Math.max(verbosity, 1) : 0;
  const cri = sources.has('cri');
  const partly = (kind: string): 'part' | 'none' => (has.has(kind) ? 'part' : 'none');
  const coverage: Coverage = {
    config: level >= 2 ? 'whole' : partly('pod-config'),
    pleg: level >= 2 ? 'whole' : partly('pleg-event'),
    sync: level >= ALL ? 'whole' : partly('work-start'),
    call: cri ? 'whole' : partly('enter') === 'part' || has.has('step') ? 'part' : 'none',
    kill: level >= 2 ? 'whole' : 'none',
    restart: cri && level >= ALL ? 'whole' : log || cri || sources.has('pods') ? 'part' : 'none',
    status: whole && sources.has('pods') ? 'whole' : partly('status'),
    event: level >= EVENTS ? 'whole' : partly('kube-event'),
  };
  if (!torn) return coverage;
  return Object.fromEntries(
    Object.entries(coverage).map(([kind, of]) => [kind, of === 'whole' ? 'part' : of]),
  ) as Coverage;
}
