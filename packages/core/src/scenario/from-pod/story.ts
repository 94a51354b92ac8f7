import type { Container } from '../../api/types.js';
import type { PullAnswer } from '../../mock/index.js';
import type { ObservedEvent, ObservedPod, ObservedStatus, Termination } from './objects.js';

/** Longest that a derived program runs before it ends, in seconds: nobody watches a week. */
const longestRun = 60;
/** Restarts that are played again. */
const mostRestarts = 3;

/** Any step or expectation, as it is in YAML. */
export type Item = Readonly<Record<string, unknown>>;

/** The behaviour of a pod's containers, and the result. */
export interface Story {
  /** By container. */
  readonly commands: Map<string, readonly string[]>;
  /** Before the pod is there. */
  readonly before: Item[];
  /** After it. */
  readonly after: Item[];
  readonly expect: Item[];
  /** The registry's answers, by image; absent: it serves it. */
  readonly answers: Map<string, PullAnswer>;
  /** Images that must not be on the node. */
  readonly absent: Set<string>;
  readonly keepsRefs: Set<string>;
  readonly keepsVolumes: Set<string>;
  readonly notes: string[];
}

const forever = ['sh', '-c', "trap 'exit 0' TERM; while true; do sleep 1; done"];

/** Derives programs, faults, waits and expectations from a pod's status and events. */
export function tellStory(pod: ObservedPod): Story {
  const story: Story = {
    commands: new Map(),
    before: [],
    after: [],
    expect: [],
    answers: new Map(),
    absent: new Set(),
    keepsRefs: new Set(),
    keepsVolumes: new Set(),
    notes: [],
  };
  tellPod(pod, story);
  const init = (pod.spec.initContainers ?? []).filter(Boolean);
  for (const c of init) tellContainer(pod, c, story, c.restartPolicy !== 'Always');
  for (const c of pod.spec.containers) tellContainer(pod, c, story, false);
  tellEnd(pod, story);
  return story;
}

const has = (pod: ObservedPod, reason: string): ObservedEvent | undefined =>
  pod.events.find((e) => e.reason === reason);
/** A message without the prefixes that the kubelet puts before what the runtime said. */
const said = (message: string): string => /(?:rpc error: code = \w+ desc = )([\s\S]*)$/.exec(message)?.[1] ?? message;

function tellPod(pod: ObservedPod, story: Story): void {
  const { name } = pod;
  if (!pod.scheduled) story.notes.push('no node was found for it; here it has one');
  if (pod.phase === 'Unknown' || pod.reason === 'NodeLost') story.notes.push('its node was lost; here it is not');
  const sandbox = has(pod, 'FailedCreatePodSandBox');
  const started = pod.statuses.some((s) => s.running || s.ended || s.endedBefore);
  if (sandbox) {
    const message =
      said(sandbox.message.replace(/^Failed to create pod sandbox: /, '')).slice(0, 500) || 'sandbox failed';
    story.before.push({
      fault: {
        method: 'RunPodSandbox',
        pod: name,
        // If it worked in the end, it also works here in the end.
        ...(started && { times: Math.min(sandbox.count, mostRestarts) }),
        error: { code: 'Unknown', message },
      },
    });
    story.after.push({ waitFor: { event: { pod: name, reason: 'FailedCreatePodSandBox' }, timeout: '60s' } });
  }
  if (!started)
    for (const event of pod.events.filter((e) => e.reason === 'FailedMount'))
      for (const volume of pod.spec.volumes ?? [])
        if (volume && event.message.includes(`"${volume.name}"`) && !volume.emptyDir && !volume.hostPath) {
          story.keepsVolumes.add(volume.name);
          story.notes.push(`volume ${volume.name}: kept, it could not be mounted`);
        }
  if (
    /node had condition: \[?MemoryPressure/.test(pod.reason === 'Evicted' ? (has(pod, 'Evicted')?.message ?? '') : '')
  )
    story.before.push({ fault: { pressure: 'memory' } }, { wait: '11s' });
  else if (pod.reason === 'Evicted') story.notes.push('it was evicted while it ran, which is not simulated');
}

function tellContainer(pod: ObservedPod, c: Container, story: Story, runsToEnd: boolean): void {
  const { name } = pod;
  const status = pod.statuses.find((s) => s.name === c.name);
  const me = { pod: name, container: c.name };
  story.commands.set(c.name, runsToEnd ? ['sh', '-c', 'sleep 1'] : forever);
  if (!status) return;
  if (status.waiting && tellWaiting(pod, c, status.waiting, story)) return;
  tellProbes(pod, c, status, story);
  const last = status.ended ?? status.endedBefore;
  if (status.ended) {
    story.commands.set(c.name, endsWith(status.ended, c.name, story));
    if (status.ended.reason === 'OOMKilled') tellOOM(me, status.ended, 1, story);
    const { reason, exitCode } = status.ended;
    story.after.push({
      waitFor: {
        ...me,
        ...(reason === 'OOMKilled' || reason === 'Completed' || reason === 'Error'
          ? { terminated: reason }
          : { exitCode }),
        timeout: '180s',
      },
    });
    return;
  }
  if (status.waiting?.reason === 'CrashLoopBackOff' && last) {
    tellCrashLoop(me, last, status, story);
    return;
  }
  if (status.running && status.restarts > 0 && last) tellRestarts(pod, c, last, status, story);
}

/** Adds to the story a container that could not be started; returns false for any other. */
function tellWaiting(
  pod: ObservedPod,
  c: Container,
  { reason, message }: { reason: string; message: string },
  story: Story,
): boolean {
  const me = { pod: pod.name, container: c.name };
  const wait = (until: string) => story.after.push({ waitFor: { ...me, waiting: until, timeout: '180s' } });
  switch (reason) {
    case 'ErrImagePull':
    case 'ImagePullBackOff':
    case 'RegistryUnavailable': {
      const failed = pod.events.filter((e) => e.reason === 'Failed' && (e.container === c.name || e.container === ''));
      const texts = [message, ...failed.map((e) => e.message)].join('\n');
      story.answers.set(c.image ?? '', answerOf(texts));
      story.absent.add(c.image ?? '');
      wait('ImagePullBackOff');
      story.expect.push(
        { event: { pod: pod.name, reason: 'Failed' } },
        { event: { pod: pod.name, reason: 'BackOff' } },
      );
      return true;
    }
    case 'ErrImageNeverPull':
      story.absent.add(c.image ?? '');
      wait(reason);
      return true;
    case 'InvalidImageName':
      wait(reason);
      return true;
    case 'CreateContainerConfigError':
      if (/(secret|configmap|ConfigMap|Secret)/.test(message)) {
        story.keepsRefs.add(c.name);
        wait(reason);
        return true;
      }
      story.notes.push(`${c.name}: its configuration was refused (${message.slice(0, 200)}), which is not simulated`);
      return true;
    case 'CreateContainerError':
    case 'RunContainerError':
    case 'PostStartHookError': {
      const program = /exec: "([^"]+)": (?:executable file not found|stat .*no such file)/.exec(message)?.[1];
      if (program !== undefined) story.commands.set(c.name, [program]);
      else if (reason === 'PostStartHookError') {
        story.notes.push(`${c.name}: its postStart hook failed; here it has none that fails`);
        return true;
      } else
        story.before.push({
          fault: {
            method: reason === 'CreateContainerError' ? 'CreateContainer' : 'StartContainer',
            ...me,
            error: { code: 'Unknown', message: said(message).slice(0, 500) || reason },
          },
        });
      story.after.push({ waitFor: { event: { pod: pod.name, reason: 'Failed' }, timeout: '60s' } });
      return true;
    }
    default:
      return false;
  }
}

function answerOf(text: string): PullAnswer {
  if (/no such host/.test(text)) return 'no-such-host';
  if (/connection refused/.test(text)) return 'refused';
  if (/429|too ?many ?requests|toomanyrequests|pull rate limit/i.test(text)) return 'too-many-requests';
  if (/unauthorized|denied|authorization failed|authentication required|\b40[13]\b/i.test(text)) return 'unauthorized';
  if (/i\/o timeout|deadline exceeded|Client\.Timeout/.test(text)) return 'timeout';
  return 'not-found';
}

function runTime(seconds: number, container: string, story: Story): number {
  if (seconds <= longestRun) return Math.max(1, seconds);
  story.notes.push(`${container}: ran ${seconds} s, here ${longestRun} s`);
  return longestRun;
}

/** A program that ends as it did. */
function endsWith({ exitCode, reason, seconds }: Termination, container: string, story: Story): readonly string[] {
  if (reason === 'OOMKilled') return forever;
  return ['sh', '-c', `sleep ${runTime(seconds, container, story)}; exit ${exitCode}`];
}

function tellOOM(me: { pod: string; container: string }, { seconds }: Termination, times: number, story: Story): void {
  const run = runTime(seconds, me.container, story);
  // It is not known when the container runs: it is tried again and again until it did run so often.
  story.before.push({ fault: { oom: me, after: `${run + 2}s`, every: `${Math.max(2, run)}s`, times } });
}

function tellCrashLoop(
  me: { pod: string; container: string },
  last: Termination,
  status: ObservedStatus,
  story: Story,
): void {
  const restarts = Math.min(Math.max(1, status.restarts), mostRestarts);
  story.commands.set(me.container, endsWith(last, me.container, story));
  if (last.reason === 'OOMKilled') tellOOM(me, last, restarts + 1, story);
  const timeout = `${120 + (restarts + 1) * (2 * longestRun)}s`;
  story.after.push(
    { waitFor: { ...me, restarts, timeout } },
    { waitFor: { ...me, waiting: 'CrashLoopBackOff', timeout } },
  );
  story.expect.push(
    { ...me, restarts, exitCode: last.reason === 'OOMKilled' ? 137 : last.exitCode },
    { event: { pod: me.pod, reason: 'BackOff', message: 'restarting failed container' } },
  );
}

/** Tells the restarts of a container that runs: its ends are played again from outside, or by its liveness probe. */
function tellRestarts(pod: ObservedPod, c: Container, last: Termination, status: ObservedStatus, story: Story): void {
  const me = { pod: pod.name, container: c.name };
  const restarts = Math.min(status.restarts, mostRestarts);
  const byProbe = livenessKills(pod, c);
  if (last.reason === 'OOMKilled') tellOOM(me, { ...last, seconds: Math.min(last.seconds, 5) }, restarts, story);
  else if (!byProbe)
    story.commands.set(c.name, [
      'sh',
      '-c',
      `trap 'exit 0' TERM; trap 'exit ${last.exitCode}' USR1; while true; do sleep 1; done`,
    ]);
  for (let n = 1; n <= restarts; n++) {
    if (last.reason !== 'OOMKilled' && !byProbe)
      story.after.push(
        { waitFor: { ...me, running: true, timeout: '180s' } },
        { wait: '2s' },
        { kill: { ...me, signal: 'USR1' } },
      );
    story.after.push({ waitFor: { ...me, restarts: n, timeout: '300s' } });
  }
  story.expect.push({ ...me, restarts });
}

const livenessKills = (pod: ObservedPod, c: Container): boolean =>
  pod.events.some(
    (e) =>
      e.reason === 'Killing' &&
      (e.container === c.name || e.message.includes(c.name)) &&
      /failed (liveness|startup) probe/.test(e.message),
  );

/**
 * Tells the results of probes: nothing answers them here, so each result is a fault: first what failed, then what the
 * status says.
 */
function tellProbes(pod: ObservedPod, c: Container, status: ObservedStatus, story: Story): void {
  const me = { pod: pod.name, container: c.name };
  const failures = (type: string) =>
    pod.events
      .filter(
        (e) =>
          e.reason === 'Unhealthy' && e.container === c.name && e.message.toLowerCase().startsWith(`${type} probe`),
      )
      .reduce((n, e) => n + e.count, 0);
  for (const type of ['startup', 'readiness', 'liveness'] as const) {
    const probe = c[`${type}Probe`];
    if (!probe) continue;
    const failed = failures(type);
    const threshold = probe.failureThreshold ?? 3;
    if (type === 'liveness' && livenessKills(pod, c)) {
      const rounds = Math.min(Math.max(1, status.restarts), mostRestarts);
      // Some that succeed, then as many failures as it takes, for each restart; all well after that.
      for (let n = 0; n < rounds; n++)
        story.before.push({
          fault: {
            probe: type,
            ...me,
            pattern: `SS${'F'.repeat(threshold)}`.slice(0, 1000),
            times: Math.min(1000, 2 + threshold),
          },
        });
    } else if (failed > 0) {
      // Fewer than it takes to do harm, if none was done.
      const harmless = type === 'readiness' ? 3 : Math.max(0, threshold - 1);
      const times = Math.min(failed, harmless);
      if (times > 0) story.before.push({ fault: { probe: type, ...me, pattern: 'F', times } });
    }
    const succeeds =
      type === 'readiness'
        ? status.ready || !status.running
        : type === 'startup'
          ? status.started || !status.running
          : true;
    story.before.push({ fault: { probe: type, ...me, pattern: succeeds ? 'S' : 'F' } });
    if (failed > 0) {
      story.after.push({ waitFor: { event: { pod: pod.name, reason: 'Unhealthy' }, timeout: '600s' } });
      if (!succeeds) story.expect.push({ event: { pod: pod.name, reason: 'Unhealthy' } });
    }
  }
}

function tellEnd(pod: ObservedPod, story: Story): void {
  const { name, phase } = pod;
  const apps = pod.statuses.filter((s) => pod.spec.containers.some((c) => c.name === s.name));
  const me = { pod: name };
  if (phase === 'Succeeded' || phase === 'Failed') {
    const evicted = pod.reason === 'Evicted' && !story.before.some((s) => Object.hasOwn(s, 'fault'));
    if (evicted || pod.reason === 'NodeLost') return;
    story.after.push({ waitFor: { ...me, phase, timeout: '600s' } });
    story.expect.push({ ...me, phase });
    return;
  }
  if (phase === 'Running' && apps.length > 0 && apps.every((s) => s.running)) {
    story.after.push({ waitFor: { ...me, phase, timeout: '300s' } });
    const ready = apps.every((s) => s.ready);
    story.after.push({ waitFor: { ...me, ready, timeout: '300s' } });
    story.expect.push({ ...me, phase, ready });
  } else if (phase === 'Pending' && pod.scheduled) {
    story.after.push({ wait: '10s' });
    story.expect.push({ ...me, phase });
  } else if (phase === '') story.after.push({ waitFor: { ...me, phase: 'Running', timeout: '300s' } });
}
