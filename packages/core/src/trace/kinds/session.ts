/** Records of input from outside (the user, a scenario, the node itself), and of what the session did. */
import { json, list, seq, text, word } from './field.js';
import { kind } from './kind.js';

export const session = {
  input: kind(
    { verb: text, args: list('values', json) },
    { touches: [], importance: 3, place: null, mark: ['desired', 'flag'] },
  ),
  fault: kind(
    { rule: text, method: text, effect: text },
    { touches: [], importance: 3, place: null, mark: ['failure', 'flag'] },
  ),
  process: kind(
    {
      process: text,
      /** Only observed processes are `running` (since before the first evidence) or `ended` (no source reports how). */
      state: word<'started' | 'running' | 'stopped' | 'killed' | 'ended'>(),
    },
    {
      // All that the process had in memory ends with it.
      touches: [
        ...([
          'processes',
          'startedLast',
          'startup',
          'goroutines',
          'channels',
          'loop',
          'sources',
          'pods',
          'cri',
        ] as const),
        ...(['runtime', 'node', 'eviction', 'api'] as const),
      ],
      importance: 2,
      place: null,
      mark: ['plain', 'flag'],
    },
  ),
  /** Records that were lost before they reached this reader: sequence numbers from..to. */
  gap: kind({ from: seq, to: seq }, { touches: [], importance: 3, place: null, mark: ['failure', 'cross'] }),
};
