import type { AudienceMember } from '@syncloop/core/classroom';
import { expect, it } from 'vitest';
import { countsOf, inOrder } from './audience.js';

const member = (number: number, place: AudienceMember['place'], behind = 0): AudienceMember => ({
  number,
  place,
  behind,
});

it('lists first who may need something, and counts how many stand how', () => {
  const audience = [
    member(1, 'with'),
    member(2, 'with', 4),
    member(3, 'own'),
    member(4, 'with', 90),
    member(5, 'stuck', 7),
    member(6, 'away', 30),
    member(7, 'joining'),
  ];
  expect(inOrder(audience).map((m) => m.number)).toEqual([5, 4, 2, 3, 6, 7, 1]);
  expect(countsOf(audience)).toEqual([
    { standing: 'stuck', n: 1 },
    { standing: 'behind', n: 2 },
    { standing: 'own', n: 1 },
    { standing: 'away', n: 1 },
    { standing: 'joining', n: 1 },
    { standing: 'with', n: 1 },
  ]);
  expect(countsOf([])).toEqual([]);
});
