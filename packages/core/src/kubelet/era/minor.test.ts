import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types.js';
import { dialectOf } from '../eras/v1.32/cri.js';
import { era } from '../eras/v1.32/index.js';
import { eraOfMinor } from './minor.js';
import { v1_36 } from './v1.36.js';

const gate = (minor: number, name: string) =>
  eraOfMinor(era, { emulatedVersion: `1.${minor}` }).rules.config?.eraFeatures?.get(name)?.default;

describe('another version of the same design', () => {
  it('has the gates that were on then', () => {
    const versions = [27, 28, 29, 32, 33];
    expect(versions.map((minor) => gate(minor, 'SidecarContainers'))).toEqual([false, false, true, true, true]);
    expect(versions.map((minor) => gate(minor, 'UserNamespacesSupport'))).toEqual([false, false, false, false, true]);
  });

  it('keeps a hook that sleeps since it knows it, with its gate off in v1.29', () => {
    const hook = (minor: number) => {
      const { rules } = eraOfMinor(era, { emulatedVersion: `1.${minor}` });
      const spec = { containers: [{ name: 'app', lifecycle: { preStop: { sleep: { seconds: 2 } } } }] };
      const dropped = rules.fields?.drop({ spec } as unknown as Pod, { featureGates: {}, ...rules.config });
      return [spec.containers[0]?.lifecycle.preStop, dropped?.length];
    };
    expect([28, 29, 30].map(hook)).toEqual([
      [{}, 1],
      [{ sleep: { seconds: 2 } }, 1],
      [{ sleep: { seconds: 2 } }, 0],
    ]);
  });

  it('has the rules of its era if no version is given, or the same', () => {
    expect(eraOfMinor(era, {})).toBe(era);
    expect(eraOfMinor(era, { emulatedVersion: '1.32' })).toBe(era);
    expect(eraOfMinor(v1_36, { emulatedVersion: '1.35' })).toBe(v1_36);
  });

  it.each([
    [28, { image: 'sha256:1' }, ['/proc/kcore']],
    [30, { image: 'sha256:1', userSpecifiedImage: 'app:1' }, ['/proc/kcore', '/sys/devices/virtual/powercap']],
    [
      33,
      { image: 'sha256:1', userSpecifiedImage: 'app:1' },
      ['/proc/interrupts', '/proc/kcore', '/sys/devices/virtual/powercap'],
    ],
  ])('asks the runtime as v1.%i does', (minor, image, maskedPaths) => {
    const asked = dialectOf(minor).container?.({
      image: { image: 'sha256:1', userSpecifiedImage: 'app:1' },
      linux: {
        securityContext: { maskedPaths: ['/proc/interrupts', '/proc/kcore', '/sys/devices/virtual/powercap'] },
      },
    });
    expect(asked?.image).toEqual(image);
    expect(asked?.linux?.securityContext?.maskedPaths).toEqual(maskedPaths);
  });
});
