import type { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { ClassroomGate, namesOf } from './gate.js';

const address = (address: string, internal = false) => ({
  address,
  internal,
  family: address.includes(':') ? 'IPv6' : 'IPv4',
  netmask: '',
  mac: '',
  cidr: null,
});
const cards = {
  lo: [address('127.0.0.1', true), address('::1', true)],
  eth0: [address('fe80::1'), address('192.168.1.5'), address('2001:db8::5')],
} as unknown as ReturnType<typeof networkInterfaces>;

describe('the names of a class', () => {
  it('are those that its address is reached by', () => {
    expect(namesOf('127.0.0.1', [], cards)).toEqual(['127.0.0.1', 'localhost', '::1']);
    expect(namesOf('192.168.1.5', ['laptop.local'], cards)).toEqual(['laptop.local', '192.168.1.5']);
    expect(namesOf('0.0.0.0', [], cards)).toEqual(['192.168.1.5', '127.0.0.1', 'localhost', '::1']);
    expect(namesOf('::', [], cards).slice(0, 2)).toEqual(['192.168.1.5', '2001:db8::5']);
  });
});

describe('the door of a class', () => {
  const gate = new ClassroomGate('secret', ['laptop.local', '192.168.1.5', '::1'], 'http');
  gate.port = 7331;
  const status = (host: string | undefined, origin?: string, token: string | null | undefined = 'secret') => {
    const verdict = gate.check({ host, origin, token });
    return verdict.ok ? 200 : verdict.status;
  };

  it('answers to its own names only', () => {
    for (const host of ['laptop.local:7331', 'LAPTOP.local:7331', '192.168.1.5:7331', '[::1]:7331'])
      expect(status(host)).toBe(200);
    for (const host of [
      undefined,
      'evil.test:7331',
      'laptop.local',
      'laptop.local:80',
      'laptop.local.:7331',
      '127.0.0.1:7331',
    ])
      expect(status(host)).toBe(421);
  });
  it('takes pages of its own origin only', () => {
    expect(status('laptop.local:7331', 'http://laptop.local:7331')).toBe(200);
    for (const origin of ['http://evil.test', 'null', 'https://laptop.local:7331', 'http://192.168.1.5:7331'])
      expect(status('laptop.local:7331', origin)).toBe(403);
  });
  it('wants the token, and keeps nobody out because others had a wrong one', () => {
    for (let i = 0; i < 100; i++) expect(status('laptop.local:7331', undefined, `wrong${i}`)).toBe(401);
    expect(gate.check({ host: 'laptop.local:7331', origin: undefined, token: undefined })).toMatchObject({
      status: 401,
      reason: 'the link of the class is needed: ask the presenter for the current one',
    });
    expect(status('laptop.local:7331')).toBe(200);
    expect(status('laptop.local:7331', undefined, null)).toBe(200);
  });
  it('leaves out the port where browsers do', () => {
    const secure = new ClassroomGate('secret', ['laptop.local'], 'https');
    secure.port = 443;
    expect(secure.origins()).toEqual(['https://laptop.local']);
    expect(secure.check({ host: 'laptop.local', origin: 'https://laptop.local', token: null }).ok).toBe(true);
  });
});
