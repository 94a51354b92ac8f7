import { utf8Bytes } from '@syncloop/core/base';
import { describe, expect, it } from 'vitest';
import { LogReader, type LogReaderOptions } from './reader.js';

const NOT_AFTER = Date.UTC(2026, 10, 22, 23);
const read = (lines: readonly string[], options: Partial<LogReaderOptions> = {}) => {
  const reader = new LogReader({ notAfter: NOT_AFTER, ...options });
  const all = [...reader.push(utf8Bytes(`${lines.join('\n')}\n`)), ...reader.end()];
  const entries = all.filter((e) => e.kind === 'entry');
  return {
    reader,
    all,
    entries,
    others: all.filter((e) => e.kind === 'other'),
    times: entries.map((e) => iso(e.epochMicros)),
  };
};
const iso = (micros: number | null) => (micros === null ? null : new Date(micros / 1000).toISOString());
const klog = (time: string, msg: string, file = 'kubelet.go', pid = 1432, day = '1122') =>
  `I${day} ${time}.000000    ${pid} ${file}:1] "${msg}"`;
const journal = (time: string, host: string, program: string, text: string) =>
  `Nov 22 ${time} ${host} ${program}: ${text}`;

describe('the program of a line', () => {
  it('is told by its framing, section, component and source file', () => {
    const { entries, others, reader } = read([
      journal('10:00:00', 'n1', 'systemd[1]', 'Started kubelet.'),
      journal('10:00:01', 'n1', 'kubelet[1432]', klog('10:00:01', 'a')),
      journal('10:00:01', 'n1', 'containerd[77]', 'time="2026-11-22T10:00:01Z" level=error msg="x"'),
      journal('10:00:02', 'n1', 'kube-apiserver[90]', klog('10:00:02', 'not the kubelet', 'reflector.go', 90)),
      journal('10:00:03', 'n1', 'k3s[5]', klog('10:00:03', 'b', 'kubelet.go', 5)),
      journal('10:00:03', 'n1', 'k3s[5]', klog('10:00:03', 'not the kubelet', 'replica_set.go', 5)),
      journal('10:00:03', 'n1', 'microk8s.daemon-kubelite[5]', klog('10:00:03', 'c', 'reconciler.go', 5)),
      journal('10:00:04', 'n1', 'bash[8907]', klog('10:00:04', 'd', 'server.go', 8907)),
      journal(
        '10:00:04',
        'n1',
        'microshift[9]',
        `kube-apiserver ${klog('10:00:04', 'not the kubelet', 'cache.go', 9)}`,
      ),
      journal('10:00:04', 'n1', 'microshift[9]', `kubelet ${klog('10:00:04', 'e', 'cache.go', 9)}`),
      journal('10:00:05', 'n1', '(kubelet)[1500]', 'kubelet.service: Failed at step EXEC spawning /usr/bin/kubelet'),
      journal('10:00:05', 'n1', 'kube-proxy[6]', 'panic: not the kubelet'),
    ]);
    expect(entries.map(({ msg }) => msg)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(others.map(({ program }) => program)).toEqual([
      'systemd',
      'containerd',
      'kube-apiserver',
      'kube-controller-manager',
      'kube-apiserver',
      'systemd',
      'kube-proxy',
    ]);
    expect(others.every(({ host }) => host === 'n1')).toBe(true);
    expect(reader.share).toMatchObject({ lines: 12, elsewhere: 0, nodes: [{ name: 'n1', lines: 12, kubelet: 5 }] });
    expect(reader.share.programs[0]).toEqual({ program: 'kubelet', lines: 5 });
  });

  it('is that of its section', () => {
    const { entries, others } = read([
      '==> Docker <==',
      journal('10:00:00', 'n1', 'dockerd[7]', 'time="2026-11-22T10:00:00Z" level=info msg="x"'),
      '',
      '==> kube-scheduler [7c504d5a5c66] <==',
      klog('10:00:01', 'of the scheduler', 'reflector.go', 1),
      'panic: of the scheduler',
      '==> dmesg <==',
      '[  +0.000001] oom-kill: x',
      '* ==> /var/log/kubelet.log <==',
      `* ${klog('10:00:02', 'of the kubelet', 'reflector.go')}`,
    ]);
    expect(entries).toMatchObject([{ msg: 'of the kubelet', program: 'kubelet' }]);
    expect(others.map(({ program }) => program)).toEqual(['dockerd', 'kube-scheduler', 'kube-scheduler', 'kernel']);
  });

  it('is found for lines that nothing frames, by the files of their process', () => {
    const { entries, others } = read([
      klog('10:00:00', 'a', 'kubelet.go', 10),
      klog('10:00:01', 'x', 'proxier.go', 20),
      klog('10:00:02', 'b', 'reflector.go', 10),
      klog('10:00:03', 'y', 'reflector.go', 20),
      'kubelet.service: Main process exited, code=exited, status=1/FAILURE',
      'time="2026-11-22T10:00:04Z" level=info msg="RunPodSandbox for x"',
      'Out of memory: Killed process 77 (app)',
    ]);
    expect(entries.map(({ msg }) => msg)).toEqual(['a', 'b']);
    expect(others.map(({ program }) => program)).toEqual([
      'kube-proxy',
      'kube-proxy',
      'systemd',
      'containerd',
      'kernel',
    ]);
  });
});

describe('a header that somebody shortened', () => {
  it('is still the kubelet’s, with the time of its framing, of the line before it, or none', () => {
    const { entries, others } = read([
      'kubelet.go:1359] Failed to start ContainerManager: no cgroups',
      'kubelet[7]: W0216 eviction_manager.go:329] eviction manager: attempting to reclaim memory',
      '09:48:43 reconciler.go:252] "operationExecutor.MountVolume started"',
      '... kubelet.go:1344] Failed to start cAdvisor',
      'proxier.go:12] not the kubelet',
      journal('10:00:01', 'n1', 'kubelet[7]', 'server.go:274] failed to run Kubelet: no'),
      klog('10:00:02', 'whole'),
      'pod_workers.go:190] "Error syncing pod, skipping" err="x"',
    ]);
    expect(entries.map(({ file, severity, msg }) => [file, severity, msg.slice(0, 24)])).toEqual([
      ['kubelet.go', 'E', 'Failed to start Containe'],
      ['eviction_manager.go', 'W', 'eviction manager: attemp'],
      ['reconciler.go', 'I', 'operationExecutor.MountV'],
      ['kubelet.go', 'E', 'Failed to start cAdvisor'],
      ['server.go', 'E', 'failed to run Kubelet: n'],
      ['kubelet.go', 'I', 'whole'],
      ['pod_workers.go', 'E', 'Error syncing pod, skipp'],
    ]);
    expect(entries.map((e) => iso(e.epochMicros)?.slice(11, 19) ?? null)).toEqual([
      ...[null, null, null, null],
      ...['10:00:01', '10:00:02', '10:00:02'],
    ]);
    expect(others).toMatchObject([{ program: 'kube-proxy' }]);
  });

  it('has its record in the lines below, as somebody has laid it out', () => {
    const { entries } = read([
      'kuberuntime_manager.go:458] Container {Name:a',
      'Probe:&Probe{',
      '   Path:/healthz,',
      '},} is dead',
      'I1122 10:00:01.000000       1 a.go:1] text',
      'E1122 10:00:02.0000',
      'kubelet: Exit with error: x',
    ]);
    expect(entries.map(({ msg }) => msg)).toEqual(['Container {Name:a Probe:&Probe{Path:/healthz,},} is dead', 'text']);
  });
});

it('an entry of JSON that a copy has broken into lines is one, and a broken one is as it stands', () => {
  const entry = (text: string) => JSON.stringify({ log: `${text}\n`, stream: 'stderr', time: '2026-11-22T10:00:00Z' });
  const [whole, other] = [entry(klog('10:00:00', 'a long one')), entry(klog('10:00:01', 'another'))];
  const { entries, others } = read([whole.slice(0, 40), whole.slice(40, 60), whole.slice(60), '{"log":"never', other]);
  expect(entries.map(({ msg, line }) => [msg, line])).toEqual([
    ['a long one', 1],
    ['another', 5],
  ]);
  expect(others.map(({ text }) => text)).toEqual(['{"log":"never']);
});

describe('the node of a line', () => {
  const two = [
    journal('10:00:00', 'n1', 'kubelet[1]', klog('10:00:00', 'one', 'kubelet.go', 1)),
    journal('10:00:01', 'n2.example', 'kubelet[2]', klog('10:00:01', 'two', 'kubelet.go', 2)),
    journal('10:00:02', 'n2', 'systemd[1]', 'Stopped kubelet.'),
    journal('10:00:03', 'n2', 'kubelet[2]', klog('10:00:03', 'two again', 'kubelet.go', 2)),
  ];

  it('is one only: that with most lines of a kubelet, or the chosen one', () => {
    const most = read(two);
    expect(most.entries.map(({ msg }) => msg)).toEqual(['two', 'two again']);
    expect(most.others).toMatchObject([{ program: 'systemd' }]);
    expect(most.reader.share).toMatchObject({
      lines: 4,
      elsewhere: 1,
      nodes: [
        { name: 'n2.example', lines: 3, kubelet: 2 },
        { name: 'n1', lines: 1, kubelet: 1 },
      ],
    });
    expect(read(two, { node: 'n1' }).entries.map(({ msg }) => msg)).toEqual(['one']);
    expect(read(two, { node: 'n3' }).all).toEqual([]);
  });

  it('is its kubelet if nothing names it and two write in turns; a kubelet that was started again is no other node', () => {
    const turns = ['00', '01', '02', '03', '04', '05', '06', '07', '08'];
    const mixed = read(turns.map((s, i) => klog(`10:00:${s}`, `of ${i % 2}`, 'kubelet.go', 100 + (i % 2))));
    expect(new Set(mixed.entries.map(({ msg }) => msg))).toEqual(new Set(['of 0']));
    expect(mixed.reader.share).toMatchObject({ elsewhere: 4, nodes: [{ name: 'pid 100' }, { name: 'pid 101' }] });
    const again = read(turns.map((s, i) => klog(`10:00:${s}`, 'm', 'kubelet.go', i < 5 ? 100 : 101)));
    expect(again.entries).toHaveLength(9);
    expect(again.reader.share.nodes).toEqual([]);
  });
});

describe('the clock of a log', () => {
  it('goes forward if the newest line comes first, with the lines of a value in their order', () => {
    const text = [
      klog('10:00:05', 'last'),
      'I1122 10:00:04.000000    1432 s.go:1] "Diff" d=<',
      '\t- a',
      '\t+ b',
      ' >',
      klog('10:00:03', 'second'),
      klog('10:00:01', 'first'),
    ];
    const { entries } = read(text);
    expect(entries.map(({ msg }) => msg)).toEqual(['first', 'second', 'Diff', 'last']);
    expect(entries[2]).toMatchObject({ fields: { d: '- a\n+ b' } });
    const framed = [...text].map((line) => (/^[IWEF]/.test(line) ? `Nov 22 10:00:00 n1 kubelet[1432]: ${line}` : line));
    expect(read(framed).entries.map(({ msg }) => msg)).toEqual(['first', 'second', 'Diff', 'last']);
  });

  it('goes over New Year, and over a gap', () => {
    const { times, reader } = read([
      klog('23:59:59', 'a', 'kubelet.go', 1, '1231'),
      klog('00:00:01', 'b', 'kubelet.go', 1, '0101'),
      klog('00:00:01', 'c', 'kubelet.go', 1, '0301'),
    ]);
    expect(times).toEqual(['2025-12-31T23:59:59.000Z', '2026-01-01T00:00:01.000Z', '2026-03-01T00:00:01.000Z']);
    expect(reader.clock.steps).toEqual([]);
  });

  it('has the year of any line that has one, whatever the time of the file', () => {
    const dated = [
      'time="2019-03-04T05:06:08Z" level=info msg="RunPodSandbox for x"',
      'I0304 05:06:07.000000    1 helpers.go:1] eviction manager: observations: signal=x, time: 2019-03-04 05:06:06.5 +0000 UTC m=+7.1',
    ];
    for (const line of dated)
      expect(read([klog('05:06:07', 'a', 'kubelet.go', 1, '0304'), line]).times[0]).toBe('2019-03-04T05:06:07.000Z');
    const status = '     Active: active (running) since Mon 2019-03-04 05:00:00 UTC; 5s ago';
    expect(
      read(['Mar 04 05:06:07 n1 kubelet[1]: hello', status, klog('05:06:07', 'a', 'kubelet.go', 1, '0304')]).times,
    ).toEqual(['2019-03-04T05:06:07.000Z']);
  });

  it('has the zone of times that the kubelet itself has just taken', () => {
    const line =
      'I1215 19:22:59.485565   77158 helpers.go:814] eviction manager: observations: signal=memory.available, time: 2021-12-15 19:22:59.4 +0800 CST m=+7.8';
    expect(read([line]).times).toEqual(['2021-12-15T11:22:59.485Z']);
    expect(read([line], { zoneMinutes: 0 }).times).toEqual(['2021-12-15T19:22:59.485Z']);
  });

  it('changes with daylight saving if the keeper of the log has times of its own', () => {
    const kept = (utc: string, local: string) =>
      `2026-10-25T${utc}.1Z stderr F ${klog(local, 'm', 'kubelet.go', 1, '1025')}`;
    const { times, reader } = read([
      kept('00:59:59', '02:59:59'),
      kept('01:00:01', '02:00:01'),
      kept('01:00:02', '02:00:02'),
    ]);
    expect(times).toEqual(['2026-10-25T00:59:59.000Z', '2026-10-25T01:00:01.000Z', '2026-10-25T01:00:02.000Z']);
    expect(reader.clock.steps).toEqual([]);
  });

  it("is the kubelet's own if the keeper is minutes late", () => {
    const kept = (utc: string, local: string) => `2026-11-22T${utc}Z stderr F ${klog(local, 'm')}`;
    const { times } = read([
      kept('10:00:00.1', '10:00:00'),
      kept('10:19:00', '10:01:00'),
      kept('10:04:00', '10:01:30'),
    ]);
    expect(times).toEqual(['2026-11-22T10:00:00.000Z', '2026-11-22T10:01:00.000Z', '2026-11-22T10:01:30.000Z']);
  });

  it("puts other programs' lines where they are, in whatever zone the journal was printed", () => {
    const { others, entries } = read([
      journal('18:00:00', 'n1', 'kubelet[1]', klog('10:00:00', 'a')),
      journal('18:05:00', 'n1', 'systemd[1]', 'kubelet.service: Main process exited, code=exited, status=1/FAILURE'),
      '[  100.000000] n1 kernel: x',
    ]);
    expect(iso(others[0]?.epochMicros ?? null)).toBe('2026-11-22T10:05:00.000Z');
    expect(entries).toHaveLength(1);
  });
});

describe('a line that is not whole', () => {
  it('is cut at its beginning, by a pager, or by systemctl', () => {
    const { entries, others } = read([
      'tainer" err="rpc error"',
      journal(
        '10:00:00',
        'n1',
        'kubelet[1]',
        'E1122 10:00:00.000000       1 run.go:72] "command failed" err="failed to run Kubelet: swap >',
      ),
      journal('10:00:01', 'n1', 'kubelet[1]', 'E1122 10:00:01.000000       1 kubelet.go:1] node "k8\u2026'),
      journal('10:00:02', 'n1', 'kubelet[1]', 'E1122 10:00:02.000000       1 kubelet.go:1] "m" got="<nil>"'),
    ]);
    expect(others).toMatchObject([{ text: 'tainer" err="rpc error"' }]);
    expect(entries).toMatchObject([
      { msg: 'command failed', cut: true },
      { msg: 'node "k8\u2026', cut: true },
      { msg: 'm', fields: { got: '<nil>' } },
    ]);
    expect(JSON.stringify(entries[0])).not.toContain('swap >');
    expect(entries[2]?.cut).toBeUndefined();
  });

  it('is joined again if somebody wrapped it', () => {
    const { entries } = read([
      journal('10:00:00', 'n1', 'kubelet[1]', 'E1122 10:00:00.000000       1 a.go:1] "Failed" err="no such'),
      ' file" pod="d/web"',
      journal(
        '10:00:01',
        'n1',
        'kubelet[1]',
        'E1122 10:00:01.000000       1 cni.go:312] Error deleting network: node=x,',
      ),
      '\t\tworkload=y',
      journal('10:00:02', 'n1', 'systemd[1]', 'Stopped kubelet.'),
    ]);
    expect(entries).toMatchObject([
      { msg: 'Failed', fields: { err: 'no such file', pod: 'd/web' } },
      { msg: 'Error deleting network: node=x, workload=y' },
    ]);
    expect(entries.some(({ cut }) => cut)).toBe(false);
    const [head, ...rest] = ['err=', '"no such file" podUID=9f', '3a pod="d/web"'];
    const all = Array.from({ length: 4 }, (_, i) => [
      journal(`10:00:0${i}`, 'n1', 'kubelet[1]', `E1122 10:00:0${i}.000000       1 a.go:1] "Failed" ${head}`),
      ...rest,
    ]);
    const between = read([...all.flat(), '```']);
    expect(between.entries).toHaveLength(4);
    for (const one of between.entries)
      expect(one.fields).toEqual({ err: 'no such file', pod: 'd/web', podUID: '9f3a' });
    const bare = read(['E1122 10:00:00.000000       1 a.go:1] "Failed" err="no such', 'file"', klog('10:00:01', 'b')]);
    expect(bare.entries).toMatchObject([{ fields: { err: 'no suchfile' } }, { msg: 'b' }]);
  });

  it('is joined again if a terminal wrapped all lines at its width', () => {
    const WIDTH = 80;
    const messages = [
      'Failed to read the manifest',
      'Unable to mount volumes for the pod',
      'the volume is not there',
      'e',
    ];
    const lines = messages.flatMap((msg, i) => [
      `E1122 10:00:0${i}.000000       1 printf.go:1] ${msg}: ${'no-such-file-or-directory'.repeat(4)}`,
      `E1122 10:00:0${i}.500000       1 fields.go:1] "${msg}" path="/var" pod="default/${'web'.repeat(20)}"`,
    ]);
    const wrapped = lines.flatMap((line) => line.match(/.{1,80}/g) ?? []);
    expect(wrapped.every(({ length }) => length <= WIDTH) && wrapped.length > lines.length).toBe(true);
    const plain = ({ msg, fields }: { msg: string; fields: object }) => ({ msg, fields });
    expect(read(wrapped).entries.map(plain)).toEqual(read(lines).entries.map(plain));
    expect(read(wrapped).others).toEqual([]);
    // The longest lines of a log that nobody wrapped are followed by others, too.
    const long = klog('10:00:00', 'x'.repeat(100));
    const { others } = read([long, 'a line of nobody', long, 'another one', long, '- a third', long, '- a fourth']);
    expect(others).toHaveLength(4);
  });

  it('keeps what it has if its end was cut off', () => {
    const { entries } = read([
      `${journal('10:00:00', 'n1', 'kubelet[1]', 'E1122 10:00:00.000000       1 a.go:1] "Failed" err="Get \\"https://x')}>`,
      `${journal('10:00:01', 'n1', 'kubelet[1]', 'I1122 10:00:01.000000       1 a.go:1] "Deleted" pod="kube-system/et')}>`,
      `${journal('10:00:02', 'n1', 'kubelet[1]', 'I1122 10:00:02.000000       1 a.go:1] "Observed" podUID="9f-')}>`,
      `${journal('10:00:03', 'n1', 'kubelet[1]', 'I1122 10:00:03.000000       1 a.go:1] "operation started \\"lib')}>`,
    ]);
    expect(entries).toMatchObject([
      { msg: 'Failed', fields: { err: 'Get "https://x\u2026' } },
      { msg: 'Deleted', fields: { pod: 'kube-system/et\u2026' } },
      { msg: 'Observed', fields: {} },
      { msg: 'operation started "lib\u2026' },
    ]);
    expect(entries.every(({ cut, structured }) => cut && structured)).toBe(true);
    expect(entries[2]?.fields).toEqual({});
  });

  it('is a value of several lines, whose tabs the journal shows as spaces', () => {
    const { entries, others } = read(
      ['I1122 10:00:00.000000    1432 swap_util.go:115] "Swap is on" contents=<', '        Filename  Type', ' >'].map(
        (line) => journal('10:00:00', 'n1', 'kubelet[1432]', line),
      ),
    );
    expect(entries).toMatchObject([{ fields: { contents: 'Filename  Type' } }]);
    expect(others).toEqual([]);
  });

  it('has its time on a line of its own in consoles of clouds, and the year of it', () => {
    const { times, all } = read(['2024-02-27 04:42:43.206\t', klog('04:42:43', 'a', 'kubelet.go', 1, '0227'), '']);
    expect(all).toHaveLength(1);
    expect(times).toEqual(['2024-02-27T04:42:43.000Z']);
  });

  it('is in its place although there are blank lines between all of them', () => {
    const { entries } = read([
      klog('10:00:00', 'a'),
      '',
      'I1122 10:00:01.000000    1 s.go:1] "Diff" d=<',
      '',
      '\t- a',
      '',
      ' >',
      '',
    ]);
    expect(entries).toMatchObject([{ line: 1 }, { line: 3, fields: { d: '- a' } }]);
  });
});
