import { read } from '@syncloop/core/shape';
import { describe, expect, it } from 'vitest';
import { workloadOn } from './aligned.js';
import { chanceOfAtLeast, chanceOfWindow } from './chance.js';
import { clockOf } from './clock.js';
import { fleetMarkdown, fleetNodeShape, fleetStory, fleetText, problemWords, unreadNode } from './index.js';
import { registryOf, skeletonOf } from './rules.js';
import type { FleetIncident, FleetNode } from './types.js';
import { unreadReasons } from './types.js';

const T = Date.UTC(2026, 10, 22, 11);
const at = (time: string) => Date.parse(`2026-11-22T${time}Z`);

const incident = (kind: FleetIncident['kind'], begin: string, more: Partial<FleetIncident> = {}): FleetIncident => ({
  kind,
  ...{ pod: '', container: '', text: { en: `${kind} at ${begin}.`, zh: `${begin} ${kind}。` }, what: '', image: '' },
  ...{ count: 1, begin: at(begin), last: at(begin), end: at(begin) + 30_000, pods: [], consequences: [] },
  ...more,
});
const node = (name: string, incidents: readonly FleetIncident[], more: Partial<FleetNode> = {}): FleetNode => ({
  ...{ name, source: `logs/${name}`, version: 'v1.33.1', level: incidents.length > 0 ? 'wrong' : 'calm' },
  ...{ lines: 500, read: 500, from: T, to: T + 3_600_000, clock: null, incidents, landings: [], evictions: [] },
  ...{ dropped: 0, problem: '' },
  ...more,
});
const names = (n: number) => Array.from({ length: n }, (_, i) => `n${String(i + 1).padStart(2, '0')}`);

describe('the verdict on a fleet', () => {
  it('names what several nodes lost within seconds, and when they had it again', () => {
    const nodes = names(14).map((name, i) => node(name, [incident('api-unreachable', `11:29:${38 + i}`)]));
    const story = fleetStory([...nodes, node('n15', [])], 'test');
    expect(story.verdict).toMatchObject({
      level: 'wrong',
      text: {
        en: '14 nodes lost the API server between 11:29:38 and 11:29:51; all had it again by 11:30:21.',
        zh: '14 个节点在 11:29:38 至 11:29:51 之间失去与 API server 的连接；到 11:30:21 全部恢复。',
      },
    });
    expect(story.causes[0]?.nodes).toEqual(names(14));
    expect(story.alone).toEqual([]);
  });

  it('names it in logs of seconds, too, in which all that happens is near', () => {
    const short = { from: at('11:29:38'), to: at('11:30:00') };
    const lose = (kind: FleetIncident['kind']) =>
      names(3).map((name, i) => node(name, [incident(kind, `11:29:${38 + i}`)], short));
    expect(fleetStory(lose('lease'), 'test').verdict.text.en).toMatch(/^3 nodes lost the API server between 11:29:38/);
    // What a node may have for itself would have to be near for chance to be unlikely.
    expect(fleetStory(lose('runtime-down'), 'test').causes).toEqual([]);
  });

  it('says why, if a part of the control plane did not run on one of them', () => {
    const nodes = names(5).map((name) => node(name, [incident('api-unreachable', '11:29:40')]));
    const pod = 'kube-system/etcd-cp1';
    const cp1 = node('cp1', [incident('control-plane', '11:29:30', { pod, container: 'etcd' })]);
    expect(fleetStory([...nodes, cp1], 'test').causes[0]?.text.en).toBe(
      '5 nodes lost the API server at 11:29:40, because kube-system/etcd on cp1 did not run; all had it again by 11:30:10.',
    );
  });

  it('does not call chance a cause', () => {
    const spread = names(6).map((name, i) => node(name, [incident('runtime-down', `11:${10 + 7 * i}:00`)]));
    expect(fleetStory(spread, 'test').causes).toEqual([]);
    // Two of a node's own kind that begin within a minute are none yet.
    const two = ['11:10:00', '11:10:50'].map((time, i) => node(`m${i}`, [incident('runtime-down', time)]));
    const story = fleetStory([...two, ...names(4).map((name) => node(name, []))], 'test');
    expect(story.causes).toEqual([]);
    expect(story.verdict.text.en).toBe(
      'There are 2 incidents on 2 of 6 nodes, and no cause that several nodes share was found.',
    );
  });

  it('compares on one clock: a node that is ahead belongs to what the others have', () => {
    const clock = { ahead: 600_000, uncertainty: 1000, pods: 5 };
    const nodes = names(4).map((name) => node(name, [incident('api-unreachable', '11:29:40')]));
    const wrong = node('late', [incident('api-unreachable', '11:39:42')], { clock });
    const story = fleetStory([...nodes, wrong], 'test');
    expect(story.causes[0]?.text.en).toContain('5 nodes lost the API server between 11:29:40 and 11:29:42');
    expect(fleetText(story, 'en')).toContain(
      '- late: 600.0 s ahead of the API server (± 1.0 s, by 5 pods); its times are corrected here',
    );
    expect(fleetText(story, 'zh')).toContain('- late：比 API server 快 600.0 秒（± 1.0 秒，依据 5 个 Pod）');
  });

  it('tells a registry that fails from an image that is not there', () => {
    const pull = (image: string, what: string, begin: string) =>
      incident('image', begin, { pod: `a/${image.slice(-4)}`, image, what });
    const down = 'dial tcp: lookup r.example: no such host';
    const nodes = [
      node('n1', [pull('r.example/a:v1', down, '11:10:00')]),
      node('n2', [pull('r.example/b:v1', down, '11:10:05'), pull('ghcr.io/x:v9', 'not found', '11:40:00')]),
      node('n3', [pull('r.example/c:v1', down, '11:10:09')]),
      node('n4', [pull('ghcr.io/x:v9', 'not found', '11:20:00')]),
    ];
    expect(fleetStory(nodes, 'test').causes.map(({ rule, key, nodes: on }) => [rule, key, on])).toEqual([
      ['registry', 'r.example', ['n1', 'n2', 'n3']],
      ['image', 'ghcr.io/x:v9', ['n4', 'n2']],
    ]);
  });

  it('finds the workload that brings a trouble, and follows the pods that it drives away', () => {
    const nodes = names(5).map((name, i) => {
      const pod = { pod: `ops/etcd-backup-${28_431_230 + i}-x7k2p`, uid: `b${i}`, at: at(`11:${10 + 5 * i}:00`) };
      const gone = { pod: `shop/web-6b4df4cd87-wk5k${'bcdfg'[i]}`, uid: `w${i}`, at: at(`11:${10 + 5 * i}:40`) };
      const came = { pod: 'shop/web-6b4df4cd87-zz5kq', uid: 'z', at: at('11:10:43') };
      return node(name, i < 4 ? [incident('pressure', `11:${10 + 5 * i}:39`)] : [], {
        landings: i < 4 ? [pod] : [came],
        evictions: i < 4 ? [gone] : [],
      });
    });
    const { causes, moves, alone } = fleetStory(nodes, 'test');
    expect(causes.map(({ text }) => text.en)).toEqual([
      '4 of the 4 nodes to which ops/etcd-backup came evicted pods 40 s after it did, between 11:10:40 and 11:25:40.',
    ]);
    expect(alone).toEqual([]);
    expect(moves.map(({ text }) => text.en)).toEqual([
      'n01 evicted shop/web-6b4df4cd87-wk5kb at 11:10:40; shop/web-6b4df4cd87-zz5kq, of the same workload, came to n05 at 11:10:43.',
    ]);
  });

  it('does not blame what came to every node, and brought trouble to few', () => {
    const nodes = (troubled: number) =>
      names(30).map((name, i) => {
        const time = `11:${String(2 * i).padStart(2, '0')}`;
        const landings = [{ pod: 'ops/agent-x7k2p', uid: `a${i}`, at: at(`${time}:00`) }];
        return node(name, i < troubled ? [incident('pressure', `${time}:30`)] : [], { landings });
      });
    expect(fleetStory(nodes(8), 'test').causes).toEqual([]);
    expect(fleetStory(nodes(10), 'test').causes.map(({ text }) => text.en)).toEqual([
      '10 of the 30 nodes to which ops/agent came ran short of resources 30 s after it did, between 11:00:30 and 11:18:30.',
    ]);
  });

  it('says what was not read, and that silence of it is no health', () => {
    const story = fleetStory([node('n1', []), unreadNode('n2', 'logs/n2', 'error', 'cannot read logs/n2')], 'test');
    expect(story.verdict.level).toBe('little');
    expect(fleetText(story, 'en')).toBe(
      [
        'No incident was found, but of some nodes too little was read.',
        '1 of 2 nodes were read, 500 lines.',
        'period: 2026-11-22 11:00:00 … 2026-11-22 12:00:00 UTC',
        '',
        'Not read:',
        '- n2: cannot read logs/n2',
        '',
      ].join('\n'),
    );
    expect(fleetText(story, 'zh')).toContain('- n2: 无法读取：cannot read logs/n2');
    expect(fleetStory([node('n1', []), node('n2', [])], 'test').verdict.level).toBe('calm');
  });

  it.each([...unreadReasons])('says in both languages why a node was not read: %s', (why) => {
    const one = unreadNode('n2', 'n2', why, '--time-limit');
    const words = problemWords(one);
    expect(words?.en).toBe(one.problem);
    expect(words?.en).not.toMatch(/\p{Script=Han}/u);
    expect(words?.zh).toMatch(/\p{Script=Han}/u);
    expect(words?.zh.includes(one.problem)).toBe(why === 'error');
    expect(read(fleetNodeShape, JSON.parse(JSON.stringify(one)), 'node')).toEqual(one);
    // A file of an earlier version has the English sentence alone.
    expect(problemWords({ problem: one.problem })?.zh).toContain(one.problem);
    expect(problemWords(node('n1', []))).toBeNull();
  });

  it('makes no markup of what logs say', () => {
    const evil = incident('crash-loop', '11:10:00', {
      pod: 'a/<script>-x7k2p',
      text: { en: '<b> [x](http://e) @all', zh: '' },
    });
    const markdown = fleetMarkdown(fleetStory([node('<i>', [evil])], 'test'), 'en');
    expect(markdown).not.toMatch(/<|\]\(http|@all/);
    expect(fleetText(fleetStory([node('\u001b[31m', [evil])], 'test'), 'en')).not.toContain('\u001b');
  });

  it('is read back from a file as it was written', () => {
    const one = node('n1', [incident('pressure', '11:10:00', { end: null })]);
    expect(read(fleetNodeShape, JSON.parse(JSON.stringify(one)), 'node')).toEqual(one);
    expect(() => read(fleetNodeShape, { ...one, incidents: [{ ...one.incidents[0], kind: 'x' }] }, 'node')).toThrow(
      /node\.incidents\[0\]\.kind/,
    );
  });
});

describe('a clock', () => {
  const s = 1e6;
  it('is behind if a pod comes before it was created, and ahead only if several pods agree', () => {
    expect(clockOf([])).toBeNull();
    expect(clockOf([-9.5 * s, 30 * s])).toEqual({ ahead: -10_000, uncertainty: 1500, pods: 1 });
    // These pods may have waited for a node.
    expect(clockOf([20 * s, 300 * s])).toBeNull();
    expect(clockOf([20.5 * s, 21 * s, 300 * s, 21.9 * s])).toEqual({ ahead: 20_000, uncertainty: 1000, pods: 3 });
    expect(clockOf([0.2 * s, 0.5 * s, 1.1 * s])).toEqual({ ahead: 0, uncertainty: 1000, pods: 3 });
  });
});

describe('chance', () => {
  it('is small for many in a short time, and certain for few in a long one', () => {
    expect(chanceOfWindow(14, 14, 15, 3600)).toBeLessThan(1e-20);
    expect(chanceOfWindow(2, 2, 18, 3600)).toBeCloseTo(0.01, 3);
    expect(chanceOfWindow(30, 2, 60, 3600)).toBe(1);
    expect(chanceOfWindow(5, 1, 1, 3600)).toBe(1);
  });
  it('of at least so many follows the binomial distribution', () => {
    expect(chanceOfAtLeast(3, 2, 0.5)).toBeCloseTo(0.5, 9);
    expect(chanceOfAtLeast(10, 0, 0.1)).toBe(1);
    expect(chanceOfAtLeast(40, 30, 0.1)).toBeLessThan(1e-18);
  });
});

describe('identity', () => {
  it.each([
    ['r.example:5000/a/b:v1', 'r.example:5000'],
    ['localhost/busybox:dev', 'localhost'],
    ['team/app', 'docker.io'],
    ['nginx:1.27', 'docker.io'],
  ])('the registry of %s is %s', (image, registry) => {
    expect(registryOf(image)).toBe(registry);
  });
  it('of an error has no node, address, time or number', () => {
    const what =
      'Put "https://10.0.0.1:6443/leases/n1": x509: current time 2026-11-22T10:08:44Z is after 2026-11-22T09:59:00Z';
    expect(skeletonOf(what, 'n1')).toBe(
      skeletonOf(what.replace('n1', 'n22').replace('10:08:44', '11:00:01').replace('10.0.0.1', '10.0.0.2'), 'n22'),
    );
  });
  it('of a static pod is without its node', () => {
    expect(workloadOn('kube-system/etcd-cp1', 'cp1')).toBe('kube-system/etcd');
    expect(workloadOn('shop/web-6b4df4cd87-wk5kq', 'cp1')).toBe('shop/web');
  });
});
