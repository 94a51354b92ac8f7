import type { NetworkInterfaceInfo } from 'node:os';
import { expect, it } from 'vitest';
import { addressesOf } from './addresses.js';

const at = (address: string, internal = false) =>
  ({ address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4' }) as NetworkInterfaceInfo;

it('the addresses for a class are those that students can reach first, loopback last', () => {
  const found = addressesOf({
    lo: [at('127.0.0.1', true), at('::1', true)],
    docker0: [at('172.17.0.1')],
    wlan0: [at('fe80::1'), at('2001:db8::5'), at('192.168.1.5')],
    eth0: [at('10.0.0.3')],
  });
  expect(found.map((a) => [a.address, a.name])).toEqual([
    ['192.168.1.5', 'wlan0'],
    ['10.0.0.3', 'eth0'],
    ['2001:db8::5', 'wlan0'],
    ['172.17.0.1', 'docker0'],
    ['127.0.0.1', ''],
  ]);
  expect(addressesOf({ eth0: Array.from({ length: 99 }, (_, i) => at(`10.0.0.${i}`)) })).toHaveLength(17);
});
