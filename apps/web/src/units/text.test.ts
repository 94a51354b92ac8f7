import { expect, it } from 'vitest';
import { argsLabel, splitName } from './text.js';

it.each([
  [{ pods: ['default/web', 'default/db'] }, 'web db'],
  [{ pods: ['default/web', 'default/db', 'default/job'] }, 'web +2'],
  [{ pod: 'default/web', updateType: 'create' }, 'web'],
  [{ uid: '1234', probe: 'readiness', status: 'ready' }, 'readiness ready'],
  [{ uid: '1234', probe: 'readiness', status: '' }, 'readiness'],
])('puts the arguments %j into a few characters', (args, label) => {
  expect(argsLabel(args)).toBe(label);
});

it.each([
  ['shop-77fc757cfb-g4k54', ['shop-77fc757cfb', '-g4k54']],
  ['db-0', ['db', '-0']],
  ['hello-node1', ['hello-node1', '']],
  ['web', ['web', '']],
])('splits %s where its controller appended something', (name, parts) => {
  expect(splitName(name)).toEqual(parts);
});
