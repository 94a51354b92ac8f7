/**
 * A process of its own that looks at the runtime every 100 ms, whoever works on it. Sends its parent one message per
 * look, with the pods that it saw running for the first time and how many there are. Arguments: socket, period in ms.
 */
import { Cri } from './cri.mjs';

const [socket, period] = process.argv.slice(2);
const cri = new Cri(socket);
const seen = new Set();
let going = true;
process.on('message', () => {
  going = false;
});
process.on('disconnect', () => process.exit());

for (let next = performance.now(); going; next += Number(period)) {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
  const [{ containers = [] }, { items = [] }] = await Promise.all([
    cri.call('listContainers'),
    cri.call('listPodSandbox'),
  ]);
  const at = performance.timeOrigin + performance.now();
  const running = containers.filter((c) => c.state === 'CONTAINER_RUNNING');
  const names = running.map((c) => c.labels['io.kubernetes.pod.name']).filter((name) => !seen.has(name));
  for (const name of names) seen.add(name);
  // SANDBOX_READY is zero, which is left out.
  process.send({
    at,
    names,
    running: running.length,
    ready: items.filter((s) => s.state === undefined).length,
    all: items.length,
  });
}
cri.close();
process.disconnect();
