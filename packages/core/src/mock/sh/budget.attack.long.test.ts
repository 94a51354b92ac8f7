import { describe, expect, it } from 'vitest';
import { argMax, budget, budgetMessage } from '../process/budget.js';
import { type ShellRun, type ShellRunOptions, sh } from '../testing/run-shell.js';

/** Programs that ended the simulation, held it up or filled it before there were budgets. */
const many = (n: number, s = 'a'): string => s.repeat(n);

/** Runs a program for a minute of virtual time; nothing it did may have gone beyond a budget. */
function run(script: string, options: ShellRunOptions = {}): ShellRun {
  const r = sh(script, { limit: 60, maxSteps: 300_000, ...options });
  expect(r.held.most).toBeLessThanOrEqual(budget.memory + budget.output);
  expect(r.work).toBeLessThanOrEqual(budget.work);
  return r;
}

describe('patterns of a program', () => {
  it.each([
    ['grep -E', `echo ${many(200)}b | grep -E '^(a+)+$'`, 1],
    ['grep', `echo ${many(200)}b | grep '\\(a*\\)*c'`, 1],
    ['sed -E', `echo ${many(200)}b | sed -E 's/^(a|a)*$/x/' | grep -q b`, 0],
    ['sed, a script of backslashes', `echo x | sed 's/${many(3000, '\\\\')}'`, 1],
    ['sed, a script of semicolons', `echo x | sed '${many(50_000, ';')}d'`, 0],
    ['case', `case ${many(2000)} in ${many(20, '*a')}*b) exit 1 ;; esac`, 0],
    [`\${x%%}`, `x=${many(20_000)}; [ "\${x%%${many(10, '*a')}*b}" = "$x" ]`, 0],
    [`\${x#}`, `x=${many(20_000)}; [ "\${x#${many(10, '*a')}*b}" = "$x" ]`, 0],
    ['find -name', `touch /tmp/${many(200)}; find /tmp -name '${many(12, '*a')}*b' | grep -q .`, 1],
    ['globs', `cd /tmp; touch ${many(200)}; [ "$(echo ${many(12, '*a')}*b)" != ${many(200)} ]`, 0],
    ['newlines in a row', `x=$(printf '%200000s' | tr ' ' '\\n'; echo a); [ \${#x} = 200001 ]`, 0],
    ['blanks in a row', `printf '%100000sx\\n' | { read -r x; [ "$x" = x ]; }`, 0],
    ['slashes in a row', `dirname ${many(3000, '/')}x | grep -q .`, 0],
  ])('%s', (_, script, code) => {
    const r = run(script);
    expect(r.code).toBe(code);
    expect(r.steps).toBeLessThan(1000);
  });

  it('a match that is too much work ends the program that asks for it, and says why', () => {
    const r = run(`x=$(printf '%100000s' | tr ' ' a); echo $x | grep -E '${many(200, 'a?')}${many(200)}b'; echo $?`);
    expect(r.err).toContain(`grep: ${budgetMessage('work')}`);
    expect(r.out).toBe('137\n');
  });
});

describe('output', () => {
  it.each([
    ['seq 1 99999999999'],
    ['seq 0 0.0000000000000000001 1'],
    ["printf '%999999999s'"],
    ["printf '%.999999999d' 1"],
    ["printf '%*s' 999999999 x"],
    ["printf '%s' $(seq 1 100000); printf '%9999999s' a b c d"],
  ])('%s ends', (script) => {
    const r = run(script);
    expect(r.code).toBe(137);
    expect(r.err).toContain(budgetMessage('output'));
    expect(r.out.length).toBeLessThanOrEqual(budget.output);
  });

  it('a child that wrote too much is a child that was killed', () => {
    expect(run(`x=$(seq 1 99999999999); echo $? \${#x}`)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^137 83\d{5}\n$/),
    });
  });

  it('numbers with any precision are formatted', () => {
    expect(run("printf '%.200f %.300e %.999g' 1 1 1").code).toBe(0);
  });

  it('whoever writes without end waits for a reader that does not read', () => {
    const r = run('yes | sleep 1000');
    expect(r.code).toBeNull();
    expect(r.held.most).toBeLessThan(1 << 20);
    expect(run('yes | head -2').out).toBe('y\ny\n');
    expect(run('head -c 9999999999 /dev/zero | sleep 1000').held.most).toBeLessThan(4 << 20);
  });
});

describe('memory', () => {
  it.each([
    ['a loop', 'x=0123456789; while :; do x=$x$x; done'],
    ['a line each', `x=0123456789\n${many(60, 'x=$x$x\n')}`],
    ['here-documents', `x=0123456789\n${many(60, 'read -r x <<E\n$x$x\nE\n')}`],
    ['many variables', 'x=$(printf \'%1000000s\'); i=0; while :; do eval "x$i=\\$x"; i=$((i+1)); done'],
    ['many subshells', `x=$(printf '%8000000s'); ${many(20, '( ')} : ${many(20, ' )')}; exit 1`],
    ['what is caught', 'x=$(head -c 9999999999 /dev/zero); exit 1'],
    ['words that are joined', `x=$(printf '%1000000s'); set -- ${many(200, '"$x" ')}; x="$*"`],
  ])('of texts that grow is bounded: %s', (_, script) => {
    const r = run(script);
    expect(r.code === 137 || r.code === 1).toBe(true);
    expect(r.err).toMatch(/budget of the mock shell exceeded: (programs of a container hold|too much work)/);
    expect(r.held.now).toBe(0);
  });

  it('of words that double', () => {
    const r = run(`set -- a b; ${many(40, 'set -- "$@" "$@"; ')} echo $#`);
    expect(r).toMatchObject({ code: 137, exceeded: budgetMessage('words') });
  });

  it('a limit that is smaller comes first', () => {
    expect(run('x=0123456789; while :; do x=$x$x; done', { memoryLimit: 1 << 20 })).toMatchObject({
      code: 137,
      oom: true,
      exceeded: null,
    });
  });

  it('of files is that of a disk', () => {
    const grow =
      'echo 0123456789 > /tmp/f; i=0; while [ $i -lt 40 ]; do cat /tmp/f /tmp/f > /tmp/g || exit 3; mv /tmp/g /tmp/f; sleep 1; i=$((i+1)); done';
    expect(run(grow).code).not.toBe(0);
    const fill = `head -c 4194304 /dev/zero > /tmp/a; i=0; while cat /tmp/a > /tmp/b$i; do i=$((i+1)); sleep 0.1; done; echo $i`;
    const r = run(fill);
    expect(r.out).toBe('62\n');
    expect(r.err).toContain('no space left on device');
  });

  it('arguments and environment are as long as Linux takes them', () => {
    const r = run(`export x=0123456789abcdef; ${many(13, 'export x=$x$x; ')} env | grep -c x; echo $?`);
    expect(r.err).toContain('sh: env: Argument list too long');
    expect(run(`x=$(printf '%100000s'); /bin/echo ${many(25, '"$x" ')} > /dev/null; echo $?`).out).toBe('126\n');
    expect(argMax).toBe(2_097_152);
    expect(run('/bin/echo $(seq 1 100000) | wc -w').out).toBe('100000\n');
  });
});

describe('nesting', () => {
  it.each([
    ['parentheses', `${many(30_000, '(')}:${many(30_000, ')')}`],
    ['if', `${many(8000, 'if :; then ')}:;${many(8000, ' fi;')}`],
    ['substitutions', `echo ${many(10_000, '$(')}:${many(10_000, ')')}`],
    ['quoted substitutions', `echo ${many(5000, '"$(')}:${many(5000, ')"')}`],
    ['parameters', `echo ${many(10_000, `\${x:-`)}${many(10_000, '}')}`],
    ['functions of functions', `${many(9000, 'f() ')} { :; }`],
    ['functions full of commands', `f() { ${many(20, 'if :; then { ')} f; ${many(20, '}; fi; ')} }; f`],
    ['programs that run programs', `${many(20_000, 'env ')} true`],
    ['busybox', `${many(12_000, 'busybox ')} true`],
  ])('of %s is bounded', (_, script) => {
    const r = run(script);
    expect(r.code).toBe(137);
    expect(r.err).toMatch(/budget of the mock shell exceeded/);
  });

  it.each([
    ['arithmetic', `echo $((${many(20_000, '(')}1${many(20_000, ')')}))`],
    ['signs', `echo $((${many(20_000, '- ')}1))`],
    ['powers', `echo $((1${many(20_000, '**1')}))`],
    ['assignments', `echo $((${many(20_000, 'a=')}1))`],
    ['tests', `[ ${many(20_000, '\\( ')} a ${many(20_000, '\\) ')} ]`],
    ['negations', `[ ${many(30_000, '! ')} a ]`],
  ])('of %s is an error of the program', (_, script) => {
    expect(run(script)).toMatchObject({ code: 2 });
  });

  it('what people write fits', () => {
    expect(run(`echo $((${many(100, '(')}1${many(100, ')')}))`).out).toBe('1\n');
    expect(run(`${many(40, '(')}echo 1${many(40, ')')}`).out).toBe('1\n');
    expect(run('f() { if [ $1 -gt 0 ]; then f $(($1 - 1)); else echo end; fi; }; f 50').out).toBe('end\n');
  });

  it('a program has so much text', () => {
    expect(run(`${many(70_000, ': ')}`)).toMatchObject({ code: 137, exceeded: budgetMessage('program') });
  });
});

describe('numbers', () => {
  it('are integers of 64 bits, whatever is asked', () => {
    expect(run('echo $((2**99999999999)) $((3**4)) $((2**1024 & 1)) $((9223372036854775807 + 1 < 0))').out).toBe(
      '0 81 0 1\n',
    );
    expect(run(`echo $((${many(5000, '9')} > 0)) $((1 << 99999))`).out).toBe('1 2147483648\n');
    expect(run('echo $((2 ** -1))')).toMatchObject({ code: 2 });
  });

  it.each([
    'sleep 99999999999999999999999999',
    'usleep 1e300',
    'timeout 99999999999999999999999 sleep 99999999999999999999',
    'dd if=/dev/zero bs=1G count=99999999',
    'while :; do sleep 999999999999999d; done',
  ])('%s lasts for ever', (script) => {
    const r = run(script);
    expect(r.code).toBeNull();
    expect(r.steps).toBeLessThan(20);
  });

  it('less than nothing is nothing', () => {
    expect(run('usleep -99999999; sleep 1; dd if=/dev/zero bs=1 count=-5; head -c -5 /dev/zero').took).toBeGreaterThan(
      1,
    );
    expect(run('echo a b | xargs -n 0 echo').code).toBe(1);
    expect(run('echo a b | xargs -n -1 echo').code).toBe(1);
  });
});

describe('time goes on', () => {
  it.each([
    ['a loop', 'while :; do :; done'],
    ['a loop of assignments', 'while :; do x=1; done'],
    ['a loop of nothing that sleeps', 'while :; do usleep -5; done'],
    ['a chain of background jobs', 'f() { f & }; f; sleep 1000'],
    ['a chain of scripts', 'echo "sh /tmp/s &" > /tmp/s; sh /tmp/s & sleep 1000'],
    ['a trap that fires itself', "trap 'kill -TERM $$' TERM; kill -TERM $$; sleep 1"],
    ['a fork bomb', 'b() { b | b & }; b; sleep 1000'],
    ['shifting', 'set -- $(seq 1 100000); while [ $# -gt 0 ]; do shift; done'],
    ['files', 'i=0; while :; do : > /tmp/f$i; i=$((i+1)); done'],
  ])('in %s', (_, script) => {
    // It came to the end of the minute, in this many turns of the kernel.
    const r = run(script, { limit: 10 });
    expect(r.code).toBeNull();
    expect(r.steps).toBeLessThan(100_000);
  });
});

describe('errors of programs', () => {
  it.each([
    ['echo a | tee /none/x', 1],
    ['httpd -p 8080; wget -q -O- http://localhost:8080/%zz', 1],
    ['mkdir /tmp/a; cp -r /tmp/a /tmp/a/b', 137],
    ['mkdir /tmp/d; cd /tmp/d; ln -s . a; ln -s . b; cp -r /tmp/d /tmp/e', 1],
    [`cat ${many(5000)}`, 1],
    [`${many(5000)}`, 127],
    [`cd ${many(5000)}`, 1],
    [`mkdir -p ${many(2500, 'a/')}`, 1],
    ['nohup', 1],
  ])('%s', (script, code) => {
    expect(run(script).code).toBe(code);
  });
});
