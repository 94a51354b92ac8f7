import { messageOf, parseDuration } from '../../base/index.js';
import type { FaultEffect, FaultRule } from '../../mock/index.js';
import {
  about,
  custom,
  duration,
  type Fields,
  matching,
  object,
  oneOf,
  optional,
  type Read,
  type Reader,
  readFields,
  real,
  type Shape,
  text,
  whole,
} from '../../shape/index.js';
import { amountOf } from './amount.js';
import { faultCodes, faultMethods, faultProbes, pressures, pullAnswers, signalNames } from './fault-names.js';
import type { Fault, FaultBounds } from './fault-types.js';

export const podName = matching(/^[a-z0-9][-a-z0-9./]{0,252}$/, 'the name of a pod');

const bounds = {
  name: optional(about('Its name in the trace and for clearFaults. Default: its kind.', text)),
  after: optional(about('How much later it begins. Default: 0.', duration)),
  for: optional(about('How long it lasts. Default: until it is cleared.', duration)),
  jitter: optional(about('The fraction by which its times vary, drawn from the seed. Default: 0.', real(0, 1))),
};
const manyTimes = whole(1, 1_000_000);
const repeated = {
  ...bounds,
  every: optional(about('The interval after which it happens again. Default: it happens once.', duration)),
  times: optional(about('How often it happens. Default: once; with every, without end.', manyTimes)),
};

// --- calls ---------------------------------------------------------------------------------------------------------

const method: Shape<string> = oneOf(...faultMethods);
const when = oneOf('before', 'after');
const error = object({ code: optional(oneOf(...faultCodes)), message: text, when: optional(when) });
const hang: Shape<FaultEffect> = custom({ enum: [true, 'before', 'after'] }, (r) =>
  r.value === true ? { kind: 'hang' } : { kind: 'hang', when: when.read(r) },
);

const ruleFields = {
  pod: optional(podName),
  container: optional(text),
  image: optional(text),
  nth: optional(about('The first call that it affects, counted from 1. Default: 1.', manyTimes)),
  times: optional(about('How many calls it affects. Default: all.', manyTimes)),
  probability: optional(real(0, 1)),
};
const callFields = {
  method,
  ...ruleFields,
  error: optional(error),
  delay: optional(duration),
  hang: optional(hang),
  ...bounds,
};

function readCall(r: Reader): Fault {
  const effects = (['error', 'delay', 'hang'] as const).filter((k) => !r.at(k).missing);
  if (effects.length !== 1)
    throw r.error(`it has ${effects.length} of error, delay and hang`, 'it must have one of them');
  const read: Read<typeof callFields> = readFields(r, callFields);
  const rest = readFields(r, ruleFields);
  const { jitter } = read;
  let effect: FaultEffect;
  if (read.delay !== undefined)
    effect = { kind: 'delay', duration: read.delay, ...(jitter !== undefined && { jitter }) };
  else if (read.hang !== undefined) effect = read.hang;
  else {
    const { code = 'Unknown', message, when: at } = read.error as Read<(typeof error)['fields']>;
    effect = { kind: 'error', code, message, ...(at !== undefined && { when: at }) };
  }
  const rule: FaultRule = { ...(read.name !== undefined && { name: read.name }), method: read.method, ...rest, effect };
  return { kind: 'cri', rule, ...boundsOf(read) };
}

/** Returns the fields that all faults have. */
function boundsOf(read: FaultBounds): FaultBounds {
  const { name, after, for: lasts, jitter } = read;
  return {
    ...(name !== undefined && { name }),
    ...(after !== undefined && { after }),
    ...(lasts !== undefined && { for: lasts }),
    ...(jitter !== undefined && { jitter }),
  };
}

// --- the node ------------------------------------------------------------------------------------------------------

const signedDuration: Shape<number> = custom(
  { type: 'string', pattern: '^-?((\\d+(\\.\\d*)?|\\.\\d+)(ns|us|µs|ms|s|m|h))+$' },
  (r) => {
    const d = typeof r.value === 'string' && !r.value.startsWith('+') ? parseDuration(r.value) : null;
    if (d === null || d === 0) throw r.mustBe('how far the clock jumps, such as 1h or -30s');
    // Times before 1970 are not times to the node.
    if (Math.abs(d) > 10 * 365 * 24 * 3_600_000_000) throw r.error('it is too long', 'it may be ten years, 87600h');
    return d;
  },
);
const target = object({ pod: podName, container: text, signal: optional(oneOf(...signalNames)) });
const pattern = matching(/^[FSH-]{1,1000}$/, 'one letter per probe: F fails, S succeeds, H hangs, - is left as it is');

const amount: Shape<string> = custom({ type: ['string', 'integer'] }, (r) => {
  const text = typeof r.value === 'number' ? String(r.value) : r.string();
  try {
    amountOf(text, 1);
  } catch (error) {
    throw r.error(messageOf(error), 'write one such as 60Mi, 500 or 4%');
  }
  return text;
});

interface Form<F extends Fields> {
  readonly about: string;
  readonly fields: F;
  make(read: Read<F>): Fault;
}
const form = <F extends Fields>(text: string, fields: F, make: (read: Read<F>) => Fault): Form<Fields> =>
  ({ about: text, fields, make }) as unknown as Form<Fields>;
const repeats = (read: { every?: number; times?: number } & FaultBounds) => ({
  ...boundsOf(read),
  ...(read.every !== undefined && { every: read.every }),
  ...(read.times !== undefined && { times: read.times }),
});

/** Faults of the node by the field that makes them one. */
const forms = {
  pull: form(
    'The registry gives this answer, for one image or all.',
    { pull: oneOf(...pullAnswers), image: optional(text), times: optional(manyTimes), ...bounds },
    (f) => ({
      kind: 'pull',
      answer: f.pull,
      ...(f.image !== undefined && { image: f.image }),
      ...(f.times !== undefined && { times: f.times }),
      ...boundsOf(f),
    }),
  ),
  kill: form("The container's first process gets a signal; default KILL.", { kill: target, ...repeated }, (f) => ({
    kind: 'kill',
    signal: 'KILL',
    ...f.kill,
    ...repeats(f),
  })),
  oom: form(
    'The OOM killer ends the container.',
    { oom: object({ pod: podName, container: text }), ...repeated },
    (f) => ({ kind: 'oom', ...f.oom, ...repeats(f) }),
  ),
  killSandbox: form("The sandbox's process ends.", { killSandbox: podName, ...repeated }, (f) => ({
    kind: 'killSandbox',
    pod: f.killSandbox,
    ...repeats(f),
  })),
  runtime: form('The runtime does not run; containers go on.', { runtime: oneOf('stopped'), ...bounds }, (f) => ({
    kind: 'runtime',
    ...boundsOf(f),
  })),
  relist: form('Each relist of the PLEG takes this much longer.', { relist: duration, ...bounds }, (f) => ({
    kind: 'relist',
    delay: f.relist,
    ...boundsOf(f),
  })),
  probe: form(
    'Probes have the outcomes of the pattern, whatever they check.',
    {
      probe: oneOf(...faultProbes),
      pod: optional(podName),
      container: optional(text),
      pattern: optional(
        about(
          'One letter per probe, over and over: F fails, S succeeds, H hangs, - is left as it is. Default: F.',
          pattern,
        ),
      ),
      times: optional(manyTimes),
      ...bounds,
    },
    ({ probe, pod, container, times, pattern: p = 'F', ...rest }) => ({
      kind: 'probe',
      pattern: p,
      ...(probe !== 'any' && { probe }),
      ...(pod !== undefined && { pod }),
      ...(container !== undefined && { container }),
      ...(times !== undefined && { times }),
      ...boundsOf(rest),
    }),
  ),
  network: form('The pod network is not ready.', { network: oneOf('notReady'), ...bounds }, (f) => ({
    kind: 'network',
    ...boundsOf(f),
  })),
  pressure: form(
    'Something else on the node uses up the resource, and the eviction manager acts.',
    {
      pressure: oneOf(...pressures),
      available: optional(
        about('How much is left when it begins: 60Mi, 500, 4%. Default: half of what the thresholds ask for.', amount),
      ),
      ...bounds,
    },
    (f) => ({
      kind: 'pressure',
      resource: f.pressure,
      ...(f.available !== undefined && { available: f.available }),
      ...boundsOf(f),
    }),
  ),
  kubelet: form(
    'The kubelet stops, cleanly or killed, and starts again when the fault is over, or at once without for.',
    { kubelet: oneOf('restart', 'crash'), ...bounds },
    (f) => ({ kind: 'kubelet', how: f.kubelet, ...boundsOf(f) }),
  ),
  clock: form('The wall clock jumps; timers are not affected.', { clock: signedDuration, ...bounds }, (f) => ({
    kind: 'clock',
    jump: f.clock,
    ...boundsOf(f),
  })),
  api: form(
    'The API server refuses connections, restarts (it is back when the fault is over), or never answers.',
    { api: oneOf('unreachable', 'restart', 'silent'), ...bounds },
    (f) => ({ kind: 'api', how: f.api, ...boundsOf(f) }),
  ),
} as const;
export const faultForms = ['method', ...Object.keys(forms)];

const callObject = object(callFields);
const schema = {
  anyOf: [
    { ...callObject.schema, description: 'Calls of the CRI: an error, a delay, or no answer.' },
    ...Object.values(forms).map((f) => ({ ...object(f.fields).schema, description: f.about })),
  ],
};

/** A fault. The field that it must have names its kind: method, pull, kill... */
export const fault: Shape<Fault> = custom(schema, (r) => {
  const { value } = r;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) r.fields(faultForms);
  const there = faultForms.filter((name) => Object.hasOwn(value as object, name));
  if (there.length > 1) throw r.error(`${there.join(' and ')} cannot be combined`, 'make a fault of each');
  const [kind] = there;
  if (kind === undefined) {
    r.fields([...new Set([...faultForms, ...Object.keys(callFields), 'every', 'pattern'])]);
    throw r.mustBe(`a fault with one of ${faultForms.join(', ')}`);
  }
  if (kind === 'method') {
    r.fields(Object.keys(callFields));
    return readCall(r);
  }
  const f = forms[kind as keyof typeof forms];
  r.fields(Object.keys(f.fields));
  return f.make(readFields(r, f.fields));
});

/** A fault in words. */
export function faultText(f: Fault): string {
  switch (f.kind) {
    case 'cri':
      return `fault ${f.rule.method}`;
    case 'pull':
      return `fault pull ${f.answer}${f.image === undefined ? '' : ` ${f.image}`}`;
    case 'kill':
    case 'oom':
      return `fault ${f.kind} ${f.pod}/${f.container}`;
    case 'killSandbox':
      return `fault killSandbox ${f.pod}`;
    case 'probe':
      return `fault probe ${f.probe ?? 'any'} ${f.pattern}`;
    case 'pressure':
      return `fault pressure ${f.resource}`;
    case 'kubelet':
      return `fault kubelet ${f.how}`;
    case 'clock':
      return `fault clock ${f.jump / 1_000_000}s`;
    default:
      return `fault ${f.kind}`;
  }
}
