import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budget } from '../process/budget.js';
import { sh } from '../testing/run-shell.js';

// The same programs each time; SYNCLOOP_RUNS: how many instead of these.
const seed = 20261122;
const RUNS = Number(process.env.SYNCLOOP_RUNS ?? 0) || 100;
const PARTS = 4;

const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const name = pick('x', 'y', 'z', '1', '@', '*', '#', '?');
const pattern = pick('*', '?', '*a*a*a*b', '[a-z]*', '[!a]', '[[[', 'a*', '\\*', '[[:alpha:]]*');
const regex = pick(
  '(a+)+$',
  '(a|a)*b',
  '^a*a*a*b',
  '[[:digit:]]+',
  'a{1,200}',
  '(a{100}){100}',
  '(',
  '\\(a*\\)*',
  '.*.*.*x',
  '(.)\\1',
);
const number = pick('0', '1', '-1', '3', '100', '99999', '99999999999', '1e308', '0.0001', 'abc', '');
/** Words of a program, some of them long and some that grow. */
const word = fc.oneof(
  {
    weight: 4,
    arbitrary: pick('a', 'b', 'a b', '"a b"', "'*'", '/tmp/f', '/tmp/*', '.', '/', '..', '-', '--', '-n', '-r'),
  },
  { weight: 3, arbitrary: name.map((n) => `"\${${n}}"`) },
  { weight: 2, arbitrary: name.map((n) => `$${n}`) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(pick('x', 'y', '@'), pick('#', '##', '%', '%%', ':-', ':=', '+'), pattern)
      .map(([n, op, p]) => `\${${n}${op}${p}}`),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(number, pick('+', '*', '**', '<<', '/', '&', '%'), number)
      .map(([a, op, b]) => `$((${a} ${op} ${b}))`),
  },
  { weight: 1, arbitrary: pick('a', '*', '(', '\\').chain((c) => pick(10, 1000, 5000).map((n) => `'${c.repeat(n)}'`)) },
);
const words = fc.array(word, { maxLength: 4 }).map((w) => w.join(' '));

const simple = fc.oneof(
  fc.tuple(pick('x', 'y', 'z'), word).map(([n, w]) => `${n}=${w}`),
  pick('x=$x$x', 'x="$x$x$x"', 'y=$x$y', 'set -- "$@" "$@"', 'export x', 'export y=$x$x', 'shift', 'set -e', 'unset x'),
  words.map((w) => `echo ${w}`),
  words.map((w) => `set -- ${w}`),
  fc.tuple(pick('%s', '%d', '%999999999s', '%.300f', '%*d', '%b', '%c%x'), words).map(([f, w]) => `printf '${f}' ${w}`),
  fc.tuple(number, number).map(([a, b]) => `seq ${a} ${b}`),
  fc.tuple(regex, pick('', '-E', '-F', '-i', '-w', '-x', '-o', '-c')).map(([r, f]) => `echo "$x" | grep ${f} '${r}'`),
  fc.tuple(regex, pick('x', '&&', '\\1', '$x')).map(([r, to]) => `echo "$x" | sed -E "s/${r}/${to}/g"`),
  pattern.map((p) => `case $x in ${p}) y=1 ;; *) y=2 ;; esac`),
  pattern.map((p) => `find /tmp -name '${p}'`),
  number.map((n) => `sleep ${n}`),
  number.map((n) => `head -c ${n} /dev/zero`),
  number.map((n) => `dd if=/dev/zero bs=${n} count=${n}`),
  number.map((n) => `exit ${n}`),
  pick(
    'yes | head -3',
    'yes > /tmp/y',
    'cat /tmp/f /tmp/f >> /tmp/f',
    'cp -r /tmp /tmp/c',
    'mkdir -p /tmp/d/d/d',
    'ln -s . /tmp/l',
  ),
  pick(
    'f',
    'f &',
    'f | f',
    '(f)',
    'x=$(f)',
    'eval "$x"',
    'eval f',
    '. /tmp/f',
    'sh /tmp/f',
    'echo f > /tmp/f',
    'wait',
    'kill $$',
    'kill -9 $!',
  ),
  pick(
    "trap 'kill $$' TERM",
    'trap f EXIT',
    "trap '' TERM",
    'xargs -n 0 echo',
    'ls -l /tmp',
    'tr a-z A-Z',
    'sort /tmp/f',
    'wc -c /tmp/f',
    'read x < /tmp/f',
    'tail -n 3 /tmp/f',
    'timeout 1 yes',
    'env',
    'rm -r /tmp',
  ),
);
const program = fc
  .letrec<{ list: string; command: string }>((tie) => ({
    list: fc.array(tie('command'), { minLength: 1, maxLength: 4 }).map((c) => c.join('; ')),
    command: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'command' },
      { weight: 6, arbitrary: simple },
      { weight: 1, arbitrary: tie('list').map((l) => `( ${l} )`) },
      { weight: 1, arbitrary: tie('list').map((l) => `{ ${l}; }`) },
      { weight: 1, arbitrary: tie('list').map((l) => `while :; do ${l}; done`) },
      { weight: 1, arbitrary: fc.tuple(words, tie('list')).map(([w, l]) => `for z in ${w}; do ${l}; done`) },
      { weight: 1, arbitrary: fc.tuple(tie('list'), tie('list')).map(([a, b]) => `if ${a}; then ${b}; fi`) },
      { weight: 1, arbitrary: tie('list').map((l) => `f() { ${l}; }`) },
      { weight: 1, arbitrary: tie('list').map((l) => `x=$(${l})`) },
      { weight: 1, arbitrary: fc.tuple(tie('command'), tie('command')).map(([a, b]) => `${a} | ${b}`) },
      { weight: 1, arbitrary: tie('command').map((c) => `{ ${c}; } &`) },
      { weight: 1, arbitrary: tie('command').map((c) => `{ ${c}; } > /tmp/f`) },
    ),
  }))
  .list.map((l) => `x=aaaaaaaa; ${l}`.replace(/& *;/g, '&'));

describe('any program of a container', () => {
  it.each(Array.from({ length: PARTS }, (_, part) => part))(
    'keeps within its budgets, and nothing of it goes wrong outside (%i)',
    (part) => {
      fc.assert(
        fc.property(program, (script) => {
          const r = sh(script, { limit: 2, maxSteps: 200 });
          expect(r.code === null || (r.code >= 0 && r.code < 256)).toBe(true);
          expect(r.work).toBeLessThanOrEqual(budget.work);
          expect(r.held.most).toBeLessThanOrEqual(budget.memory + budget.output);
          if (r.code !== null) expect(r.held.now).toBe(0);
        }),
        { numRuns: Math.ceil(RUNS / PARTS), seed: seed + part, endOnFailure: false },
      );
    },
  );
});
