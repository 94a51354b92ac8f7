import { expect, it } from 'vitest';
import { addressOf, workshopIn } from './opener.js';

it('is found again in the address that it makes', () => {
  const link = addressOf('https://example.com/syncloop/?a=1#old', 'pleg:er,back-off:e');
  expect(link).toBe('https://example.com/syncloop/?a=1#workshop=pleg:er,back-off:e');
  expect(workshopIn(link)).toBe('pleg:er,back-off:e');
  expect(workshopIn('https://example.com/#workshop')).toBe('');
  expect(workshopIn('https://example.com/#changes')).toBeNull();
});
