import type { ContainerStatus, PodStatus } from '../../api/types.js';
import type { RecordSink, TraceRecord } from '../../trace/index.js';
import type { ContainerEnd, Outcome, PodEnd, Subject } from './types.js';

/** Remembers the last status of each pod. */
export class OutcomeWatch {
  private readonly last = new Map<string, { uid: string; status: PodStatus }>();

  readonly sink: RecordSink = (record: TraceRecord) => {
    if (record.kind === 'status')
      this.last.set(record.pod, { uid: record.uid, status: record.status as unknown as PodStatus });
  };

  outcome(subject: Subject): Outcome {
    const pods: PodEnd[] = [...this.last]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([pod, { uid, status }]) => ({
        pod,
        present: subject.podOf(uid) !== undefined,
        phase: status.phase ?? '',
        reason: status.reason ?? '',
        containers: [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map(outcomeOf),
      }));
    const failures = subject.failures.map((f) => f.name);
    return { result: failures.length > 0 ? 'failed' : subject.done ? 'passed' : 'unfinished', pods, failures };
  }
}

function outcomeOf(s: ContainerStatus): ContainerEnd {
  const { waiting, running, terminated } = s.state;
  return {
    name: s.name,
    state: terminated ? 'terminated' : running ? 'running' : waiting ? 'waiting' : 'unknown',
    reason: terminated?.reason ?? waiting?.reason ?? '',
    exitCode: terminated?.exitCode ?? null,
    restarts: s.restartCount ?? 0,
  };
}

/** Two outcomes with the same key are the same. */
export const outcomeKey = (outcome: Outcome): string => JSON.stringify(outcome);

/** Says an outcome: `web Running (app running, 2 restarts), passed`. */
export function outcomeText({ result, pods, failures }: Outcome): string {
  const texts = pods.map((p) => {
    const containers = p.containers.map((c) => {
      const detail = c.reason !== '' ? ` (${c.reason}${c.exitCode === null ? '' : `, ${c.exitCode}`})` : '';
      const restarts = c.restarts > 0 ? `, ${c.restarts} ${c.restarts === 1 ? 'restart' : 'restarts'}` : '';
      return `${c.name} ${c.state}${detail}${restarts}`;
    });
    return `${p.pod} ${p.present ? '' : 'gone, last '}${p.phase}${p.reason && ` (${p.reason})`}: ${containers.join('; ')}`;
  });
  return [...texts, failures.length > 0 ? `failed: ${failures.join(', ')}` : result].join(' | ');
}
