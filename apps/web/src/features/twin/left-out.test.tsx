import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { LeftOutOfTwin } from './left-out.js';
import './feature.js';

const left = (pod: string) => ({ pod, why: { en: `${pod} has an odd value`, zh: '含有异常值' } });
const shown = (pods: readonly string[]) =>
  renderToStaticMarkup(<LeftOutOfTwin left={pods.map(left)} text={({ en }) => en} />);

it('says how many pods a twin does not have, which and why', () => {
  expect(shown([])).toBe('');
  expect(shown(['ci/a'])).toContain('One pod is left out: ci/a');
  const many = shown(['ci/a', 'ci/b', 'ci/c', 'ci/d', 'ci/e', 'ci/f']);
  expect(many).toContain('6 pods are left out: ci/a, ci/b, ci/c, ci/d, ci/e, …');
  expect(many).toContain('ci/f has an odd value');
  expect(shown([''])).toContain('Part of what was observed is left out');
});
