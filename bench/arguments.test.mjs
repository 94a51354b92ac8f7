import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { benchmarks, parse } from './arguments.mjs';

const jobs = ['kubelet', 'tap'];
const read = (...argv) => parse(argv, jobs);

describe('arguments of npm run bench', () => {
  it('are names of benchmarks that there are', () => {
    expect(benchmarks.filter((name) => !existsSync(new URL(`./${name}.mjs`, import.meta.url)))).toEqual([]);
    expect(read()).toEqual({ do: 'run', names: benchmarks, eras: false, large: false });
    expect(read('tap', 'core')).toMatchObject({ do: 'run', names: ['tap', 'core'] });
    expect(read('twin', '--eras')).toMatchObject({ names: ['twin'], eras: true, large: false });
  });
  it('ask for a check, a table, or a table of files', () => {
    expect(read('--check')).toEqual({ do: 'check', update: false });
    expect(read('--check', '--update')).toEqual({ do: 'check', update: true });
    expect(read('--table')).toEqual({ do: 'table', rounds: 5, jobs, results: undefined, write: false });
    expect(read('--table', '--rounds', '3', '--jobs=tap', '--results', 'out', '--write')).toEqual({
      do: 'table',
      rounds: 3,
      jobs: ['tap'],
      results: 'out',
      write: true,
    });
    expect(read('--table', '--from', 'out')).toEqual({ do: 'remake', from: 'out', write: false });
    expect(read('--help', 'tap')).toEqual({ do: 'help' });
  });
  it.each([
    [['nothing'], 'there is no benchmark nothing; there are kernel, core'],
    [['--nothing'], "Unknown option '--nothing'"],
    [['tap', '--eras'], '--eras and --large go with the benchmark twin alone'],
    [['--update'], '--update goes with --check'],
    [['--rounds', '5'], '--rounds goes with --table'],
    [['--write', 'tap'], '--write goes with --table'],
    [['--check', '--eras'], '--eras goes with the benchmark twin'],
    [['--check', '--table'], '--check and --table do not go together'],
    [['--check', 'tap'], '--check takes no names, but has tap'],
    [['--table', 'tap'], '--table takes no names, but has tap'],
    [['--table', '--jobs', 'tap,core'], 'there is no job core; there are kubelet, tap'],
    [['--table', '--rounds', '0'], '--rounds is 0, but must be a whole number from 1 to 100'],
    [['--table', '--rounds', '101'], '--rounds is 101'],
    [['--table', '--rounds', '2.5'], '--rounds is 2.5'],
    [['--table', '--from', 'out', '--jobs', 'tap'], '--jobs does not go with --from'],
    [['--table', '--from', 'out', '--results', 'x'], '--results does not go with --from'],
    [['--table', '--from', 'out', '--rounds', '2'], '--rounds does not go with --from'],
  ])('%j are wrong', (argv, error) => {
    expect(read(...argv)).toEqual({ do: 'fail', error: expect.stringContaining(error) });
  });
});
