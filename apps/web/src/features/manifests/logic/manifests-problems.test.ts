import { checkManifest, outcomeOf, type Problem } from '@syncloop/core/manifest';
import { schemaAt } from '@syncloop/core/schema';
import { describe, expect, it } from 'vitest';
import { translate } from '../../../i18n/index.js';
import { blockAt, counted, fixesOf, hoverLines, outcomeText, placeOf, problemText } from './manifests-problems.js';

const en = (key: Parameters<typeof translate>[1], params?: Parameters<typeof translate>[2]) =>
  translate('en', key, params);
const zh = (key: Parameters<typeof translate>[1], params?: Parameters<typeof translate>[2]) =>
  translate('zh-CN', key, params);
const options = { file: 'web.yaml', nodeName: 'node1' };
const pod = (more: string, spec = '') =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n${spec}  containers:\n    - name: app\n      image: a:1\n${more}`;

describe('problems in words', () => {
  it('say what and, where there is one, the remedy, in both languages', () => {
    const texts = [
      pod('      imagePullPolcy: Always\n'),
      pod('      tty: 3\n'),
      pod('', '  schedulerName: x\n  serviceAccountName: robot\n  restartPolicy: Maybe\n'),
      'a: b: c\n',
      'a:\n\t- b\n',
      '{"a":}',
      'kind: Service\napiVersion: v1\n',
      `${pod('')}---\n${pod('')}`,
      pod('      image: b\n      volumeMounts:\n        - name: x\n          mountPath: /x\n'),
    ];
    for (const text of texts) {
      const problems = checkManifest(text, options);
      expect(problems.length, text).toBeGreaterThan(0);
      for (const p of problems)
        for (const t of [en, zh]) {
          const words = problemText(t, p);
          // Every hole is filled.
          expect(words, p.code).not.toMatch(/\{\w+\}/);
          expect(words, p.code).not.toBe('');
        }
    }
    const [first] = checkManifest(texts[0] as string, options);
    expect(problemText(en, first as Problem)).toContain('Do you mean imagePullPolicy?');
    expect(counted(checkManifest(texts[2] as string, options))).toEqual({ errors: 2, warnings: 0, infos: 1 });
  });
  it('are mended at once where that is clear', () => {
    const mend = (text: string) => {
      const [problem] = checkManifest(text, options);
      const [fix] = fixesOf(en, problem as Problem, text);
      return fix && text.slice(0, fix.from) + fix.insert + text.slice(fix.to);
    };
    expect(mend(pod('      imagePullPolcy: Always\n'))).toBe(pod('      imagePullPolicy: Always\n'));
    expect(mend(pod('', '  topologySpreadConstraints:\n  - a: 1\n    b: 2\n'))).toBe(pod(''));
    expect(mend(pod('', '  serviceAccountName: robot\n'))).toBe(pod(''));
    expect(mend(pod('', '  hostname: yes\n'))).toBe(pod('', '  hostname: "yes"\n'));
    expect(mend(pod('      tty: 3\n'))).toBeUndefined();
  });
  it('remove a key with what belongs to it and nothing else', () => {
    const text = 'a:\n  b:\n    - 1\n\n    - 2\n  c: 3\n';
    const at = text.indexOf('b:');
    const block = blockAt(text, at);
    expect(block && text.slice(0, block.from) + text.slice(block.to)).toBe('a:\n  c: 3\n');
    expect(blockAt('{a: 1}', 1)).toBeNull();
    expect(placeOf(text, at)).toEqual({ line: 2, col: 3 });
  });
});

describe('fields and outcomes in words', () => {
  it('tells a field by its description, type, default and values', () => {
    const policy = schemaAt(['spec', 'restartPolicy']);
    const lines = policy ? hoverLines(en, 'en', policy, false) : [];
    expect(lines[1]).toBe('type string · default Always');
    expect(lines[2]).toBe('one of Always, OnFailure, Never');
    const ports = schemaAt(['spec', 'containers', 'ports']);
    expect(ports && hoverLines(zh, 'zh-CN', ports, false)[1]).toBe('类型 []object');
    const gone = schemaAt(['spec', 'schedulerName']);
    expect(gone && hoverLines(en, 'en', gone, false).at(-1)).toContain('ignores');
  });
  it('tells what the kubelet will make of a change', () => {
    const o = outcomeOf(pod(''), pod('      tty: true\n'), options);
    expect(outcomeText(en, o)).toContain('hash');
    expect(outcomeText(en, o)).toContain('30 s');
    for (const after of [pod(''), 'x', pod('').replace('name: web', 'name: w2')])
      expect(outcomeText(zh, outcomeOf(pod(''), after, options))).not.toMatch(/\{\w+\}/);
    const uid = (image: string) => pod('').replace('name: web', 'name: web\n  uid: u1').replace('a:1', image);
    expect(outcomeText(en, outcomeOf(uid('a:1'), uid('b:1'), options))).toContain('are restarted');
  });
});
