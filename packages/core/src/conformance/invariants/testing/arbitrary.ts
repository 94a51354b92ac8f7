import * as fc from 'fast-check';
import { Millisecond } from '../../../kernel/index.js';
import type { FaultEffect, FaultRule } from '../../../mock/index.js';
import {
  appName,
  type ContainerPlan,
  initName,
  type Plan,
  type PlanAction,
  type PlanStep,
  type PodPlan,
  type Program,
  slotName,
  slots,
} from './plan.js';

/** Mostly none of it. */
const maybe = <T>(arb: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arb, { nil: undefined, freq: 2 });

const rarely = <T>(arb: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: arb });

const drop = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as T;

const appProgram = fc.constantFrom<Program>(
  'runs',
  'runs',
  'lingers',
  'stubborn',
  'ends 1',
  'ends 4',
  'fails 0.5',
  'fails 3',
  'fails once, runs',
  'fails once, ends',
  'missing',
);
const initProgram = fc.constantFrom<Program>('ends 0', 'ends 1', 'ends 3', 'fails 0.2', 'fails once, ends');
const sidecarProgram = fc.constantFrom<Program>('runs', 'lingers', 'stubborn', 'ends 5', 'fails 3', 'fails once, runs');

const image = fc.option(fc.constantFrom('other', 'pulled'), { nil: undefined, freq: 4 });
const hook = maybe(fc.constantFrom('quick', 'slow', 'fails'));
const app: fc.Arbitrary<ContainerPlan> = fc
  .record({
    program: appProgram,
    liveness: maybe(fc.constantFrom('passes', 'fails')),
    readiness: maybe(fc.constantFrom('passes', 'fails')),
    startup: maybe(fc.constantFrom('passes', 'later')),
    postStart: hook,
    preStop: hook,
    image,
  })
  .map((c) => drop(c) as ContainerPlan);
const init: fc.Arbitrary<ContainerPlan> = fc
  .record({ program: initProgram, image })
  .map((c) => drop(c) as ContainerPlan);
const sidecar: fc.Arbitrary<ContainerPlan> = fc
  .record({ program: sidecarProgram, startup: maybe(fc.constantFrom('passes', 'later')), preStop: hook })
  .map((c) => ({ ...(drop(c) as ContainerPlan), sidecar: true }));

const anyPod: fc.Arbitrary<PodPlan> = fc
  .record({
    restart: fc.constantFrom('Always', 'OnFailure', 'Never'),
    grace: fc.constantFrom(1, 2, 4),
    fixedUID: maybe(fc.constant(true)),
    deadline: rarely(fc.constantFrom(3, 8)),
    hostNetwork: rarely(fc.constant(true)),
    sharedPIDs: rarely(fc.constant(true)),
    init: fc.array(fc.oneof(init, sidecar), { maxLength: 3 }),
    apps: fc.array(app, { minLength: 1, maxLength: 3 }),
  })
  .map((p) => drop(p) as PodPlan);

const healthyApp: fc.Arbitrary<ContainerPlan> = fc
  .record({
    program: fc.constantFrom<Program>('runs', 'lingers', 'stubborn'),
    liveness: maybe(fc.constant('passes')),
    readiness: maybe(fc.constantFrom('passes', 'fails')),
    startup: maybe(fc.constant('passes')),
    postStart: maybe(fc.constantFrom('quick', 'slow')),
  })
  .map((c) => drop(c) as ContainerPlan);
const healthyInit: fc.Arbitrary<ContainerPlan> = fc.oneof(
  fc.constantFrom<ContainerPlan>({ program: 'ends 0' }, { program: 'ends 1' }),
  fc.constantFrom<ContainerPlan>(
    { program: 'runs', sidecar: true },
    { program: 'stubborn', sidecar: true, startup: 'later' },
  ),
);

/** Its containers come up and stay so. */
const healthyPod: fc.Arbitrary<PodPlan> = fc
  .record({
    restart: fc.constantFrom('Always', 'OnFailure', 'Never'),
    grace: fc.constantFrom(1, 2),
    fixedUID: maybe(fc.constant(true)),
    init: fc.array(healthyInit, { maxLength: 2 }),
    apps: fc.array(healthyApp, { minLength: 1, maxLength: 2 }),
  })
  .map((p) => drop(p) as PodPlan);

/** A pod of 1 to 3 app containers, with up to 3 init containers and sidecars. */
export const podPlan: fc.Arbitrary<PodPlan> = fc.oneof(anyPod, healthyPod);

/** Mostly the same few. */
const slot = fc.oneof({ weight: 2, arbitrary: fc.nat(1) }, { weight: 1, arbitrary: fc.nat(slots - 1) });
const put: fc.Arbitrary<PlanAction> = fc.record({ verb: fc.constant('put'), slot, pod: podPlan });
const remove: fc.Arbitrary<PlanAction> = fc.record({
  verb: fc.constantFrom('delete', 'delete', 'delete', 'rename', 'break'),
  slot,
}) as fc.Arbitrary<PlanAction>;

const methods = [
  'RunPodSandbox',
  'StopPodSandbox',
  'RemovePodSandbox',
  'CreateContainer',
  'StartContainer',
  'StopContainer',
  'RemoveContainer',
  'ListPodSandbox',
  'ListContainers',
  'PodSandboxStatus',
  'ContainerStatus',
  'ExecSync',
  'ImageStatus',
  'PullImage',
  'Status',
  'Version',
  '*',
] as const;

const when = fc.constantFrom('before', 'after');
/** No NotFound: a runtime that says so of what is there breaks its own contract, and is believed. */
const effect: fc.Arbitrary<FaultEffect> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('error'),
      code: fc.constantFrom('Unknown', 'Unavailable', 'DeadlineExceeded'),
      message: fc.constant('made to fail'),
      when,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('delay'),
      duration: fc.constantFrom(200, 1500, 4000, 12_000).map((ms) => ms * Millisecond),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hang'), when }) },
);
const faultRule: fc.Arbitrary<FaultRule> = fc
  .record({
    method: fc.constantFrom(...methods),
    pod: maybe(slot.map(slotName)),
    nth: fc.integer({ min: 1, max: 3 }),
    times: fc.integer({ min: 1, max: 3 }),
    probability: rarely(fc.constantFrom(0.3, 0.7)),
    effect,
  })
  .map((r) => drop(r) as FaultRule);

const containerName = fc.oneof(fc.nat(2).map(appName), fc.nat(2).map(initName));
const disturbance: fc.Arbitrary<PlanAction> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ verb: fc.constant('fault'), rule: faultRule }) },
  {
    weight: 2,
    arbitrary: fc.record({
      verb: fc.constant('kill'),
      slot,
      container: containerName,
      signal: fc.constantFrom('KILL', 'TERM'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('killSandbox'), slot }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('oom'), slot, container: containerName }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('network'), ready: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      verb: fc.constant('registry'),
      kind: fc.constantFrom('serve', 'not-found', 'refused', 'timeout'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      verb: fc.constantFrom(
        'stopRuntime',
        'startRuntime',
        'startRuntime',
        'stopKubelet',
        'startKubelet',
        'startKubelet',
        'clearFaults',
      ),
    }) as fc.Arbitrary<PlanAction>,
  },
  {
    weight: 3,
    arbitrary: fc.record({
      verb: fc.constant('crash'),
      nth: fc.integer({ min: 1, max: 6 }),
      when: fc.constantFrom('before', 'during', 'after'),
      down: fc.constantFrom(0, 300, 3000),
    }),
  },
);

const pause = fc.constantFrom(0, 10, 150, 700, 1500, 3000, 6000);
const step = (action: fc.Arbitrary<PlanAction>): fc.Arbitrary<PlanStep> => fc.record({ wait: pause, action });
const base = {
  seed: fc.nat(0xffff),
  schedule: fc.constantFrom('fifo', 'goroutines', 'preempts'),
} as const;
/**
 * A pod that keeps its uid keeps its shape: the API server would not let anything but images change, and a kubelet does
 * not do well with more (it neither stops containers that left the spec nor takes a status without them).
 */
function inShape(steps: readonly PlanStep[]): PlanStep[] {
  const shapes = new Map<number, PodPlan>();
  return steps.map((step) => {
    const { action } = step;
    if (action.verb !== 'put' || !action.pod.fixedUID) return step;
    const shape = shapes.get(action.slot);
    if (!shape) {
      shapes.set(action.slot, action.pod);
      return step;
    }
    const { init: inits, apps } = action.pod;
    const pod: PodPlan = {
      ...shape,
      grace: action.pod.grace,
      init: shape.init.map((c, i) => ({ ...c, ...(inits[i]?.image && { image: inits[i].image }) })),
      apps: shape.apps.map((c, i) => ({
        ...c,
        program: apps[i]?.program ?? c.program,
        ...(apps[i]?.image && { image: apps[i].image }),
      })),
    };
    return { ...step, action: { ...action, pod } };
  });
}
const withFirst = (first: PlanStep, steps: readonly PlanStep[]): PlanStep[] => inShape([first, ...steps]);

/** Pods come, change and go; nothing goes wrong. */
export const calmPlan: fc.Arbitrary<Plan> = fc
  .record({
    ...base,
    first: step(put),
    rest: fc.array(step(fc.oneof({ weight: 3, arbitrary: put }, { weight: 2, arbitrary: remove })), { maxLength: 6 }),
  })
  .map(({ first, rest, ...plan }) => ({ ...plan, steps: withFirst(first, rest) }) as Plan);

/** The same, while all kinds of things go wrong. */
export const stormyPlan: fc.Arbitrary<Plan> = fc
  .record({
    ...base,
    first: step(put),
    rest: fc.array(
      step(
        fc.oneof(
          { weight: 3, arbitrary: put },
          { weight: 2, arbitrary: remove },
          { weight: 5, arbitrary: disturbance },
        ),
      ),
      { minLength: 2, maxLength: 12 },
    ),
  })
  .map(({ first, rest, ...plan }) => ({ ...plan, steps: withFirst(first, rest) }) as Plan);

/** Pods that come up and stay so, all put at once. */
export const healthyPlan: fc.Arbitrary<Plan> = fc
  .record({
    ...base,
    pods: fc.array(healthyPod, { minLength: 1, maxLength: 3 }),
  })
  .map(
    ({ pods, ...plan }) =>
      ({ ...plan, steps: pods.map((pod, slot) => ({ wait: 0, action: { verb: 'put', slot, pod } })) }) as Plan,
  );

/** The same, and when the kubelet is restarted: ms after they have come up, and this many ms without one. */
export const healthyRestart = fc.record({
  plan: healthyPlan,
  up: fc.integer({ min: 0, max: 30_000 }),
  down: fc.constantFrom(0, 10, 1500, 20_000),
});
