/** Facts of the mock runtime: what is, whether or not the kubelet has seen it. */
import { maybe, number, text, word } from './field.js';
import { kind } from './kind.js';

/** The first one clears what was observed. */
const facts = ['actual', 'sandboxes', 'containers', 'images'] as const;
export const actual = {
  'actual-sandbox': kind(
    {
      id: text,
      uid: text,
      pod: text,
      attempt: number,
      state: word<'ready' | 'notready' | 'removed'>(),
      ip: maybe(text),
    },
    { touches: facts, importance: 3, place: 'pod/node', mark: ['actual', 'square'] },
  ),
  'actual-container': kind(
    {
      id: text,
      sandbox: text,
      uid: text,
      name: text,
      attempt: number,
      state: word<'created' | 'running' | 'exited' | 'removed'>(),
      exitCode: maybe(number),
      reason: maybe(text),
    },
    {
      touches: facts,
      importance: 3,
      place: 'pod/node',
      mark: ['actual', 'dot'],
      failed: (r) => (r.exitCode ?? 0) !== 0,
    },
  ),
  'actual-image': kind(
    { image: text, state: word<'pulling' | 'present' | 'failed' | 'removed'>(), error: maybe(text) },
    {
      touches: facts,
      importance: 2,
      place: 'images',
      mark: ['actual', 'ring'],
      failed: (r) => r.state === 'failed',
    },
  ),
};
