import { describe, expect, it } from 'vitest';
import { newCgroupName, parseCgroupfs, parseSystemd, RootCgroupName, toCgroupfs, toSystemd } from './cgroup-name.js';

describe('CgroupName', () => {
  it('[3:QOS-04] as cgroupfs spells it, and back', () => {
    const name = newCgroupName(RootCgroupName, 'kubepods', 'burstable', 'pod12-34');
    expect(toCgroupfs(name)).toBe('/kubepods/burstable/pod12-34');
    expect(parseCgroupfs('/kubepods/burstable/pod12-34')).toEqual([...name]);
    expect([toCgroupfs([]), parseCgroupfs(''), parseCgroupfs('/')]).toEqual(['/', [], []]);
    expect(toCgroupfs(newCgroupName(parseCgroupfs('/a/b'), 'kubepods'))).toBe('/a/b/kubepods');
  });

  it('[3:QOS-05] as systemd spells it, and back', () => {
    const name = ['kubepods', 'burstable', 'pod12-34'];
    const path = '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod12_34.slice';
    expect(toSystemd(name)).toBe(path);
    expect(parseSystemd(path)).toEqual(name);
    expect(toSystemd([])).toBe('/');
    expect(toSystemd(['my-root', 'kubepods'])).toBe('/my_root.slice/my_root-kubepods.slice');
  });

  it('[3:QOS-05] has no part that could not be told apart afterwards', () => {
    for (const part of ['a/b', 'a_b'])
      expect(() => newCgroupName([], part)).toThrow(`invalid character in component ["${part}"] of CgroupName`);
  });
});
