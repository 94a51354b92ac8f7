/** Files of a kubelet that tests drop onto the page, and the few moves that go with them. */
import { fileURLToPath } from 'node:url';
import { causeNames, fleetLogs } from '../../../packages/observe/src/testing/fleet-logs.mjs';

/** The path of a kept capture, or of a file in one. */
export const capture = (name) =>
  fileURLToPath(new URL(`../../../packages/core/testdata/attach/${name}`, import.meta.url));
export const V4 = capture('v1.36-v4/crash-loop/kubelet.v4.log.gz');
export const V2 = capture('v1.36-v2/crash-loop/kubelet.v2.log.gz');

/** The logs of a fleet with shared causes, each a name and a text; `quiet`: other lines of each node. */
export const fleet = (nodes, quiet = 40) =>
  fleetLogs({ seed: 7, nodes, causes: causeNames, quiet }).nodes.map(({ name, lines }) => [
    `${name}.log`,
    [...lines()].join(''),
  ]);

/** Drops files on the page: each a name and bytes. */
export async function drop(page, ...files) {
  const data = files.map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]);
  const transfer = await page.evaluateHandle((all) => {
    const dropped = new DataTransfer();
    for (const [name, base64] of all) {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      dropped.items.add(new File([bytes], name, { lastModified: Date.UTC(2026, 10, 23) }));
    }
    return dropped;
  }, data);
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
}
/** Waits until what was dropped is read. */
export const read = (page) =>
  page.waitForFunction(
    () =>
      window.__syncloop.info?.capabilities.observed && window.__syncloop.run.reading.ended && window.__syncloop.idle(),
  );
/** Asks the page's session a question of the debugger's protocol. */
export const ask = (page, question) => page.evaluate((q) => window.__syncloop.ask(q), question);
