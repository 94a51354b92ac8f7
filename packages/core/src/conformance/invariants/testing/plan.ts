import type { FaultRule } from '../../../mock/index.js';
import type { Micros } from '../../../trace/index.js';
import type { ExpectedEnd } from '../end-checks.js';

/** The behaviour of a container's first process. The number, if there is one, is seconds. */
export type Program =
  /** Runs until told to stop, then ends at once. */
  | 'runs'
  /** Takes a while to stop. */
  | 'lingers'
  /** Does not stop before it is killed. */
  | 'stubborn'
  | `ends ${number}`
  | `fails ${number}`
  /** Fails the first time it runs in its pod, then as `runs` or `ends`. */
  | 'fails once, runs'
  | 'fails once, ends'
  /** There is no such program. */
  | 'missing';

export interface ContainerPlan {
  readonly program: Program;
  readonly sidecar?: boolean;
  /** Exec probes each second. `fails`: for ever; `later`: at first. */
  readonly liveness?: 'passes' | 'fails';
  readonly readiness?: 'passes' | 'fails';
  readonly startup?: 'passes' | 'later';
  readonly postStart?: 'quick' | 'slow' | 'fails';
  readonly preStop?: 'quick' | 'slow' | 'fails';
  /**
   * `other`: the same image under another name; an edit to it restarts the container. `pulled`: it has to be pulled
   * first.
   */
  readonly image?: 'other' | 'pulled';
}

export const images = {
  usual: 'localhost/busybox:dev',
  other: 'localhost/busybox:other',
  pulled: 'registry.example/busybox:1',
} as const;

export interface PodPlan {
  readonly restart: 'Always' | 'OnFailure' | 'Never';
  readonly grace: number;
  /** A uid of its own in the manifest, the same over edits. */
  readonly fixedUID?: boolean;
  readonly deadline?: number;
  readonly hostNetwork?: boolean;
  /** One PID namespace: the containers die with the sandbox. */
  readonly sharedPIDs?: boolean;
  readonly init: readonly ContainerPlan[];
  readonly apps: readonly ContainerPlan[];
}

export type PlanAction =
  /** Writes the manifest of pod p`slot`. */
  | { readonly verb: 'put'; readonly slot: number; readonly pod: PodPlan }
  | { readonly verb: 'delete'; readonly slot: number }
  | { readonly verb: 'kill'; readonly slot: number; readonly container: string; readonly signal: 'KILL' | 'TERM' }
  | { readonly verb: 'killSandbox'; readonly slot: number }
  | { readonly verb: 'oom'; readonly slot: number; readonly container: string }
  /** The manifest's file gets another name, and the pod another uid with it. */
  | { readonly verb: 'rename'; readonly slot: number }
  /** The manifest's text makes no sense any more: the pod is gone. */
  | { readonly verb: 'break'; readonly slot: number }
  | { readonly verb: 'network'; readonly ready: boolean }
  | { readonly verb: 'registry'; readonly kind: 'serve' | 'not-found' | 'refused' | 'timeout' }
  | { readonly verb: 'fault'; readonly rule: FaultRule }
  | { readonly verb: 'clearFaults' }
  | { readonly verb: 'stopRuntime' | 'startRuntime' | 'stopKubelet' | 'startKubelet' }
  /** The kubelet is killed at the nth mutating CRI call from now, and comes back `down` ms later. */
  | { readonly verb: 'crash'; readonly nth: number; readonly when: CrashPoint; readonly down: number };

/** `before` the runtime gets the request; `during` its work; `after` it, before the kubelet has the answer. */
export type CrashPoint = 'before' | 'during' | 'after';

export interface PlanStep {
  /** ms after the step before. */
  readonly wait: number;
  readonly action: PlanAction;
}

/** One run: everything that happens to a node. */
export interface Plan {
  readonly seed: number;
  /** `fifo`: only selects draw. `goroutines`: who goes next is drawn, too. `preempts`: also after each operation. */
  readonly schedule: 'fifo' | 'goroutines' | 'preempts';
  readonly fileCheck?: Micros;
  readonly steps: readonly PlanStep[];
}

/** This many pods can be on a node at once. */
export const slots = 4;
export const slotName = (slot: number): string => `p${slot}`;
export const fixedUID = (slot: number): string => `uid-of-${slotName(slot)}`;
/** Names in a pod: i0, i1... in init order, then a0, a1... */
export const initName = (i: number): string => `i${i}`;
export const appName = (i: number): string => `a${i}`;

const wait = 'sleep 100000 & wait';

function script(program: Program, name: string): string[] {
  const sh = (text: string) => ['sh', '-c', text];
  const once = (then: string) => sh(`[ -f /state/${name} ] || { touch /state/${name}; exit 4; }; ${then}`);
  switch (program) {
    case 'runs':
      return sh(`trap 'exit 0' TERM; ${wait}`);
    case 'lingers':
      return sh(`trap 'sleep 1.5; exit 0' TERM; ${wait}`);
    case 'stubborn':
      return sh("trap '' TERM; sleep 100000");
    case 'fails once, runs':
      return once(`trap 'exit 0' TERM; ${wait}`);
    case 'fails once, ends':
      return once('exit 0');
    case 'missing':
      return ['/no/such/program'];
    default: {
      const [what, n] = program.split(' ') as ['ends' | 'fails', string];
      return sh(`sleep ${n}; exit ${what === 'ends' ? 0 : 3}`);
    }
  }
}

const exec = (text: string) => ({ exec: { command: ['sh', '-c', text] } });
const hooks = { quick: 'true', slow: 'sleep 2', fails: 'exit 1' } as const;

function container(c: ContainerPlan, name: string): object {
  const probe = (what: 'passes' | 'fails' | 'later', more: object) => ({
    ...exec(
      what === 'passes' ? 'true' : what === 'fails' ? 'false' : '[ -f /tmp/probed ] || { touch /tmp/probed; exit 1; }',
    ),
    periodSeconds: 1,
    ...more,
  });
  const lifecycle = {
    ...(c.postStart && { postStart: exec(hooks[c.postStart]) }),
    ...(c.preStop && { preStop: exec(hooks[c.preStop]) }),
  };
  return {
    name,
    image: images[c.image ?? 'usual'],
    imagePullPolicy: 'IfNotPresent',
    command: script(c.program, name),
    volumeMounts: [{ name: 'state', mountPath: '/state' }],
    ...(c.sidecar && { restartPolicy: 'Always' }),
    ...(c.liveness && { livenessProbe: probe(c.liveness, { failureThreshold: 2 }) }),
    ...(c.readiness && { readinessProbe: probe(c.readiness, { failureThreshold: 1 }) }),
    ...(c.startup && { startupProbe: probe(c.startup, { failureThreshold: 5 }) }),
    ...(Object.keys(lifecycle).length > 0 && { lifecycle }),
  };
}

/** The manifest of pod p`slot`. */
export function manifest(slot: number, pod: PodPlan): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: slotName(slot), ...(pod.fixedUID && { uid: fixedUID(slot) }) },
    spec: {
      restartPolicy: pod.restart,
      terminationGracePeriodSeconds: pod.grace,
      ...(pod.deadline && { activeDeadlineSeconds: pod.deadline }),
      ...(pod.hostNetwork && { hostNetwork: true }),
      ...(pod.sharedPIDs && { shareProcessNamespace: true }),
      volumes: [{ name: 'state', emptyDir: {} }],
      ...(pod.init.length > 0 && { initContainers: pod.init.map((c, i) => container(c, initName(i))) }),
      containers: pod.apps.map((c, i) => container(c, appName(i))),
    },
  });
}

/**
 * Returns the expected end of the pod in peace; `disturbed`: its containers may have been killed, or their calls
 * failed.
 */
export function expectedOf(pod: PodPlan, disturbed: boolean): ExpectedEnd {
  const all = [...pod.init, ...pod.apps];
  if (pod.deadline) return 'any';
  if (all.some((c) => c.liveness === 'fails' || c.postStart === 'fails' || c.program === 'missing')) return 'any';
  if (pod.restart === 'Never' && disturbed) return 'any';
  const comesUp = ({ program, sidecar }: ContainerPlan) =>
    sidecar
      ? program === 'runs' || program === 'lingers' || program === 'stubborn' || program === 'fails once, runs'
      : program.startsWith('ends') || (program === 'fails once, ends' && pod.restart !== 'Never');
  if (!pod.init.every(comesUp)) return 'any';
  const long = ({ program }: ContainerPlan) =>
    program === 'runs' ||
    program === 'lingers' ||
    program === 'stubborn' ||
    (program === 'fails once, runs' && pod.restart !== 'Never');
  // Told to stop by somebody else, it ends well, and that is that.
  if (pod.apps.every(long)) return pod.restart === 'OnFailure' && disturbed ? 'any' : 'running';
  const ends = ({ program }: ContainerPlan) =>
    program.startsWith('ends') || (program === 'fails once, ends' && pod.restart === 'OnFailure');
  return pod.restart !== 'Always' && pod.apps.every(ends) ? 'succeeded' : 'any';
}
