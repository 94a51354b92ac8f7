import { expect, it } from 'vitest';
import { Kernel, makeChan, receive, send } from '../../kernel/index.js';
import type { TraceRecord } from '../../trace/index.js';
import { why } from './index.js';
import { storeOf } from './testing/runs.js';

it('shows the lines of the call that decided, and none of the call for another pod before it', () => {
  const records: TraceRecord[] = [];
  const kernel = new Kernel({ sink: (record) => void records.push(record) });
  const line = (uid: string, at: number) =>
    kernel.emit({
      ...{ kind: 'part-line', part: 'plegEvents', fn: 'computeEvents', file: 'mine.ts', line: at, column: 1 },
      ...{ variables: {}, pod: `default/${uid}`, uid },
    });
  kernel.go('relist', function* () {
    const ch = makeChan<number>(kernel, 'ch', 1);
    yield* send(ch, 1);
    yield* receive(ch);
    line('a', 1);
    line('a', 2);
    line('b', 3);
    line('b', 4);
    kernel.emit({
      ...{ kind: 'part', part: 'plegEvents', fn: 'computeEvents', file: 'mine.ts' },
      ...{ args: [], result: [], pod: 'default/b', uid: 'b' },
    });
  });
  kernel.run();
  const store = storeOf(records);
  const decided = [...store.from(1)].find(({ kind }) => kind === 'part');
  const lines = why(store, { about: 'record', seq: decided?.seq ?? 0 }).links.flatMap(({ seq }) => {
    const record = store.get(seq);
    return record?.kind === 'part-line' ? [record.line] : [];
  });
  expect(lines.sort()).toEqual([3, 4]);
});
