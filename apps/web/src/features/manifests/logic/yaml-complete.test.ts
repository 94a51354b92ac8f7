import { checkManifest } from '@syncloop/core/manifest';
import { describe, expect, it } from 'vitest';
import { type Completion, completionsAt, fieldAt } from './yaml-complete.js';

const at = (text: string) => {
  const place = text.indexOf('¦');
  return completionsAt(text.replace('¦', ''), place, 'en');
};
const labels = (text: string) => at(text)?.options.map((o) => o.label) ?? [];
/** The text with a completion taken, every place filled in with its name or `x`. */
const taken = (text: string, label: string): string => {
  const place = text.indexOf('¦');
  const plain = text.replace('¦', '');
  const found = completionsAt(plain, place, 'en');
  const option = found?.options.find((o) => o.label === label) as Completion;
  const insert = option.insert.replace(/\$\{\d+(?::([^}]*))?\}/g, (_, name: string | undefined) => name ?? 'x');
  return `${plain.slice(0, found?.from)}${insert}${plain.slice(found?.to)}`;
};
const head = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n';

describe('completionsAt', () => {
  it('offers the fields of a place that are not there yet, the required ones first', () => {
    expect(labels('¦')).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
    expect(labels('kind: Pod\n¦\nspec: {}\n')).toEqual(['apiVersion', 'metadata']);
    const container = at(`${head}  containers:\n    - name: app\n      ¦`);
    expect(container?.options.map((o) => o.label)).toContain('livenessProbe');
    expect(container?.options.map((o) => o.label)).not.toContain('name');
    expect(container?.options.toSorted((a, b) => b.boost - a.boost)[0]?.label).toBe('image');
  });
  it('leaves out what is ignored here, and other sources where one is given', () => {
    expect(labels(`${head}  ¦`)).not.toContain('schedulerName');
    expect(labels(`${head}  volumes:\n    - name: a\n      emptyDir: {}\n      ¦`)).toEqual([]);
    expect(labels(`${head}  volumes:\n    - name: a\n      ¦`)).toContain('hostPath');
  });
  it('offers words, booleans, and names from elsewhere in the manifest', () => {
    expect(labels(`${head}  restartPolicy: ¦`)).toEqual(['Always', 'OnFailure', 'Never']);
    expect(labels(`${head}  hostNetwork: ¦`)).toEqual(['true', 'false']);
    expect(
      labels(
        `${head}  volumes:\n    - name: data\n      emptyDir: {}\n  containers:\n    - volumeMounts:\n        - name: ¦`,
      ),
    ).toEqual(['data']);
    expect(
      labels(
        `${head}  containers:\n    - ports:\n        - name: http\n          containerPort: 80\n      readinessProbe:\n        httpGet:\n          port: ¦`,
      ),
    ).toEqual(['http']);
    expect(labels(`${head}  terminationGracePeriodSeconds: ¦`)).toEqual([]);
  });
  it('puts required children below, indented as they belong', () => {
    expect(taken('spec:\n  ¦', 'containers')).toBe('spec:\n  containers:\n    - name: x\n      image: x');
    expect(taken('spec:\n  containers:\n    - name: a\n      ¦', 'volumeMounts')).toBe(
      'spec:\n  containers:\n    - name: a\n      volumeMounts:\n        - name: x\n          mountPath: x',
    );
    expect(taken('spec:\n  containers:\n    ¦', '-')).toBe('spec:\n  containers:\n    - name: x\n      image: x');
    expect(taken('metadata:\n  ¦', 'labels')).toBe('metadata:\n  labels:\n    key: value');
    expect(taken('¦', 'spec')).toBe('spec:\n  containers:\n    - name: x\n      image: x');
  });
  it('changes only the name of a key that has a value', () => {
    expect(taken(`${head}  ho¦st: a\n`, 'hostname')).toBe(`${head}  hostname: a\n`);
  });
  it('gives texts that are valid YAML of known fields, whatever is taken', () => {
    const base = `${head}  containers:\n    - name: app\n      image: a:1\n      ¦`;
    for (const { label } of at(base)?.options ?? []) {
      const problems = checkManifest(taken(base, label), { file: 'a.yaml', nodeName: 'n' });
      expect(
        problems.filter((p) => ['syntax', 'unknown', 'unknownNear'].includes(p.code)),
        label,
      ).toEqual([]);
    }
    const spec = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  ¦\n  containers: []\n';
    for (const { label } of at(spec)?.options ?? []) {
      const problems = checkManifest(taken(spec, label), { file: 'a.yaml', nodeName: 'n' });
      expect(
        problems.filter((p) => ['syntax', 'unknown', 'unknownNear'].includes(p.code)),
        label,
      ).toEqual([]);
    }
  });
  it('has its words in both languages', () => {
    const zh = completionsAt('spec:\n  ', 8, 'zh-CN');
    expect(zh?.options.every((o) => /[\u4e00-\u9fff]/.test(o.info))).toBe(true);
  });
});

describe('fieldAt', () => {
  it('goes through items of lists', () => {
    expect(fieldAt(['spec', 'containers', '-', 'image'])?.type).toBe('string');
    expect(fieldAt(['spec', 'containers', 'image'])).toBeUndefined();
    expect(fieldAt(['spec', 'x', 'y'])).toBeUndefined();
  });
});
