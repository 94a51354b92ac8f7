import { expect, it } from 'vitest';
import { laterThanAll, minorOf, nearestEra, nearestEraOfSpan } from './nearest.js';
import { eraVersions } from './versions.js';

it.each([
  ['v1.12', ['v1.5.2', 'v1.12.0', 'v1.15.12', 'v1.18.20', 'v0.21.0']],
  ['v1.21', ['v1.19.0', 'v1.20.9', 'v1.21.1']],
  ['v1.25', ['v1.22.0', 'v1.23.4', 'v1.24.17', 'v1.25.10-eks-0a21954', 'v1.26.15+k3s1']],
  ['v1.32', ['v1.27.3+k3s1', 'v1.28.15-gke.1159000', 'v1.29.3', 'v1.32.0', 'v1.33.1', 'v1.34.0-rc.1']],
  ['v1.36', ['v1.35.0', 'v1.36.2', 'v1.36.0-alpha.1.12+0123456789abcd', 'v1.37.0', 'v2.0.0']],
] as const)('%s is nearest to %j', (era, versions) => {
  for (const version of versions) expect(nearestEra(version), version).toBe(era);
});

it('is nearest to itself', () => {
  for (const era of eraVersions) expect(nearestEra(era)).toBe(era);
});

it('takes versions as vendors write them, and nothing else', () => {
  expect(minorOf('v1.27.3+k3s1')).toBe(27);
  expect(minorOf('1.25')).toBe(25);
  expect(minorOf('1.26+')).toBe(26);
  for (const none of ['', 'unknown', 'v1', 'version v1.2', '1.x', 'v1.123456.1']) {
    expect(minorOf(none), none).toBeNull();
    expect(nearestEra(none), none).toBeNull();
  }
});

it.each([
  [22, 26, 'v1.25'],
  [20, 21, 'v1.21'],
  [0, 20, 'v1.12'],
  [29, 34, 'v1.32'],
  [27, laterThanAll, 'v1.32'],
  [35, laterThanAll, 'v1.36'],
  [40, laterThanAll, 'v1.36'],
  // If both have as many, it is the newer one.
  [26, 27, 'v1.32'],
] as const)('the versions 1.%s to 1.%s are nearest to %s', (since, until, era) => {
  expect(nearestEraOfSpan({ since, until })).toBe(era);
});
