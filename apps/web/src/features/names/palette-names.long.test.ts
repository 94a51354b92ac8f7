import '../../fixtures/features.js';
import '../../fixtures/words.js';
import type { SessionInfo } from '@syncloop/core/debug';
import { eraVersions } from '@syncloop/core/kubelet';
import { lessons } from '@syncloop/core/lessons';
import { articleMessages, articleNames } from '@syncloop/core/names/article-names';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { groupsOf } from '../../shell/dialogs/palette-find.js';
import { type PaletteEntry, registered } from '../../shell/registry.js';
import { useLessons } from '../lessons/lessons-store.js';
import { topics, topicsIn } from './logic/topics.js';

const own = () => registered('palette').filter(({ id }) => id === 'names' || id === 'topics');
beforeAll(() => Promise.all(own().map(({ load }) => load?.())));
beforeEach(() => {
  useUI.setState({ lang: 'en' });
  useLessons.setState({ list: lessons });
  inVersion('v1.36');
});

function inVersion(era: string, breakpoints = true): void {
  const capabilities = { breakpoints, eras: true, scenarios: true, rewind: true, control: true };
  useSession.setState({ phase: 'ready', info: { era, capabilities } as unknown as SessionInfo });
}

/** What the palette lists of all that there is, with the heading of each entry. */
function listed(
  typed: string,
  providers = registered('palette'),
): readonly { readonly heading: string; readonly entry: PaletteEntry }[] {
  const all = providers.flatMap((provider) =>
    provider.entries(typed).map((entry) => ({
      id: `${provider.id}-${entry.key}`,
      entry,
      heading: entry.heading ?? provider.title,
      always: provider.always === true,
      use: 0,
    })),
  );
  return groupsOf(typed, all).flatMap(({ heading, items }) => items.map(({ entry }) => ({ heading, entry })));
}
const first = (typed: string) => listed(typed)[0]?.entry;

describe('names in the palette', () => {
  it.each(eraVersions)('find something in %s, each of them, and the answer stands first', (era) => {
    inVersion(era);
    const typed = [...articleNames, ...articleMessages];
    expect(typed.filter((name) => listed(name, own())[0]?.heading !== 'palette.names')).toEqual([]);
  });
  it('stand before commands, lessons and changes that have the same words', () => {
    const typed = [...articleNames, ...articleMessages].filter((_, i) => i % 20 === 0);
    expect(typed.filter((name) => listed(name)[0]?.heading !== 'palette.names')).toEqual([]);
  });
  it.each([
    [
      'managePodLoop',
      'What became of managePodLoop: Now podWorkerLoop (kubelet/podworkers/pod-worker-loop.ts): a channel of signals instead of a channel of updates.',
      undefined,
    ],
    ['HandlePodAdditions', 'HandlePodAdditions: its place on the map and its source', undefined],
    ['computePodActions', 'computePodActions: its place on the map and its source', undefined],
    ['lastSyncTime', 'lastSyncTime is used in GetNewerThan: its place on the map and its source', undefined],
    [
      'PortForward',
      'PortForward',
      'not simulated: kubectl port-forward comes through the kubelet’s HTTP server, which a simulated node does not have.',
    ],
  ])('%s: %s', (typed, title, blocked) => expect(first(typed)).toMatchObject({ title, ...(blocked && { blocked }) }));
  it('are answered in Chinese', () => {
    useUI.setState({ lang: 'zh-CN' });
    inVersion('v1.12');
    expect(first('podKillingCh')?.title).toBe('停在 podKillingCh：操作 podKillingCh');
    expect(first('SET')?.title).toContain('不再是循环的操作');
    expect(first('PortForward')?.blocked).toContain('没有模拟');
  });
  it('say besides in which version one can stop at them', () => {
    expect(listed('dispatchWork').map(({ entry }) => entry.title)).toContain(
      'To stop at dispatchWork, run v1.25: call of dispatchWork',
    );
  });
  it('are not stopped at in a session without breakpoints, which they say', () => {
    inVersion('v1.36', false);
    const stops = listed('syncLoopIteration').filter(({ entry }) => entry.title.startsWith('Stop at'));
    expect(stops.map(({ entry }) => entry.blocked)).toEqual(['this session has no breakpoints']);
  });
  it('do not stand in the way of commands', () => {
    for (const [typed, title] of [
      ['restart', 'Restart the scenario'],
      ['step back', 'Step one decision back'],
      ['legend', 'Legend of colours and signs'],
    ] as const)
      expect(
        listed(typed).filter(({ heading }) => heading === 'palette.names'),
        title,
      ).toEqual([]);
  });
});

describe('the glossary in the palette', () => {
  it('explains a term in the page’s language, found by either', () => {
    for (const typed of ['crash loop', '退避']) {
      const found = listed(typed).find(({ entry }) => entry.key === 'CrashLoopBackOff');
      expect(found, typed).toMatchObject({ heading: 'palette.terms' });
      expect(found?.entry.detail).toMatch(/^CrashLoopBackOff means/);
    }
    useUI.setState({ lang: 'zh-CN' });
    expect(first('沙箱')).toMatchObject({ key: 'sandbox', detail: expect.stringMatching(/^沙箱是/) });
  });
  it('leads from a whole name to its lesson and its source, too', () => {
    const found = listed('init container').map(({ entry }) => entry.key);
    expect(found).toEqual(expect.arrayContaining(['init container', 'init container lesson', 'init container source']));
    expect(listed('init contain').map(({ entry }) => entry.key)).not.toContain('init container source');
  });
});

describe('headings in the palette', () => {
  it.each([
    ['housekeeping', 'housekeepingCh'],
    ['syncLoop 主循环', 'loop'],
    ['pod worker', 'lesson dispatch'],
    ['image garbage collection', 'images'],
    ['## health manager', 'probes'],
    ['健康检查', 'probes'],
    ['状态管理器', 'status'],
    ['启动 volume manager', 'volumes'],
    ['启动 node lease', 'lease'],
    ['镜像缓存', 'images'],
    ['7. 总结', 'lesson syncloop'],
    ['3. SyncHandler', 'lesson config-ops'],
    ['创建 pod cgroup', 'cgroups'],
    ['准入：active pod', 'lesson config-ops'],
  ])('%s is %s', (typed, id) => {
    expect(topicsIn(typed).map((topic) => topic.id)).toContain(id);
    for (const lang of ['en', 'zh-CN'] as const) {
      useUI.setState({ lang });
      expect(listed(typed).filter(({ heading }) => heading === 'palette.topics').length, typed).toBeGreaterThan(0);
    }
  });
  it('are about nothing if they have the words of no part', () => {
    expect(topicsIn('a restless volcano')).toEqual([]);
    expect(topicsIn('')).toEqual([]);
  });
  it('lead to lessons that there are', () => {
    const known = lessons.map(({ name }) => name);
    for (const { to } of topics) if (to.kind === 'lesson') expect(known).toContain(to.name);
    expect(new Set(topics.map(({ id }) => id)).size).toBe(topics.length);
  });
});
