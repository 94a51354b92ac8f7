// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the shell's
import { describe, expect, it } from 'vitest';
import { runCommand, sh } from '../testing/run-shell.js';

describe('sh: language', () => {
  const cases: [script: string, out: string, code?: number][] = [
    ['echo hello', 'hello\n'],
    ['echo -n a; echo b', 'ab\n'],
    [`echo 'a  b' "c  d" e  f`, 'a  b c  d e f\n'],
    ['x=1; echo "$x" \'$x\' ${x}2 $x', '1 $x 12 1\n'],
    ['true && echo yes || echo no', 'yes\n'],
    ['false && echo yes || echo no', 'no\n'],
    ['! true; echo $?', '1\n'],
    ['exit 3', '', 3],
    ['false', '', 1],
    ['echo a; exit 300', 'a\n', 44],
    ['nosuch; echo $?', '127\n'],
    ['if [ 1 -lt 2 ]; then echo lt; else echo ge; fi', 'lt\n'],
    ['if false; then :; elif true; then echo elif; fi', 'elif\n'],
    ['for i in a b c; do echo $i; done', 'a\nb\nc\n'],
    ['i=0; while [ $i -lt 3 ]; do i=$((i+1)); echo $i; done', '1\n2\n3\n'],
    ['i=0; until [ $i -ge 2 ]; do i=$((i + 1)); done; echo $i', '2\n'],
    ['for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done', '1\n3\n'],
    ['for i in 1 2; do for j in 1 2; do echo $i$j; break 2; done; done', '11\n'],
    ['case abc in a*) echo A;; *) echo other;; esac', 'A\n'],
    ['case "$X" in "") echo empty;; esac', 'empty\n'],
    ['case y in x|y) echo xy;; esac', 'xy\n'],
    ['f() { echo "f $1 $#"; return 4; }; f one two; echo $?', 'f one 2\n4\n'],
    ['echo $(echo in; echo two)', 'in two\n'],
    ['echo "$(echo in; echo two)"', 'in\ntwo\n'],
    ['echo `echo back`', 'back\n'],
    ['echo $((2 + 3 * 4)) $(( (2+3) * 4 )) $((7 / 2)) $((7 % 3)) $((1 << 4))', '14 20 3 1 16\n'],
    ['x=5; echo $((x > 3 ? x * 2 : 0)) $((x++)) $x', '10 5 6\n'],
    ['echo ${u:-default} ${u-d2} "${u:+set}" ; u=1; echo ${u:+set}', 'default d2 \nset\n'],
    ['f=/a/b.tar.gz; echo ${f##*/} ${f%.*} ${f%%.*} ${f#*/} ${#f}', 'b.tar.gz /a/b.tar /a/b a/b.tar.gz 11\n'],
    ['set -- a "b c" d; echo $# $2; shift; echo $1; for x in "$@"; do echo "<$x>"; done', '3 b c\nb c\n<b c>\n<d>\n'],
    ['echo a | tr a-z A-Z', 'A\n'],
    ['printf "%s-%03d\\n" x 7 y 8', 'x-007\ny-008\n'],
    ['seq 3 | while read n; do echo "n=$n"; done', 'n=1\nn=2\nn=3\n'],
    ['cat <<EOF\nhello $HOME\nEOF', 'hello /root\n'],
    ["cat <<'EOF'\nhello $HOME\nEOF", 'hello $HOME\n'],
    ['(exit 5); echo $?', '5\n'],
    ['x=1; (x=2); echo $x', '1\n'],
    ['{ echo a; echo b; } | wc -l', '2\n'],
    ['echo err >&2; echo out 2>&1', 'out\n'],
    ['X=1 env | grep ^X=', 'X=1\n'],
    ["export A=b; sh -c 'echo $A'", 'b\n'],
    ['A=b; sh -c \'echo "[$A]"\'', '[]\n'],
    ["sh -c 'echo $0 $1' name arg", 'name arg\n'],
    ['set -e; false; echo never', '', 1],
    ['set -e; if false; then :; fi; false || true; echo ok', 'ok\n'],
    ['set -u; echo $nope; echo never', '', 2],
    ['trap "echo bye" EXIT; echo hi', 'hi\nbye\n'],
    ['trap "echo bye; exit 9" EXIT; exit 2', 'bye\n', 9],
    ['eval "echo e"; command echo c', 'e\nc\n'],
    ['IFS=:; for p in $(echo a:b:c); do echo $p; done', 'a\nb\nc\n'],
    ['echo "a\\$b" a\\ b', 'a$b a b\n'],
    ['[ -z "" ] && [ -n x ] && [ a = a ] && [ a != b ] && [ ! -e /nope ] && echo all', 'all\n'],
    ['test 1 -eq 1 -a 2 -gt 1; echo $?', '0\n'],
    ['read x < /dev/null; echo $?', '1\n'],
    ['echo one two three > /tmp/f; read a b < /tmp/f; echo "$a|$b"', 'one|two three\n'],
    ['x=$(false); echo $?', '1\n'],
    ['yes | head -2', 'y\ny\n'],
    ['echo a;# comment\necho b', 'a\nb\n'],
    ['echo *', 'bin dev etc home proc root run sbin sys tmp usr var\n'],
    ['cd /tmp; touch b.txt a.txt; echo *.txt; pwd', 'a.txt b.txt\n/tmp\n'],
    ['false | true; echo $?', '0\n'],
    ['kill -0 $$ && echo alive', 'alive\n'],
    ['busybox echo applet', 'applet\n'],
    ['$(echo echo) dynamic', 'dynamic\n'],
    ['if true; then echo a; fi > /tmp/o; cat /tmp/o', 'a\n'],
    ['while true; do echo once; break; done', 'once\n'],
    ['echo $(( 10 == 10 && 0 || 1 ))', '1\n'],
    ['exec 3>&1; x=$(echo shown >&3; echo kept); echo $x', 'shown\nkept\n'],
    ['{ echo a; echo b >&2; } 2>&1 | tr ab xy', 'x\ny\n'],
    ['trap "" TERM; trap', "trap -- '' TERM\n"],
    ['. /nope; echo never', '', 2],
  ];
  it.each(cases)('%s', (script, out, code = 0) => {
    const r = sh(script);
    expect([r.out, r.code]).toEqual([out, code]);
  });

  it('words its complaints as busybox does', () => {
    expect(sh('nosuch').err).toBe('sh: nosuch: not found\n');
    expect(sh('cat /nope').err).toBe("cat: can't open '/nope': No such file or directory\n");
    expect(sh('echo x > /no/file').err).toBe("sh: can't create /no/file: nonexistent directory\n");
    expect(sh('if true; then').code).toBe(2);
    expect(sh('echo "open').err).toMatch(/unterminated quoted string/);
    expect(sh('/tmp').code).toBe(126);
  });

  it('keeps files', () => {
    const r = sh(
      'mkdir -p /data/x && echo one > /data/x/f && echo two >> /data/x/f && mv /data/x/f /data/g && cp /data/g /data/h && rm /data/g && ls /data && cat /data/h',
    );
    expect(r.out).toBe('h\nx\none\ntwo\n');
    expect(r.code).toBe(0);
  });

  it('runs a script file that is executable', () => {
    const r = sh('printf "#!/bin/sh\\necho script \\$1\\n" > /tmp/s; /tmp/s a; chmod +x /tmp/s; /tmp/s b');
    expect(r.out).toBe('script b\n');
    expect(r.err).toBe('sh: /tmp/s: Permission denied\n');
  });
});

describe('sh: time and signals', () => {
  const near = (n: number) => (took: number | null) => took !== null && Math.abs(took - n) < 0.02;

  it('sleeps on virtual time', () => {
    expect(sh('sleep 1.5; sleep 2m').took).toSatisfy(near(121.5));
  });

  it('PID 1 ignores a TERM that it does not trap, and KILL ends it', () => {
    const r = sh('sleep 100; exit 0', {
      signals: [
        [1, 'TERM'],
        [6, 'KILL'],
      ],
    });
    expect(r.took).toSatisfy(near(6));
    expect([r.code, r.signal]).toEqual([137, 'KILL']);
    expect(runCommand(['sleep', '100'], { signals: [[1, 'TERM']], limit: 50 }).took).toBeNull();
  });

  it('without a PID namespace of its own TERM kills it', () => {
    expect(sh('sleep 100; exit 0', { signals: [[1, 'TERM']], ownPids: false })).toMatchObject({
      code: 143,
      signal: 'TERM',
    });
  });

  it('runs a trap only after the foreground command has ended', () => {
    const r = sh("trap 'echo got; exit 0' TERM; sleep 10; echo never", { signals: [[1, 'TERM']] });
    expect(r.out).toBe('got\n');
    expect(r.took).toSatisfy(near(10));
  });

  it('a trap interrupts wait at once', () => {
    const r = sh("trap 'exit 7' TERM; sleep 100 & wait", { signals: [[1, 'TERM']] });
    expect([r.code, r.took !== null && Math.abs(r.took - 1) < 0.01]).toEqual([7, true]);
  });

  it('a trap that does not exit lets the loop go on', () => {
    const r = sh("trap 'echo t' TERM; i=0; while [ $i -lt 4 ]; do sleep 1; i=$((i+1)); done; echo end", {
      signals: [[1.5, 'TERM']],
    });
    expect(r.out).toBe('t\nend\n');
  });

  it("ignores what trap '' ignores, children too", () => {
    const r = sh("trap '' TERM; sleep 2; sh -c 'sleep 2; echo child'; echo end", {
      signals: [
        [1, 'TERM'],
        [3, 'TERM'],
      ],
      ownPids: false,
    });
    expect([r.out, r.code]).toEqual(['child\nend\n', 0]);
  });

  it('an idle loop costs nothing and still ends its sleep before the trap', () => {
    const r = sh("trap 'exit 0' TERM; while true; do sleep 0.2; done", {
      signals: [[86_400.05, 'TERM']],
      limit: 90_000,
    });
    expect(r.code).toBe(0);
    expect(r.took).toBeGreaterThan(86_400.05);
    expect(r.took).toBeLessThan(86_400.3);
    expect(r.steps).toBeLessThan(50);
  });

  it('an idle loop goes on after a trap that does not exit', () => {
    const r = sh("n=0; trap 'n=$((n+1)); echo $n; [ $n = 2 ] && exit 5' TERM; while :; do sleep 1; done", {
      signals: [
        [10, 'TERM'],
        [20, 'TERM'],
      ],
    });
    expect([r.out, r.code]).toEqual(['1\n2\n', 5]);
    expect(r.took).toBeGreaterThan(20);
  });

  it('a loop that only computes lets time pass', () => {
    const r = sh('while true; do :; done', { signals: [[3600, 'KILL']], limit: 4000 });
    expect(r.took).toSatisfy(near(3600));
    expect(r.steps).toBeLessThan(200_000);
  });

  it('background jobs, $! and kill', () => {
    expect(sh('sleep 100 & p=$!; kill $p; wait $p; echo $?').out).toBe('143\n');
    expect(sh('(sleep 1; exit 4) & wait $!; echo $?').out).toBe('4\n');
    expect(sh('sleep 1 & sleep 2 & wait; echo done').took).toSatisfy(near(2));
    expect(sh('(while true; do sleep 1; done) & sleep 3; exit 2').took).toSatisfy(near(3));
  });

  it('a child that dies by a signal gives 128 + n', () => {
    expect(sh('sh -c "kill -9 \\$\\$"; echo $?').out).toBe('137\n');
    expect(sh('timeout 1 sleep 5; echo $?').out).toBe('143\n');
  });

  it('the container ends with its first process, whatever else runs', () => {
    expect(sh('sleep 100 & exit 3')).toMatchObject({ code: 3 });
  });

  it('pipes end with SIGPIPE', () => {
    expect(sh('yes | head -1; echo $?').out).toBe('y\n0\n');
  });

  it('a fork bomb comes to an end', () => {
    const r = sh('b() { b & b; }; b; echo end', { limit: 100 });
    expect(r.err).toMatch(/can't fork: Resource temporarily unavailable|maximum function nesting/);
    expect(r.code).not.toBeNull();
  });

  it.each([
    'f() { f; }; f',
    'echo ". /tmp/s" > /tmp/s; . /tmp/s',
    'x=\'eval "$x"\'; eval "$x"',
    'echo "sh /tmp/s" > /tmp/s; sh /tmp/s; exit 1',
    'f() { (f); }; f; exit 1',
    'f() { x=$(f); }; f; exit 1',
    'f() { f | cat; }; f; exit 1',
    "trap 'kill -TERM $$' TERM; kill -TERM $$; sleep 1; exit 1",
    'trap "exit" EXIT; exit 1',
  ])('does not go down for ever: %s', (script) => {
    const r = sh(script, { limit: 200 });
    expect(r.code === null || r.code > 0).toBe(true);
  });

  it('says what killed a foreground child', () => {
    expect(sh('sh -c "kill -9 \\$\\$"; sh -c "kill \\$\\$"; exit 0').err).toBe('Killed\nTerminated\n');
  });

  it('exec replaces the shell', () => {
    expect(
      sh("trap 'exit 0' TERM; exec sleep 100", {
        signals: [
          [1, 'TERM'],
          [5, 'KILL'],
        ],
      }),
    ).toMatchObject({ code: 137 });
    expect(sh('exec sh -c "exit 6"; echo never')).toMatchObject({ code: 6, out: '' });
  });

  it('runs out of memory', () => {
    expect(sh('x=a; while true; do x=$x$x; done', { memoryLimit: 1 << 24 })).toMatchObject({ code: 137, oom: true });
    expect(sh('tail /dev/zero', { memoryLimit: 1 << 24 })).toMatchObject({ code: 137, oom: true });
  });

  it('serves with nc and httpd', () => {
    expect(
      sh('echo "HTTP/1.1 200 OK\n\nbody" | nc -l -p 8080 & sleep 1; wget -q -O- http://127.0.0.1:8080/; echo $?').out,
    ).toMatch(/body\n0\n$/);
    expect(sh('mkdir /www; echo page > /www/index.html; httpd -p 8080 -h /www; wget -qO- localhost:8080').out).toBe(
      'page\n',
    );
    expect(sh('wget -q http://localhost:81/; echo $?').out).toBe('1\n');
    expect(sh('nc -z localhost 81 || echo closed').out).toBe('closed\n');
  });
});
