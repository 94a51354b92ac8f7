/**
 * Our own API server alone, on a folder of data, as a program that can be killed:
 * `node own-server-program.mjs FOLDER`. It prints one line of JSON once it serves.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kernel } from '@syncloop/core/kernel';
import { RealClock, RealDriver } from '@syncloop/core/kernel/real-clock';
import { built } from './node-files.mjs';

const folder = process.argv[2];
const { ApiData } = await built('api-data/api-data.js');
const { startOwnServer } = await built('api-server/own-server.js');
const kernel = new Kernel({ clock: new RealClock() });
new RealDriver(kernel).start();
const data = folder ? await ApiData.open(join(folder, 'data'), { warn: console.error }) : undefined;
const kubeconfig = join(folder || process.argv[3], 'kubeconfig');
const own = await startOwnServer({ kernel, name: 'node1' }, { port: 0, kubeconfig, data });
const { users } = JSON.parse(await readFile(kubeconfig, 'utf8'));
console.log(JSON.stringify({ url: own.url, token: users[0].user.token }));
