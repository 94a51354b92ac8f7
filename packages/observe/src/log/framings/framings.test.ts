import { utf8Bytes } from '@syncloop/core/base';
import { describe, expect, it } from 'vitest';
import { LogReader, type LogReaderOptions } from '../reader.js';
import { type FramingName, Unframer } from './index.js';

const NOT_AFTER = Date.UTC(2026, 10, 22, 23);
const K = 'E1122 11:27:16.346719   18940 kubelet.go:2724] "Skipping pod synchronization" err="PLEG is not healthy"';
const read = (text: string | Uint8Array, options: Partial<LogReaderOptions> = {}) => {
  const reader = new LogReader({ notAfter: NOT_AFTER, ...options });
  const bytes = typeof text === 'string' ? utf8Bytes(text) : text;
  const all = [...reader.push(bytes), ...reader.end()];
  return { reader, all, entries: all.filter((e) => e.kind === 'entry'), others: all.filter((e) => e.kind === 'other') };
};
/** The times of a header without a zone are taken for UTC. */
const AT = Date.UTC(2026, 10, 22, 11, 27, 16) * 1000 + 346_719;
const json = (value: unknown) => JSON.stringify(value);

describe('a line is taken out of its framing, with host, process and time', () => {
  const cases: [framing: FramingName, line: string, also?: { host: string }][] = [
    ['journal', `Nov 22 11:27:16 n1 kubelet[18940]: ${K}`, { host: 'n1' }],
    ['journal', `Nov 22 11:27:16 kubelet[18940]: ${K}`],
    ['journal', `<30>Nov 22 11:27:16 n1 kubelet[18940]: ${K}`, { host: 'n1' }],
    ['journal', `  11\u6708 22 11:27:16 n1 kubelet[18940]: ${K}`, { host: 'n1' }],
    ['journal', `nov. 22 11:27:16 n1 k3s[18000]: ${K}`, { host: 'n1' }],
    ['journal', `\u043d\u043e\u044f 22 11:27:16 n1 kubelet[18940]: ${K}`, { host: 'n1' }],
    ['journal', `syslog:Nov 22 11:27:16 n1 kubelet[18940]: ${K}`, { host: 'n1' }],
    ['journal', `/var/log/messages:123:Nov 22 11:27:16 n1 kubelet[18940]: ${K}`, { host: 'n1' }],
    ['journal', `> > 12: Nov 22 11:27:16 n1 bash[8907]: ${K}`, { host: 'n1' }],
    ['journal', `* Nov 22 11:27:16 n1 kubelet[18940]: ${K}`, { host: 'n1' }],
    ['journal-full', `Sun 2026-11-22 12:27:16 CET n1 kubelet[18940]: ${K.replace('11:27', '12:27')}`, { host: 'n1' }],
    ['journal-full', `Sun 2026-11-22 11:27:16 CST n1 kubelet[18940]: ${K}`, { host: 'n1' }],
    ['journal-full', `\u65e5 2026-11-22 11:27:16 UTC n1 kubelet.service[18940]: ${K}`, { host: 'n1' }],
    ['journal-monotonic', `[  123.456789] n1 kubelet[18940]: ${K}`, { host: 'n1' }],
    ['journal-unix', `1795346836.346800 n1 kubelet[18940]: ${K}`, { host: 'n1' }],
    ['syslog', `<30>1 2026-11-22T11:27:16.3468Z n1 kubelet 18940 - - ${K}`, { host: 'n1' }],
    ['syslog', `<30>1 2026-11-22T11:27:16.3468Z n1 kubelet 18940 ID [x@1 a="b\\"]"] \ufeff${K}`, { host: 'n1' }],
    ['shipper', `2026-11-22T11:27:16.734032Z - kubelet ${K}`],
    ['shipper', `2026-11-22T11:27:16.734032+00:00 kubelet-i-0abc ${K}`],
    ['talos', `10.0.0.1: ${K}`, { host: '10.0.0.1' }],
    ['loki', `2026-11-22T11:27:17Z {app="kubelet", hostname="n1"} ${K}`, { host: 'n1' }],
    [
      'json',
      json({ insertId: 'x', jsonPayload: { MESSAGE: K, _HOSTNAME: 'n1' }, timestamp: '2026-11-22T11:27:16.4Z' }),
      { host: 'n1' },
    ],
    [
      'json',
      json({ textPayload: K, resource: { labels: { node_name: 'n1' } }, timestamp: '2026-11-22T11:27:16.4Z' }),
      { host: 'n1' },
    ],
    [
      'json',
      json({ _index: 'a', _source: { message: K, '@timestamp': '2026-11-22T11:27:16.4Z', host: { name: 'n1' } } }),
      { host: 'n1' },
    ],
    [
      'json',
      json({ attributes: { message: K, host: 'n1', timestamp: '2026-11-22T11:27:16.4Z' }, type: 'log' }),
      { host: 'n1' },
    ],
    ['json', json({ timestamp: 1795346836400, message: K, ingestionTime: 1795346839000 })],
    ['json', json({ labels: { hostname: 'n1' }, line: K, timestamp: '2026-11-22T11:27:16.4Z' }), { host: 'n1' }],
    ['json', json({ log: K, kubernetes: { host: 'n1' }, time: '2026-11-22T11:27:16.4Z' }), { host: 'n1' }],
    ['none', `\t 4582: ${K}`],
    ['none', `   12\u2192${K}`],
    ['none', `kubelet.log-12-${K}`],
    ['none', `\u001b[0;1;31m${K}\u001b[0m`],
    ['none', K.replaceAll('"', '&quot;')],
    ['none', K.replace('E1122', 'ERROR:1122')],
  ];
  it.each(cases)('%s: %s', (framing: FramingName, line: string, also?: { host: string }) => {
    const { reader, entries, others } = read(`${line}\n`);
    expect(others).toEqual([]);
    expect(entries).toMatchObject([
      {
        msg: 'Skipping pod synchronization',
        fields: { err: 'PLEG is not healthy' },
        pid: 18940,
        epochMicros: AT,
        ...also,
      },
    ]);
    expect(reader.framings).toEqual({ [framing]: 1 });
  });

  it('of talosctl with records of JSON', () => {
    const line = (ip: string) => `${ip}: {"ts":1795346836346.719,"caller":"kubelet/kubelet.go:2724","msg":"m","v":2}\n`;
    const { entries } = read(line('10.0.0.1') + line('10.0.0.1') + line('10.0.0.2'));
    expect(entries).toMatchObject([{ host: '10.0.0.1', file: 'kubelet.go' }, { host: '10.0.0.1' }]);
  });

  it('of k0s, which puts its own text around that of each program', () => {
    const of = (component: string, text: string) =>
      `Nov 22 11:27:16 n1 k0s[1]: time="2026-11-22 11:27:16" level=info msg=${json(text)} component=${component} stream=stderr\n`;
    const { entries, others } = read(of('kubelet', K) + of('etcd', 'took too long'));
    expect(entries).toMatchObject([{ msg: 'Skipping pod synchronization', program: 'kubelet', host: 'n1' }]);
    expect(others).toMatchObject([{ program: 'etcd', text: 'took too long' }]);
  });

  it('of text in UTF-16, with either order of bytes, in pieces of any size', () => {
    const text = `\ufeffNov 22 11:27:16 n1 kubelet[18940]: ${K}\r\n`;
    const little = new Uint8Array(new Uint16Array([...text].map((c) => c.charCodeAt(0))).buffer);
    const big = little.slice();
    for (let i = 0; i < big.length; i += 2) [big[i], big[i + 1]] = [big[i + 1] as number, big[i] as number];
    for (const bytes of [little, big]) {
      expect(read(bytes).entries).toMatchObject([{ host: 'n1', epochMicros: AT }]);
      const reader = new LogReader({ notAfter: NOT_AFTER });
      const all = [];
      for (let i = 0; i < bytes.length; i += 3) all.push(...reader.push(bytes.subarray(i, i + 3)));
      expect([...all, ...reader.end()]).toEqual(read(bytes).all);
    }
  });
});

describe('an export of a store of logs', () => {
  it('is CSV with the message in a column, over several lines', () => {
    const csv = [
      'Date,Host,Service,"Message"',
      `2026-11-22T11:27:16.400Z,"n1",kubelet,"${K.replaceAll('"', '""')}"`,
      '2026-11-22T11:27:17.400Z,"n1",systemd,"kubelet.service: Main process exited, code=exited, status=1/FAILURE"',
      '2026-11-22T11:27:18.400Z,"n1",kubelet,"panic: boom\n\ngoroutine 1 [running]:"',
    ].join('\n');
    const { entries, others } = read(csv);
    expect(entries).toMatchObject([{ host: 'n1', epochMicros: AT }]);
    expect(others).toMatchObject([
      { program: 'systemd', epochMicros: Date.UTC(2026, 10, 22, 11, 27, 17, 400) * 1000 },
      { program: 'kubelet', text: 'panic: boom' },
      { program: 'kubelet', text: 'goroutine 1 [running]:' },
    ]);
  });

  it.each([
    ['Cloud Logging', [{ jsonPayload: { MESSAGE: K, _HOSTNAME: 'n1' }, timestamp: '2026-11-22T11:27:16.4Z' }]],
    ['CloudWatch', { events: [{ timestamp: 1795346836400, message: K }], nextForwardToken: 'f' }],
    [
      'Elasticsearch',
      { hits: { total: 1, hits: [{ _source: { message: K, '@timestamp': '2026-11-22T11:27:16.4Z' } }] } },
    ],
    ['Datadog', { data: [{ id: '1', attributes: { message: K, timestamp: '2026-11-22T11:27:16.4Z' } }] }],
    [
      'Loki',
      { status: 'success', data: { result: [{ stream: { hostname: 'n1' }, values: [['1795346836400000000', K]] }] } },
    ],
    [
      'klog in jsonPayload',
      [
        {
          jsonPayload: {
            ts: AT / 1000,
            caller: 'kubelet/kubelet.go:2724',
            msg: 'Skipping pod synchronization',
            v: 0,
            err: 'PLEG is not healthy',
          },
        },
      ],
    ],
  ])('is one document of JSON: %s', (_, document) => {
    for (const text of [JSON.stringify(document, null, 2), JSON.stringify(document)])
      expect(read(text).entries).toMatchObject([
        { msg: 'Skipping pod synchronization', fields: { err: 'PLEG is not healthy' }, epochMicros: AT },
      ]);
  });
});

describe('what is not a line of a log', () => {
  it('is passed over: blank lines, fences', () => {
    const { all } = read(`\`\`\`\n${K}\n\n   \n${K}\n\`\`\`console\n`);
    expect(all).toHaveLength(2);
  });

  it('is a line of the one who keeps the log: explanations, heads', () => {
    const { others, entries } = read(
      [
        '-- Logs begin at Mon 2021-07-12 10:14:57 UTC, end at Tue 2021-07-13 12:40:01 UTC. --',
        'Jul 13 12:37:13 n1 kubelet[1]: E0713 12:37:13.000000       1 kubelet.go:1] "m"',
        '\u2591\u2591 Subject: Unit failed',
      ].join('\n'),
    );
    expect(others).toMatchObject([{ program: 'journalctl' }, { program: 'journalctl' }]);
    expect(new Date((entries[0]?.epochMicros ?? 0) / 1000).toISOString()).toBe('2021-07-13T12:37:13.000Z');
  });

  it('does not take long, whatever it is', () => {
    const unframer = new Unframer();
    const lines = [
      '1 1 1 1 1 1:1:1:1:1- a 00:00:00',
      '> > > > > 1: 1: 1: 1: x 00:00:00',
      `${'a:'.repeat(200)} 00:00:00`,
    ];
    for (const line of lines) for (let i = 0; i < 300; i++) expect(unframer.read(line)?.text).toBe(line);
  });
});
