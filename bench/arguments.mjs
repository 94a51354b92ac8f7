/** Reads the command line of `npm run bench`. */
import { parseArgs } from 'node:util';

export const benchmarks = [
  'kernel',
  'core',
  'recording',
  'travel',
  'schedules',
  'pipe',
  'page',
  'web',
  'wire',
  'class',
  'tap',
  'node',
  'kubelet',
  'log',
  'attach',
  'twin',
  'api',
  'workshop',
  'fleet',
  'fresh',
];

export const USAGE = `Usage: npm run bench -- [NAME...]           runs benchmarks, all without a name, and prints one JSON object
       npm run bench -- twin --eras         how well kubelets of older versions are re-enacted
       npm run bench -- twin --large        how long a first comparison takes of a part of a large log
       npm run bench -- --check [--update]  compares counts with bench/counts.json; --update keeps today's
       npm run bench -- --table [--rounds N] [--jobs NAME,...] [--results FOLDER] [--write]
                                            runs what the table of docs/performance/README.md needs N times (5 without
                                            --rounds), keeps each result as a file of FOLDER, and prints the table
       npm run bench -- --table --from FOLDER [--write]
                                            makes the table again from the files of FOLDER; nothing is run
--write puts the table into docs/performance/README.md, too.

Benchmarks: ${benchmarks.join(', ')}`;

const options = {
  help: { type: 'boolean' },
  check: { type: 'boolean' },
  update: { type: 'boolean' },
  eras: { type: 'boolean' },
  large: { type: 'boolean' },
  table: { type: 'boolean' },
  rounds: { type: 'string' },
  jobs: { type: 'string' },
  results: { type: 'string' },
  from: { type: 'string' },
  write: { type: 'boolean' },
};

/** The flags that each way to run takes besides the one that names it. */
const taken = { check: ['update'], table: ['rounds', 'jobs', 'results', 'from', 'write'], run: ['eras', 'large'] };
const ROUNDS = '5';
const MOST_ROUNDS = 100;

const wrong = (error) => ({ do: 'fail', error });

function namesIn(list, known, what) {
  const unknown = list.find((name) => !known.includes(name));
  return unknown === undefined ? null : wrong(`there is no ${what} ${unknown}; there are ${known.join(', ')}`);
}

function tableOf({ rounds, jobs, results, from, write = false }, known) {
  if (from !== undefined) {
    const other = Object.entries({ rounds, jobs, results }).find(([, value]) => value !== undefined)?.[0];
    return other ? wrong(`--${other} does not go with --from, which runs nothing`) : { do: 'remake', from, write };
  }
  const count = rounds ?? ROUNDS;
  if (!/^[1-9]\d*$/.test(count) || Number(count) > MOST_ROUNDS)
    return wrong(`--rounds is ${count}, but must be a whole number from 1 to ${MOST_ROUNDS}`);
  const chosen = jobs === undefined ? known : jobs.split(',');
  return namesIn(chosen, known, 'job') ?? { do: 'table', rounds: Number(count), jobs: chosen, results, write };
}

/**
 * Reads the words. Returns what to `do`: `help`, `fail` with an `error`, `check`, `table`, `remake` (the table from
 * files), or `run`. `jobs`: the names of the table's jobs.
 */
export function parse(argv, jobs) {
  let values;
  let names;
  try {
    ({ values, positionals: names } = parseArgs({ args: argv, options, allowPositionals: true }));
  } catch (err) {
    return wrong(err.message);
  }
  if (values.help) return { do: 'help' };
  if (values.check && values.table) return wrong('--check and --table do not go together');
  const way = values.check ? 'check' : values.table ? 'table' : 'run';
  const stray = Object.keys(values).find((flag) => flag !== way && !taken[way].includes(flag));
  if (stray) {
    const owner = Object.keys(taken).find((one) => taken[one].includes(stray));
    return wrong(`--${stray} goes with ${owner === 'run' ? 'the benchmark twin' : `--${owner}`}`);
  }
  if (way !== 'run' && names.length > 0) return wrong(`--${way} takes no names, but has ${names.join(' ')}`);
  if (way === 'check') return { do: 'check', update: values.update ?? false };
  if (way === 'table') return tableOf(values, jobs);
  const { eras = false, large = false } = values;
  if ((eras || large) && names.join() !== 'twin') return wrong('--eras and --large go with the benchmark twin alone');
  return (
    namesIn(names, benchmarks, 'benchmark') ?? { do: 'run', names: names.length > 0 ? names : benchmarks, eras, large }
  );
}
