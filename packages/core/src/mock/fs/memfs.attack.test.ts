import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Kernel } from '../../kernel/index.js';
import { LogWriter } from '../runtime/log-writer.js';
import { MemFS } from './memfs.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const held = () => {
  collect();
  return process.memoryUsage().heapUsed;
};

describe('a log of many short lines', () => {
  it('takes as much memory as it has characters, not a node of the heap for each part of a line', () => {
    const kernel = new Kernel();
    const fs = new MemFS(kernel);
    let n = 0;
    const log = new LogWriter(fs, '/log/0.log', () => `2026-11-22T00:00:00.${String(n++).padStart(9, '0')}Z`);
    const before = held();
    // It writes as `yes` does.
    for (let i = 0; i < 800; i++) log.out.write('y\n'.repeat(256));
    const took = held() - before;
    const text = fs.readFileSync('/log/0.log');
    expect(text).toHaveLength(204_800 * 42);
    expect(text.slice(0, 84)).toBe(
      '2026-11-22T00:00:00.000000000Z stdout F y\n2026-11-22T00:00:00.000000001Z stdout F y\n',
    );
    expect(took / text.length).toBeLessThan(1.5);
  });

  it('reads the same whoever looks at it in between', () => {
    const fs = new MemFS(new Kernel());
    const node = fs.openSync('/a');
    let all = '';
    for (let i = 0; i < 3000; i++) {
      const line = `${i} ${'x'.repeat(i % 50)}\n`;
      fs.append(node, line);
      all += line;
      if (i % 700 === 0) expect(fs.readFileSync('/a')).toBe(all);
    }
    expect(node.length).toBe(all.length);
    expect(fs.readFileSync('/a')).toBe(all);
    fs.truncate(node);
    fs.append(node, 'z');
    expect(fs.readFileSync('/a')).toBe('z');
  });
});
