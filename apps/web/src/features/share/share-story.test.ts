import type { Narration, TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { backwards, lastTelling, storyOf } from './share-story.js';

const records = [
  { seq: 1, time: 1_500_000, kind: 'status' },
  { seq: 2, time: 1_600_000, kind: 'wait' },
  { seq: 3, time: 2_000_000, kind: 'backoff' },
  { seq: 4, time: 2_000_001, kind: 'fault' },
] as unknown as readonly TraceRecord[];
const get = (seq: number) => records[seq - 1];
const say = ({ seq }: TraceRecord): Narration => ({
  text: '',
  parts: [
    'The [worker] of ',
    { text: seq === 3 ? 'a`b' : `pod_${seq}`, ref: { kind: 'pod', id: 'x' } },
    ' says *x*\n<b>.',
  ],
});

describe('what the narrator said', () => {
  it('is the last telling records, the oldest first, without the plumbing', () => {
    const seqs = (most: number) => lastTelling(backwards(get, 4, 1), most).map(({ seq }) => seq);
    expect(seqs(2)).toEqual([3, 4]);
    expect(seqs(9)).toEqual([1, 3, 4]);
    expect(lastTelling(backwards(get, 0, 1), 5)).toEqual([]);
  });

  it('is Markdown that nothing breaks, with the notes and a link', () => {
    const text = storyOf(lastTelling(backwards(get, 4, 1), 2), {
      title: 'Simulation: hello_x',
      say,
      notes: [
        { id: 'n1', seq: 4, time: 2_000_001, mark: 'a', text: '# look\n![x](y)' },
        { id: 'n2', seq: 2, time: 1, mark: 'a', text: 'not said' },
      ],
      link: { text: 'Open', href: 'https://x.example/#run=v2.j' },
    });
    expect(text).toBe(
      [
        '**Simulation: hello\\_x**',
        '',
        '- 2.000 s: The \\[worker\\] of `a b` says \\*x\\* \\<b\\>.',
        '- 2.000 s: The \\[worker\\] of `pod_4` says \\*x\\* \\<b\\>.',
        '  > \\# look !\\[x\\](y)',
        '',
        '[Open](https://x.example/#run=v2.j)',
        '',
      ].join('\n'),
    );
  });
});
