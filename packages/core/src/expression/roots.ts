import type { Json } from '../trace/records.js';
import type { Env, Run } from './run.js';
import {
  any,
  channelShape,
  goroutineShape,
  podShape,
  recordShapes,
  type Shape,
  stateShape,
  text,
  workerShape,
} from './shapes.js';
import { uidOf } from './subject.js';
import { memberOf } from './values.js';

/**
 * A name besides the record's fields. Some mean one thing alone (`pod` is a name) and another before a field
 * (`pod.phase`).
 */
export interface Root {
  readonly about: string;
  readonly alone: Run;
  readonly aloneShape: Shape;
  readonly owner: Run;
  readonly ownerShape: Shape;
  readonly usesState: boolean;
  readonly ownerUsesState: boolean;
}

const uid = (env: Env): string => env.context.uid ?? uidOf(env.context.record, env.context.state);
const podView: Run = (env) => memberOf(memberOf(env.state, 'pods'), uid(env));
const channel: Run = (env) => {
  const { record } = env.context;
  let id: Json = memberOf(env.record, 'chan');
  if (record.kind === 'select') id = record.cases[record.chosen] ?? null;
  return memberOf(memberOf(env.state, 'channels'), id);
};

const same = (about: string, run: Run, shape: Shape, usesState: boolean): Root => ({
  about,
  alone: run,
  aloneShape: shape,
  owner: run,
  ownerShape: shape,
  usesState,
  ownerUsesState: usesState,
});

export const roots: ReadonlyMap<string, Root> = new Map<string, Root>([
  ['record', same('the record itself', (env) => env.record, any, false)],
  [
    'state',
    {
      about: "the node right after the record; without a field: the record's own field of that name",
      alone: (env) => memberOf(env.record, 'state'),
      aloneShape: recordShapes.get('state') ?? text,
      owner: (env) => env.state,
      ownerShape: stateShape,
      usesState: false,
      ownerUsesState: true,
    },
  ],
  [
    'pod',
    {
      about: 'the pod that the record is about: its name, or with a field its view (pod.phase)',
      alone: (env) => {
        const own = memberOf(env.record, 'pod');
        return typeof own === 'string' && env.context.uid === undefined ? own : memberOf(podView(env), 'pod');
      },
      aloneShape: text,
      owner: podView,
      ownerShape: podShape,
      usesState: true,
      ownerUsesState: true,
    },
  ],
  ['uid', same('uid of the pod that the record is about', (env) => uid(env) || null, text, true)],
  ['worker', same("the worker of the record's pod", (env) => memberOf(podView(env), 'worker'), workerShape, true)],
  [
    'goroutine',
    same(
      'the goroutine that made the record',
      (env) => memberOf(memberOf(env.state, 'goroutines'), env.context.record.g),
      goroutineShape,
      true,
    ),
  ],
  ['channel', same('the channel of a send, receive or close, or that a select took', channel, channelShape, true)],
]);
