import { describe, expect, it } from 'vitest';
import { addVariable, breakImage, FILE_NAME, manifestOf, NO_SUCH_IMAGE, nameIn } from './manifests.js';

const text = `apiVersion: v1
kind: Pod
metadata:
  name: web-1
spec:
  containers:
    - name: app
      image: busybox:1.36
`;

describe('manifests', () => {
  it('reads the name from the metadata, not from a container', () => {
    expect(nameIn(text)).toBe('web-1');
    expect(
      nameIn('kind: Pod\nspec:\n  containers:\n  - name: app\nmetadata:\n  labels:\n    a: b\n  name: late\n'),
    ).toBe('late');
  });
  it('finds the manifest of a static pod, the longer name first', () => {
    const web = { file: 'a.yaml', text: 'metadata:\n  name: web\n' };
    const webDb = { file: 'b.yaml', text: 'metadata:\n  name: web-db\n' };
    expect(manifestOf([web, webDb], 'default/web-db-node1')).toBe(webDb);
    expect(manifestOf([web, webDb], 'default/web-node1')).toBe(web);
    expect(manifestOf([web, webDb], 'default/other-node1')).toBeNull();
  });
  it('breaks the first image and nothing else', () => {
    expect(breakImage(text)).toBe(text.replace('busybox:1.36', NO_SUCH_IMAGE));
    expect(breakImage('{"image":"a:1","x":1}')).toBe(`{"image":"${NO_SUCH_IMAGE}","x":1}`);
  });
  it('adds a variable, then changes its value each time', () => {
    const once = addVariable(text);
    expect(once).toContain('      env:\n        - name: TRIED\n          value: "1"\n');
    expect(addVariable(once)).toContain('value: "2"');
    expect(addVariable('spec:\n  containers:\n    - image: x\n      name: a\n')).toContain(
      '    - image: x\n      env:\n        - name: TRIED\n',
    );
    expect(addVariable('c:\n  env:\n    - name: A\n      value: b\n  image: x\n')).toBe(
      'c:\n  env:\n    - name: TRIED\n      value: "1"\n    - name: A\n      value: b\n  image: x\n',
    );
  });
  it('knows the file names that the folder takes', () => {
    expect(FILE_NAME.test('web.yaml')).toBe(true);
    for (const bad of ['../x.yaml', 'web', '.yaml', 'a/b.yaml', '']) expect(FILE_NAME.test(bad), bad).toBe(false);
  });
});
