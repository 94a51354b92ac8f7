import type { ClassPointer } from '@syncloop/core/classroom';
import { expect, it } from 'vitest';
import { POINTER_MILLIS, PointerSender } from './pointer.js';

function setup() {
  const sent: (ClassPointer | null)[] = [];
  let due: (() => void) | null = null;
  const pointer = new PointerSender({
    send: (to) => sent.push(to),
    after: (millis, then) => {
      expect(millis).toBe(POINTER_MILLIS);
      due = then;
      return () => {
        due = null;
      };
    },
  });
  const pass = () => {
    const then = due;
    due = null;
    then?.();
  };
  return { pointer, sent, pass, waits: () => due !== null };
}
const at = (x: number): ClassPointer => ({ box: 'pleg', x, y: 0 });

it('the pointer of a presenter is sent at once, then as its last place now and then, and not while it rests', () => {
  const { pointer, sent, pass, waits } = setup();
  for (const x of [0.1, 0.2, 0.3]) pointer.move(at(x));
  expect(sent).toEqual([at(0.1)]);
  pass();
  expect(sent).toEqual([at(0.1), at(0.3)]);
  pass();
  expect(waits()).toBe(false);
  pointer.move(at(0.3));
  expect(sent).toHaveLength(2);
  pointer.move(null);
  expect(sent.at(-1)).toBeNull();
});

it('the pointer of a presenter is gone when it is switched off, and comes again after a new connection', () => {
  const { pointer, sent, pass, waits } = setup();
  pointer.move(at(0.1));
  pass();
  pointer.anew();
  expect(sent).toEqual([at(0.1), at(0.1)]);
  pointer.move(at(0.5));
  pointer.stop();
  expect(sent).toEqual([at(0.1), at(0.1), null]);
  expect(waits()).toBe(false);
  pointer.stop();
  expect(sent).toHaveLength(3);
});
