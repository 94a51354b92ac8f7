import { describe, expect, it } from 'vitest';
import { eraVersions } from '../kubelet/era/versions.js';
import { articleMessages, articleNames } from './article-names/index.js';
import { occurring } from './gen/occurring.js';
import { answersIn, answersTo, erasOf, knownNames, type NameAnswer, type Place } from './index.js';
import { globOf, matchesFormat, messagesIn } from './log-text.js';
import { spans, texts, within } from './table.js';
import { unsimulated } from './unsimulated.js';

/** An answer in few words: a place with its first and last version, or another kind of answer with its name. */
const short = (answer: NameAnswer | undefined): string | undefined =>
  answer?.kind === 'stop'
    ? `${answer.place} ${answer.eras[0]}..${answer.eras.at(-1)}`
    : answer && `${answer.kind} ${answer.name}`;
const first = (typed: string, era: (typeof eraVersions)[number] = 'v1.36') => short(answersIn(typed, era)[0]);

describe('the names that walk-throughs use', () => {
  it('are many', () => {
    expect(new Set(articleNames).size).toBe(articleNames.length);
    expect(articleNames.length).toBeGreaterThan(450);
    expect(articleMessages.length).toBeGreaterThan(95);
  });
  it.each(eraVersions)('have an answer in %s, each of them', (era) => {
    const typed = [...articleNames, ...articleMessages];
    expect(typed.filter((name) => answersIn(name, era).length === 0)).toEqual([]);
  });
  it('stop where runs of the versions come that the answer names', () => {
    let stops = 0;
    for (const era of eraVersions)
      for (const typed of [...articleNames, ...articleMessages])
        for (const answer of answersIn(typed, era))
          if (answer.kind === 'stop') {
            stops++;
            expect(answer.eras.length, typed).toBeGreaterThan(0);
            expect(erasOf(answer.place), typed).toEqual(expect.arrayContaining([...answer.eras]));
          }
    expect(stops).toBeGreaterThan(2000);
  });
});

describe('an answer', () => {
  it.each([
    ['syncLoopIteration', 'v1.36', 'function syncLoopIteration v1.12..v1.36'],
    ['dispatchWork', 'v1.25', 'function dispatchWork v1.12..v1.25'],
    ['podkillingch', 'v1.12', 'channel podKillingCh v1.12..v1.21'],
    ['kl.podManager.GetPodByUID(update.PodUID)', 'v1.36', 'function syncLoopIteration v1.12..v1.36'],
    ['ADD', 'v1.36', 'op ADD v1.12..v1.36'],
    ['RunPodSandboxRequest', 'v1.36', 'cri RunPodSandbox v1.12..v1.36'],
    ['3.1. HandlePodAdditions', 'v1.12', 'function HandlePodAdditions v1.12..v1.36'],
    ['syncLoop 主循环', 'v1.36', 'function syncLoop v1.12..v1.36'],
    ['SET', 'v1.36', 'became SET'],
    ['PortForward', 'v1.36', 'unsimulated PortForward'],
    ['logServer', 'v1.36', 'function Kubelet.Run v1.12..v1.36'],
  ] as const)('to %s in %s is %s', (typed, era, answer) => expect(first(typed, era)).toBe(answer));

  it('says first what became of a name, and then which versions have it, if the session’s has not', () => {
    expect(answersTo('dispatchWork', 'v1.36').map(short).slice(0, 2)).toEqual([
      'became dispatchWork',
      'function dispatchWork v1.12..v1.25',
    ]);
  });
  it('leaves out versions of whose source a name is not a part', () => {
    expect(answersTo('isWorking', 'v1.36').map(short)).toEqual(['became isWorking', 'function UpdatePod v1.12..v1.21']);
    expect(first('housekeepingCh')).toBe('channel housekeepingCh v1.12..v1.36');
    expect(first('houseKeepingCh', 'v1.12')).toBe('channel housekeepingCh v1.12..v1.36');
    expect(first('SetPodAllocation')).toBe('function HandlePodAdditions v1.32..v1.36');
  });
  it('is not given to what nobody knows, nor to words of a sentence', () => {
    for (const typed of ['', '  ', 'nothing of the kind', 'constructor', 'the pod has Failed', 'log', 'hasOwnProperty'])
      expect(answersIn(typed, 'v1.36'), typed).toEqual([]);
  });
});

describe('a line of the log', () => {
  it.each([
    [
      `I1126 23:42:09.123456   12345 kubelet.go:2429] "SyncLoop ADD" source="api" pods=["default/web"]`,
      'v1.36',
      'log SyncLoop ADD v1.21..v1.36',
    ],
    [
      'I0101 00:00:01.000000       1 kubelet.go:1825] SyncLoop (ADD, "file"): "hello-node1_default(3c1f)"',
      'v1.12',
      'log SyncLoop (ADD, %q): %q v1.12..v1.12',
    ],
    [
      'klog.V(4).InfoS("SyncLoop (housekeeping) end", "duration", d)',
      'v1.36',
      'log SyncLoop (housekeeping) end v1.21..v1.36',
    ],
    ['glog.Errorf("Failed cleaning pods: %v", err)', 'v1.12', 'log Failed cleaning pods: %v v1.12..v1.12'],
  ] as const)('%s finds the place that writes it', (line, era, answer) => {
    const found = first(line, era);
    expect(found?.replace(/ v1\.\d+\.\.v1\.\d+$/, '')).toBe(answer.replace(/ v1\.\d+\.\.v1\.\d+$/, ''));
  });
  it('is a message whose verbs stand for anything', () => {
    expect(matchesFormat('Killing unwanted pod "web"', 'Killing unwanted pod %q')).toBe(true);
    expect(matchesFormat('Killing unwanted pods', 'Killing unwanted pod %q')).toBe(false);
    expect(globOf('SyncLoop (PLEG): %q, event: %#v')).toBe('SyncLoop (PLEG): *, event: *');
  });
  it('is the longest message that it has, and no message of a few letters', () => {
    expect(
      messagesIn('log("SyncLoop (housekeeping) end")', [
        '%s',
        'SyncLoop (housekeeping)',
        'SyncLoop (housekeeping) end',
      ]),
    ).toEqual(['SyncLoop (housekeeping) end']);
  });
});

describe('the tables', () => {
  it('use places that occur', () => {
    const places = [...Object.keys(within), ...Object.keys(texts)] as Place[];
    expect(places.filter((place) => erasOf(place).length === 0)).toEqual([]);
  });
  it('have each name once, and a stop for each', () => {
    const names = Object.values(within).flatMap((list) => (list ?? '').split(' '));
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    const stops = (name: string) => eraVersions.some((era) => answersTo(name, era).some(({ kind }) => kind === 'stop'));
    const nowhere = names.filter((name) => !stops(name));
    const said = new Set(unsimulated.flatMap((entry) => entry.names));
    expect(nowhere.filter((name) => !said.has(name))).toEqual([]);
  });
  it('do not list what runs show', () => {
    const shown = new Set(
      ['function', 'channel', 'cri', 'op', 'pleg'].flatMap((kind) => Object.keys(occurring[kind as 'cri'])),
    );
    const listed = Object.values(within).flatMap((list) => (list ?? '').split(' '));
    expect(listed.filter((name) => shown.has(name))).toEqual([]);
  });
  it('give spans to names that have an answer', () => {
    const known = new Set(knownNames);
    const spanned = Object.values(spans).flatMap((list) => list.split(' '));
    expect(spanned.filter((name) => !known.has(name))).toEqual([]);
  });
});
