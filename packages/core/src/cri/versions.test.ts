import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { criApiOf } from '../kubelet/era/nearest.js';
import { lessons } from '../lessons/library/index.js';
import { parseLesson } from '../lessons/parse.js';
import { rpcMethods, rpcNames, rpcs } from './rpcs.js';
import { criVersions, rpcCounts, rpcSince, rpcsOf } from './versions.js';

const DOC = new URL('../../../../docs/users/eras.md', import.meta.url);
const [BEGIN, END] = ['<!-- cri -->\n\n', '\n<!-- /cri -->'];
const MINORS = [12, 21, 23, 25, 26, 28, 32, 33, 36];

describe('the CRI of a version', () => {
  // Counted in api.proto of v1.20.9 to v1.36.2; v1.12's has the same as v1.20's.
  it.each([
    [12, 22, 5, ['v1alpha2']],
    [20, 22, 5, ['v1alpha2']],
    [21, 22, 5, ['v1alpha2']],
    [23, 24, 5, ['v1', 'v1alpha2']],
    [25, 26, 5, ['v1', 'v1alpha2']],
    [26, 28, 5, ['v1']],
    [27, 28, 5, ['v1']],
    [28, 29, 5, ['v1']],
    [32, 29, 5, ['v1']],
    [33, 30, 5, ['v1']],
    [35, 30, 5, ['v1']],
    [36, 35, 6, ['v1']],
  ])('v1.%i has %i calls of RuntimeService and %i of ImageService', (minor, runtime, image, api) => {
    expect(rpcCounts(minor)).toEqual({ runtime, image });
    expect(criVersions(minor)).toEqual(api);
    expect(criApiOf(minor)).toBe(api[0]);
  });
  it('each has all that the one before had, and the proto here two more than v1.36', () => {
    for (let minor = 13; minor <= 37; minor++)
      expect(rpcsOf(minor)).toEqual(expect.arrayContaining([...rpcsOf(minor - 1)]));
    expect(rpcMethods.filter((method) => !rpcsOf(36).includes(method))).toEqual(['checkpointPod', 'restorePod']);
  });
});

/** What the lesson says of each call, by its name. */
async function said() {
  const text = await lessons.find(({ name }) => name === 'article-cri')?.load();
  const { steps } = parseLesson(text ?? '', 'article-cri.yaml');
  return new Map(steps.flatMap(({ names = [] }) => names.map((one) => [one.name, one] as const)));
}

describe('the lesson on the CRI', () => {
  it('has each call of the list, and says since when where v1.12 had none', async () => {
    const names = await said();
    expect([...names.keys()].filter((name) => rpcNames.includes(name)).sort()).toEqual([...rpcNames].sort());
    for (const method of rpcMethods) {
      const since = rpcSince(method);
      const told = names.get(rpcs[method].name)?.now;
      // Those of a later proto say that v1.36 lacks them.
      const version = `v1.${Math.min(since, 36)}`;
      for (const text of [told?.en, told?.zh])
        expect([method, since === 0 || text?.includes(version)]).toEqual([method, true]);
    }
  });
});

describe('docs/users/eras.md', () => {
  it('has the list of calls with their callers as it is here (vitest -u writes it there)', async () => {
    const versions = MINORS.map((minor, i) => {
      const { runtime, image } = rpcCounts(minor);
      const before = MINORS[i - 1];
      const added = before === undefined ? [] : rpcsOf(minor).filter((method) => rpcSince(method) > before);
      return `| v1.${minor} | ${criVersions(minor).join(', else ')} | ${runtime} | ${image} | ${added.map((m) => `\`${rpcs[m].name}\``).join(', ')} |`;
    });
    const names = await said();
    const calls = rpcsOf(36).map((method) => {
      const { name, service } = rpcs[method];
      const { calledBy, now } = names.get(name) ?? {};
      const since = rpcSince(method);
      return `| \`${name}\` | ${service} | ${since === 0 ? '' : `v1.${since}`} | ${calledBy === undefined ? '' : `\`${calledBy}\``} | ${now?.en ?? ''} |`;
    });
    const text = [
      '| Version | API | RuntimeService | ImageService | New |',
      '| --- | --- | --- | --- | --- |',
      ...versions,
      '',
      '| Call | Service | Since | First called by | When |',
      '| --- | --- | --- | --- | --- |',
      ...calls,
    ].join('\n');
    const doc = readFileSync(DOC, 'utf8');
    const [from, to] = [doc.indexOf(BEGIN), doc.indexOf(END)];
    expect(from).toBeGreaterThan(-1);
    expect(to).toBeGreaterThan(from);
    await expect(`${doc.slice(0, from + BEGIN.length)}${text}\n${doc.slice(to)}`).toMatchFileSnapshot(DOC.pathname);
  });
});
