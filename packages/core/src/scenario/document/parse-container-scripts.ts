import { GrpcCode, type GrpcCodeName, rpcs } from '../../cri/index.js';
import {
  type ContainerScript,
  type Outcome,
  repeatedEntries,
  type ScriptedCall,
  type Whose,
} from '../../mock/index.js';
import {
  about,
  anyText,
  custom,
  duration,
  list,
  literal,
  object,
  oneOf,
  optional,
  type Reader,
  refine,
  type Shape,
  text,
  whole,
} from '../../shape/index.js';
import { signalNames } from './fault-names.js';
import { podName } from './parse-fault.js';

const exitCode = whole(0, 255);
const attempt = optional(
  about(
    'The attempt to which the entry applies, counted from 0; the last one listed also applies to later attempts. Default: all attempts that are not listed.',
    whole(0, 1_000_000),
  ),
);

const results = oneOf('success', 'failure', 'error', 'hang');
const outcomeObject = object({
  result: results,
  took: optional(about('Default: 30ms for a command, 1ms for the network.', duration)),
  output: optional(about('What the command writes, the body of the answer, or the text of the error.', anyText)),
  code: optional(about('Exit code of the command, or status of the HTTP answer.', whole(0, 599))),
  times: optional(about('How many probes in a row have this outcome. Default: 1.', whole(1, 1_000_000))),
  from: optional(
    about(
      "Applies to probes that begin at least this long after the start of the container's process, whatever their order.",
      duration,
    ),
  ),
});
const outcome: Shape<Outcome> = custom({ anyOf: [results.schema, outcomeObject.schema] }, (r) =>
  typeof r.value === 'string' ? { result: results.read(r) } : (outcomeObject.read(r) as Outcome),
);
const outcomes: Shape<Outcome[]> = custom({ ...list(outcome).schema, minItems: 1 }, (r) => {
  const read = list(outcome).read(r);
  if (read.length === 0) throw r.error('it is empty', 'it must have at least one outcome; or leave it out');
  const timed = read[0]?.from !== undefined;
  let before = 0;
  for (const [i, { from, times }] of read.entries()) {
    if ((from !== undefined) !== timed)
      throw r.at(i).error('only some items have from', 'set from on every item, or on none');
    if (timed && times !== undefined)
      throw r.at(i).at('times').error('it cannot be combined with from', 'leave it out', true);
    if (from !== undefined && from < before)
      throw r.at(i).at('from').error('it is earlier than from of the previous item', 'sort the items by from');
    before = from ?? 0;
  }
  return read;
});

const stops = object({
  after: optional(
    about('How long after the stop signal the process ends. If absent, it ignores the signal.', duration),
  ),
  exits: optional(about('The exit code that it ends with. Default: 0.', exitCode)),
});
const probes = object({ startup: optional(outcomes), readiness: optional(outcomes), liveness: optional(outcomes) });
const hook: Shape<Outcome> = refine(outcome, (read, r) => {
  for (const field of ['times', 'from'] as const)
    if (read[field] !== undefined) throw r.at(field).error('a hook runs once', 'leave it out', true);
});
const hooks = object({ postStart: optional(hook), preStop: optional(hook) });

const lifeObject = object({
  pod: podName,
  container: text,
  attempt,
  runs: optional(
    about("From the start of the container's process to its own end. Default: until it is stopped.", duration),
  ),
  exits: optional(about('Exit code of its own end. Default: 0.', exitCode)),
  signal: optional(about('The signal that ends it, instead of exits.', oneOf(...signalNames))),
  oom: optional(about('The OOM killer ends it, instead of exits.', literal(true))),
  message: optional(about('What it leaves in the file of its terminationMessagePath.', anyText)),
  log: optional(about('What it writes to its standard output.', anyText)),
  stops: optional(about('How the process reacts to the stop signal. Default: it ends 20ms later with code 0.', stops)),
  probes: optional(about('The outcomes of its probes, in order; the last one repeats. Default: they succeed.', probes)),
  hooks: optional(hooks),
});

const life: Shape<ContainerScript> = custom(lifeObject.schema, (r) => {
  const read = lifeObject.read(r);
  const ends = (['exits', 'signal', 'oom'] as const).filter((k) => read[k] !== undefined);
  const [first, second] = ends;
  if (first && second)
    throw r
      .at(second)
      .error(`it cannot be combined with ${first}`, 'a container ends once; leave one of them out', true);
  if (first && read.runs === undefined)
    throw r.at(first).error('the container does not end by itself', 'set runs to say when it does', true);
  if (read.stops && read.stops.exits !== undefined && read.stops.after === undefined)
    throw r.at('stops').at('exits').error('the container ignores the signal', 'set after to say when it ends', true);
  return read as ContainerScript;
});

const methodNames: readonly string[] = Object.values(rpcs).map((rpc) => rpc.name);
const codes = Object.keys(GrpcCode).filter((k) => !/^\d+$/.test(k)) as GrpcCodeName[];
const callObject = object({
  method: oneOf(...methodNames),
  pod: optional(podName),
  container: optional(text),
  image: optional(text),
  attempt,
  took: optional(about("From the request to the answer. Default: the runtime's own latency.", duration)),
  error: optional(
    about(
      'The error that the call fails with. when: before or after it takes effect; default before.',
      object({ code: oneOf(...codes), message: anyText, when: optional(oneOf('before', 'after')) }),
    ),
  ),
});
const call: Shape<ScriptedCall> = custom(callObject.schema, (r) => {
  const read = callObject.read(r);
  if (read.took === undefined && read.error === undefined)
    throw r.error('the entry changes nothing about the call', 'set took or error, or remove the entry');
  return read as ScriptedCall;
});

/** A list in which no two entries have the same subject and attempt. */
function once<T extends Whose>(item: Shape<T>, kindOf?: (entry: T) => string): Shape<T[]> {
  const entries = list(item);
  return custom(entries.schema, (r: Reader) => {
    const read = entries.read(r);
    const [again] = repeatedEntries(read, kindOf as ((entry: Whose) => string) | undefined);
    if (again !== undefined)
      throw r.at(again).error('an earlier entry has the same subject and attempt', 'change its attempt, or remove it');
    return read;
  });
}

/** The scripts of containers, whatever their images and commands are. */
export const lives: Shape<ContainerScript[]> = once(life);
/** The durations and failures of calls of the CRI. */
export const calls: Shape<ScriptedCall[]> = once(call, (entry) => entry.method);
