import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { base64urlBytes } from '@syncloop/core/base';
import { observedVersion } from '@syncloop/core/version';
import { describe, expect, it } from 'vitest';
import { lines, observeLog } from '../../testing/observe-log.js';
import { type Coverage, type Decision, type Difference, decisionKinds, type Verdict } from '../base/types.js';
import { htmlOf, markdownOf, type ReportInput, twinFragment, twinStory } from './index.js';
import { differingValues } from './values.js';

const ID = (c: string) => c.repeat(64);
/** A pod's name with all that is markup somewhere, as a hostile log has it. */
const EVIL = '<script>alert(1)</script> | `x` [a](http://evil.example) @root #1 \u202e\u001b[31m';
const LOG = lines(
  '"Kubelet version" kubeletVersion="v1.36.2"',
  '"Starting kubelet main sync loop"',
  '"SyncLoop ADD" source="file" pods=["d/web"]',
  '"Notifying pod of pending update" pod="d/web" podUID="u-1" updateType="create" workType="sync"',
  `"GenericPLEG" podUID="u-1" containerID="${ID('a')}" oldState="running" newState="exited"`,
  `"Generic (PLEG): container finished" podID="u-1" containerID="${ID('a')}" exitCode=137`,
  `"SyncLoop (PLEG): event for pod" pod="d/web" event={"ID":"u-1","Type":"ContainerDied","Data":"${ID('a')}"}`,
  '"Notifying pod of pending update" pod="d/web" podUID="u-1" updateType="sync" workType="sync"',
  `E "Error syncing pod, skipping" err="${EVIL.replace('\u001b', '')}" pod="d/web" podUID="u-1"`,
  '"SyncLoop REMOVE" source="file" pods=["d/web"]',
);

const records = observeLog(LOG).all;
const find = (kind: string, n = 0) => {
  const found = records.filter((r) => r.kind === kind)[n];
  if (!found) throw new Error(`no record ${n} of kind ${kind}`);
  return found;
};
const decision = (kind: Decision['kind'], what: string, record: { seq: number; time: number }): Decision => ({
  ...{ kind, what, seq: record.seq, time: record.time, pod: 'd/web', incarnation: 0 },
});
const added = decision('config', 'ADD', find('pod-config'));
const died = { ...decision('pleg', 'ContainerDied', find('pleg-event')), container: 'app' };
const removed = decision('config', 'REMOVE', find('pod-config', 1));
const twinDied = { ...died, seq: 3, time: 5_000_000 };

const difference: Difference = {
  how: 'value',
  seen: died,
  twin: twinDied,
  path: 'exitCode',
  values: { seen: EVIL, twin: 1 },
  followers: [
    {
      ...{ how: 'missing', seen: removed, twin: null },
      text: { en: 'd/web was removed.', zh: 'd/web 被移除。' },
    },
  ],
  text: { en: `d/web: app ended with ${EVIL}, in the twin with 1.`, zh: `d/web：app 以 ${EVIL} 结束，孪生中为 1。` },
};
const kinds = (compared: number, same: number): Verdict['kinds'] =>
  Object.fromEntries(
    decisionKinds.map((kind) => [kind, kind === 'config' ? { compared, same } : { compared: 0, same: 0 }]),
  ) as Verdict['kinds'];

function input(differences: readonly Difference[]): ReportInput {
  const same = 3 - differences.length;
  return {
    by: 'syncloop 0.1.0',
    kubelet: { version: 'v1.36.2', node: 'node1', runtime: '' },
    sources: ['kubelet.log'],
    epochMicros: Date.UTC(2026, 10, 22, 10) * 1000,
    seen: { records, decisions: [added, died, removed] },
    twin: { records: [], decisions: [] },
    coverage: Object.fromEntries(
      decisionKinds.map((kind) => [kind, kind === 'config' || kind === 'pleg' ? 'whole' : 'none']),
    ) as Coverage,
    verdict: {
      kinds: kinds(3, same),
      compared: 3,
      same,
      differences,
      notCompared: [],
      tolerances: [
        { rule: 'jitter.sync', text: { en: 'Workers sleep with jitter.', zh: 'worker 的休眠带有抖动。' }, used: 4 },
        { rule: 'never.used', text: { en: 'Not used.', zh: '未用到。' }, used: 0 },
      ],
      pairs: [{ seen: added.seq, twin: 7 }],
      text: { en: `${same} of 3 decisions the same.`, zh: `3 个决策中 ${same} 个一致。` },
    },
    scenario: {
      name: 'twin-of-web',
      text: 'apiVersion: syncloop.dev/v1\nkind: Scenario\n# ``` not the end\n',
      left: [],
      assumptions: [
        { code: 'node.cpus', about: '', text: { en: 'The node has 4 CPUs.', zh: '节点有 4 个 CPU。' } },
        { code: 'container.end', about: EVIL, text: { en: 'It runs for ever.', zh: '它一直运行。' } },
      ],
      seenFrom: 0,
      until: 10_000_000,
      kubelet: observedVersion('v1.36.2'),
      era: 'v1.36',
    },
    ...(differences.length > 0 && {
      chance: {
        tries: 12,
        choices: [{ seq: 9, time: 2_000_000, text: { en: 'syncCh won over plegCh.', zh: 'syncCh 先于 plegCh。' } }],
      },
    }),
    link: (seq, lang) => `https://page.example/?lang=${lang}&a="b"#run=${seq}`,
  };
}

describe('the report of a twin', () => {
  for (const [name, differences] of [
    ['differs', [difference]],
    ['agrees', []],
  ] as const) {
    const story = twinStory(input(differences));
    it(`is the same bytes for the same run: ${name}`, async () => {
      await expect(`${JSON.stringify(story, null, 2)}\n`).toMatchFileSnapshot(`testdata/${name}.json`);
      for (const lang of ['en', 'zh'] as const) {
        await expect(markdownOf(story, lang)).toMatchFileSnapshot(`testdata/${name}.${lang}.md`);
        await expect(htmlOf(story, lang)).toMatchFileSnapshot(`testdata/${name}.${lang}.html`);
      }
    });
  }

  it('rests each cause on lines of the log', () => {
    const story = twinStory(input([difference]));
    const lines = story.differences[0]?.chains.find(({ of }) => of === 'seen')?.links.flatMap((l) => l.evidence);
    expect(lines?.some(({ text }) => text.includes('SyncLoop (PLEG)'))).toBe(true);
    expect(lines?.every(({ source, line }) => source === 'log' && (line ?? 0) > 0)).toBe(true);
  });

  it('is text in whatever it is put into', () => {
    const story = twinStory(input([difference]));
    const html = htmlOf(story, 'en');
    expect(html).not.toContain('<script');
    expect(html.replaceAll('\n', '')).not.toMatch(/[\p{Bidi_Control}\p{Cc}]/u);
    expect(html).toContain('&lt;script&gt;');
    expect([...html.matchAll(/href="([^"]*)"/g)].every(([, to]) => to?.startsWith('https://page.example/'))).toBe(true);
    expect(html).not.toMatch(/\s(on\w+|src)=/);
    const markdown = markdownOf(story, 'en');
    const outside = markdown.replace(/^\s*(`{3,})[\s\S]*?^\s*\1$/gm, '').replace(/(`+)[^`][^\n]*?\1/g, '');
    expect(outside).not.toContain('<script');
    expect(outside).not.toContain('](http://evil');
    expect(outside).not.toContain('@root');
    expect(markdown.replaceAll('\n', '')).not.toMatch(/[\p{Bidi_Control}\p{Cc}]/u);
    // The scenario's own fence does not end the block.
    expect(markdown).toContain('````yaml\n');
  });

  it('leaves out the middle of a long incident, and says how much', () => {
    const many = Array.from(
      { length: 400 },
      (_, i): Decision => ({ ...added, what: i % 2 ? 'ADD' : 'REMOVE', time: i }),
    );
    const base = input([]);
    const story = twinStory({ ...base, seen: { records, decisions: many } });
    expect(story.timeline.length).toBe(80);
    expect(story.timelineHidden).toBe(320);
    const once = twinStory({ ...base, seen: { records, decisions: Array.from({ length: 9 }, () => added) } });
    expect(once.timeline).toHaveLength(1);
    expect(once.timeline[0]?.times).toBe(9);
  });
});

describe('a link to a moment of the twin', () => {
  const place = { name: 'twin', text: 'x'.repeat(500), seq: 9, step: 4, lang: 'zh' as const };
  it('is what the page opens, deflated where that is shorter', () => {
    const packed = twinFragment(place, (bytes) => deflateRawSync(bytes));
    expect(packed).toMatch(/^run=v2\.z/);
    const bytes = base64urlBytes(packed.slice('run=v2.z'.length)) as Uint8Array;
    expect(JSON.parse(inflateRawSync(bytes).toString())).toEqual({
      ...{ s: 'twin', t: place.text, p: [4, 9], l: 'zh-CN' },
    });
    expect(twinFragment({ ...place, text: 'x' })).toMatch(/^run=v2\.j/);
  });
});

describe('two values', () => {
  it('are shown where they differ', () => {
    const same = 'x'.repeat(500);
    const [seen, twin] = differingValues({ seen: `${same}1${same}`, twin: `${same}2` }, 100);
    expect(seen).toMatch(/^…x{40}1x{59}…$/);
    expect(twin).toMatch(/^…x{40}2"$/);
    expect(differingValues({ seen: 2, twin: null }, 100)).toEqual(['2', 'null']);
  });
});
