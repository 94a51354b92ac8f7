import { readFileSync } from 'node:fs';
import { foldAll } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { recordsOf } from '../../../fixtures/timeline-run.js';
import { isMessageKey } from '../../../i18n/index.js';
import { aboutNodePart, NODE_PARTS, nodePartOf } from '../../../selection/selection-node.js';
import { selectionOf } from '../../../selection/selection-text.js';
import { ABOUT, NOTES, notesFor } from './notes.js';

const rows = new Set(
  (
    JSON.parse(
      readFileSync(new URL('../../../../../../docs/developers/fidelity/rows.json', import.meta.url), 'utf8'),
    ) as {
      row: string;
    }[]
  ).map((r) => r.row),
);

/** Explained on an existing part, in both languages, by words of their own. */
function explained(row: string): void {
  const notes = NOTES.filter((n) => n.row === row);
  expect(notes).toHaveLength(1);
  const [note] = notes;
  if (!note) return;
  expect(rows).toContain(row);
  expect(selectionOf(['part', note.part])).toEqual({ kind: 'part', part: note.part });
  expect(isMessageKey(`part.${note.part}`)).toBe(true);
  const part = notesFor({ kind: 'part', part: note.part }, undefined);
  if (note.channel !== undefined) {
    // It is about one channel: shown there, and not with the whole loop.
    expect(part).not.toContain(note);
    expect(notesFor({ kind: 'channel', name: note.channel }, undefined)).toEqual([note]);
  } else if (note.of === undefined) expect(part).toContain(note);
  else {
    // It is about one rule: shown there, and not with the whole part.
    expect(part).not.toContain(note);
    const record = recordsOf('hello').find(
      (r) => (r.kind === 'decision' && r.rule === note.of) || (r.kind === 'enter' && r.fn === note.of),
    );
    expect(record && notesFor({ kind: 'record', seq: record.seq }, record)).toContain(note);
  }
  expect(note.text.en.length).toBeGreaterThan(80);
  expect(note.text['zh-CN']).toMatch(/[\u4e00-\u9fff]{4}/);
  expect(note.text['zh-CN'].length).toBeGreaterThan(30);
}

describe('what the page explains', () => {
  it('[1:A11] what the sync ticker is for', () => explained('1:A11'));
  it('[1:A18] what housekeeping holds up', () => explained('1:A18'));
  it('[3:BOOT-03] the part that older versions had among the managers', () => explained('3:BOOT-03'));
  it('[3:BOOT-04] the log server', () => explained('3:BOOT-04'));
  it('[3:BOOT-06] what a kubelet finds again on disk', () => explained('3:BOOT-06'));
  it('[3:BOOT-10] the marks in iptables', () => explained('3:BOOT-10'));
  it('[3:BOOT-12] the watchdog', () => explained('3:BOOT-12'));
  it('[3:NODE-06] a machine that was started anew', () => explained('3:NODE-06'));
  it('[3:NODE-11] what a node can do without', () => explained('3:NODE-11'));
  it('[3:LEASE-02] how a lease is renewed', () => explained('3:LEASE-02'));
  it('[3:LEASE-03] that it goes on through a shutdown', () => explained('3:LEASE-03'));
  it('[3:ADM-10] labels that are read anew', () => explained('3:ADM-10'));
  it('[3:QOS-12] what kubepods gets', () => explained('3:QOS-12'));
  it('[3:VOL-11] plug-ins that there are and are not', () => explained('3:VOL-11'));
  it('[3:VOL-15] how files change at once', () => explained('3:VOL-15'));
  it('[3:VOL-17] a node that can attach no more', () => explained('3:VOL-17'));
  it('[3:OOM-01] which kills are reported', () => explained('3:OOM-01'));
  it('[3:SHUT-01] an orderly shutdown', () => explained('3:SHUT-01'));
  it('[3:HTTP-07] what the kubelet’s server asks about its callers', () => explained('3:HTTP-07'));
  it('[5:D12] the lock of the workers, and a hook for tests', () => explained('5:D12'));
  it('[5:C13] the lock of admission and resize', () => explained('5:C13'));
  it('leaves no note without a test above', () => {
    const titles = readFileSync(new URL(import.meta.url), 'utf8');
    for (const { row } of NOTES) expect(titles).toContain(`'[${row}] `);
  });
});

describe('parts around the loop', () => {
  const records = recordsOf('mirror-pod');
  const state = foldAll(records);
  it('are each said what they are for, in both languages', () => {
    for (const part of NODE_PARTS) {
      expect(ABOUT[part]?.en, part).toMatch(/\w{3}/);
      expect(ABOUT[part]?.['zh-CN'], part).toMatch(/[\u4e00-\u9fff]{4}/);
    }
  });
  it('have values, and records about them', () => {
    for (const part of NODE_PARTS) expect(nodePartOf(state, part), part).toBeTypeOf('object');
    for (const part of ['managers', 'node', 'lease', 'apiServer', 'eviction', 'cgroups', 'oom', 'stats'] as const)
      expect(records.some(aboutNodePart(part)), part).toBe(true);
    const kinds = new Set(records.filter(aboutNodePart('lease')).map((r) => r.kind));
    expect([...kinds].sort()).toEqual(['api', 'manager', 'node-lease'].filter((k) => kinds.has(k as 'api')));
    expect(kinds).toContain('node-lease');
  });
});
