import { describe, expect, it } from 'vitest';
import { library } from '../scenario/library/index.js';
import { changeOf, changes, changesBetween, eraBefore, erasWith, linkOf, oldNames } from './index.js';

const texts = (value: unknown): readonly { readonly en: string; readonly zh: string }[] => {
  if (typeof value !== 'object' || value === null) return [];
  if ('en' in value && 'zh' in value) return [value as { en: string; zh: string }];
  return Object.values(value).flatMap(texts);
};

describe('the changes', () => {
  it('are 25 and more, each under an id of its own, oldest first', () => {
    const ids = changes.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z0-9-]{1,40}$/.test(id))).toEqual([]);
    expect(ids.length).toBeGreaterThanOrEqual(25);
    const minors = changes.map(({ since }) => Number(since.slice(3)));
    expect(minors).toEqual([...minors].sort((a, b) => a - b));
  });
  it('speak English and Chinese, in sentences', () => {
    for (const text of [...changes, ...oldNames].flatMap(texts)) {
      expect(text.en).not.toMatch(/\p{Script=Han}/u);
      expect(text.zh, text.en).not.toBe(text.en);
      for (const told of Object.values(text)) expect(told.split('`').length % 2, told).toBe(1);
    }
    for (const { before, after, why } of changes)
      for (const text of [before, after, why]) {
        expect(text.en).toMatch(/[.?)]$/);
        expect(text.zh).toMatch(/[。？）]$/);
      }
  });
  it('are shown by scenarios of the library', () => {
    const names = new Set(library.map(({ name }) => name));
    for (const { id, shown } of changes) if ('scenario' in shown) expect(names.has(shown.scenario), id).toBe(true);
  });
  it('are shown by a run where one can: most of them', () => {
    const not = changes.filter(({ shown }) => 'not' in shown);
    expect(not.length * 3).toBeLessThan(changes.length);
  });
  it('lie between two versions that run', () => {
    const killer = changeOf('kill-marks');
    expect(killer && [eraBefore(killer), ...erasWith(killer)]).toEqual(['v1.12', 'v1.21']);
    const probes = changeOf('probes-in-sync');
    expect(probes && [eraBefore(probes), ...erasWith(probes)]).toEqual(['v1.21', 'v1.25', 'v1.32', 'v1.36']);
  });
  it('say what v1.31 did otherwise than v1.32, which stands for it', () => {
    const between = changesBetween({ since: 31, until: 31 }, 'v1.32');
    expect(between.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['cgroup-check', 'systemd-watchdog', 'mirrors-at-once', 'readiness-word', 'condition-met', 'ticker-channels']),
    );
    expect(between.every(({ since }) => since === 'v1.32')).toBe(true);
    expect(changeOf('cgroup-check')?.before.en).toContain('warnCgroupV1Usage');
  });
  it('are where the old names lead', () => {
    for (const { change, names } of oldNames) {
      if (change !== undefined) expect(changeOf(change)?.names, names.join()).toEqual(expect.arrayContaining([]));
      if (change !== undefined) expect(changeOf(change), change).toBeDefined();
    }
  });
  it('have links', () => {
    expect(linkOf({ pull: 1 }).href).toBe('https://github.com/kubernetes/kubernetes/pull/1');
    expect(linkOf({ kep: 753 })).toEqual({
      text: 'KEP-753',
      href: 'https://github.com/kubernetes/enhancements/issues/753',
    });
  });
});
