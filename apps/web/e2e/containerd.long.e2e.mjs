/**
 * The page attached to `syncloop kubelet` on a real containerd: a manifest becomes a running container and goes again,
 * a killed container comes back, and each step is seen on the page. Needs root; the tests follow one another on one
 * node.
 */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { until } from '../../agent/e2e/programs.mjs';
import { command, onStage, savedFile } from './browser.mjs';
import { LiveNode } from './live-node.mjs';

// One page for all tests; after the kubelet ended it keeps asking for it.
const visit = onStage({ keep: true, expected: /ERR_CONNECTION_REFUSED/ });
let node;
let kubelet;
let page;
before(
  async () => {
    node = await LiveNode.create();
    kubelet = node.kubelet();
    const { origin, hash } = new URL(await kubelet.url());
    page = await visit({ url: `${origin}/`, hash, init: remember });
    page.setDefaultTimeout(60_000);
    await page.getByTestId('tab-records').click();
  },
  { timeout: 45_000 },
);
after(() => node?.destroy());

/** Runs in the page: notes everything that was shown on it, even for a moment, in order. */
function remember() {
  const seen = [];
  window.__seen = seen;
  const texts = (selector, inner) =>
    [...document.querySelectorAll(selector)].map((e) =>
      inner.map((part) => e.querySelector(part)?.textContent?.trim() ?? '').join(' '),
    );
  const look = () => {
    const now = [
      ...texts('[data-testid^=channel-]', ['.sl-code', '.sl-item-label']),
      ...texts('[data-testid^=handler-]', ['.sl-code', '.sl-small']),
      ...texts('[data-testid=cri] li[data-open]', ['.sl-code', '.sl-who']).map((text) => `under way: ${text}`),
      ...texts('[data-testid=narrator]', ['.sl-said']),
    ];
    for (const text of now) if (!seen.includes(text)) seen.push(text);
  };
  new MutationObserver(look).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
  });
}

const manifest = (name, { grace = 5 } = {}) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  terminationGracePeriodSeconds: ${grace}
  containers:
  - name: app
    image: ${node.image}
    imagePullPolicy: IfNotPresent
    command: [sh, -c, "trap 'echo TERM >>/life/${name}; exit 0' TERM; echo start >>/life/${name}; while :; do sleep 0.1; done"]
    lifecycle: {preStop: {exec: {command: [sh, -c, "sleep 1; echo preStop >>/life/${name}"]}}}
    volumeMounts: [{name: life, mountPath: /life}]
  volumes: [{name: life, hostPath: {path: ${node.work}/life, type: DirectoryOrCreate}}]
`;

/** The lines that the containers of a pod left behind. */
const life = async (name) => (await node.read('life', name)).trim().split('\n').filter(Boolean);
const tail = () => kubelet.stderr.slice(-3000);
const lane = (pod) => page.getByTestId(`lane-${pod}`);
/** Waits until the page has shown all of this at one time or another. */
async function shown(...wanted) {
  const missing = async () => {
    const seen = await page.evaluate(() => window.__seen);
    return wanted.filter((w) => !seen.some((text) => (w instanceof RegExp ? w.test(text) : w === text)));
  };
  const describe = async () => `missing: ${(await missing()).join(', ')}\n${tail()}`;
  await until('the page shows it', async () => (await missing()).length === 0, { describe });
}
/** Waits until the records panel has a line with these words. */
async function recorded(words, text) {
  await page.locator('#sl-filter').fill(words);
  await page.getByTestId('records').getByText(text).first().waitFor();
}
/** Processes of a pod's containers, by container id. */
async function processes(pod) {
  const ids = await node.containers(pod);
  return (await node.tasks()).filter((t) => ids.includes(t.id) && t.status === 'RUNNING');
}

it('says which node it is attached to, and offers to look only', async () => {
  const { info } = await page.evaluate(() => ({ info: window.__syncloop.info }));
  assert.match(info.title, /^Node node1 on containerd /);
  assert.equal(info.virtual, false);
  await page.getByText('Node node1 on containerd').first().waitFor();
  await page.getByTestId('channel-configCh').waitFor();
  assert.equal(await page.getByTestId('step').count(), 0);
});

it('a manifest dropped into the folder becomes a running container, each step of it on the page', async () => {
  await node.drop('web.yaml', manifest('web'));
  await lane('web-node1').getByText('Running', { exact: true }).waitFor();
  await lane('web-node1').getByTestId('sandbox').getByText('app', { exact: true }).waitFor();
  const running = await until(
    'one container runs',
    async () => (await processes('web-node1')).length === 1 && processes('web-node1'),
    { describe: tail },
  );
  assert.equal((await node.tasks()).length, 2, 'the sandbox and its one container');
  assert.deepEqual(await until('it started', async () => (await life('web')).length > 0 && life('web')), ['start']);

  const cri = page.getByTestId('cri');
  for (const method of ['RunPodSandbox', 'CreateContainer', 'StartContainer'])
    await cri.locator('li', { hasText: method }).first().waitFor();
  await shown('configCh ADD web-node1', 'HandlePodAdditions ▸ web-node1', 'plegCh ContainerStarted');

  await recorded('configCh', /configCh/);
  await recorded('takes ADD', /takes ADD/);
  await recorded('HandlePodAdditions', /HandlePodAdditions/);
  for (const method of ['RunPodSandbox', 'CreateContainer', 'StartContainer'])
    await recorded(method, new RegExp(method));
  const [container] = await page.evaluate(() => Object.values(window.__syncloop.state.containers).map((c) => c.id));
  assert.equal(container, running[0].id, "the page's container is containerd's");
});

it('a killed container goes from the PLEG over ContainerDied to a restart', async () => {
  const [before] = await processes('web-node1');
  process.kill(before.pid, 'SIGKILL');
  const died = page.getByTestId('pleg').locator('tr', { hasText: 'ContainerDied' });
  await died.first().waitFor();
  assert.deepEqual(
    (await died.first().locator('td').allInnerTexts()).map((s) => s.trim()),
    ['web-node1/app', 'running', 'exited', 'ContainerDied'],
  );
  await lane('web-node1').getByText('×1').waitFor();
  const [again] = await until(
    'it runs again',
    async () => (await processes('web-node1')).length === 1 && processes('web-node1'),
    { describe: tail },
  );
  assert.notEqual(again.id, before.id);
  await shown('plegCh ContainerDied', 'HandlePodSyncs ▸ web-node1', /PLEG puts ContainerDied for app of web-node1/);
  await recorded('plegCh', /ContainerDied/);
  const states = await page.evaluate(() =>
    Object.values(window.__syncloop.state.containers)
      .filter((c) => c.name === 'app')
      .sort((a, b) => a.attempt - b.attempt)
      .map(({ attempt, state, exitCode }) => ({ attempt, state, exitCode })),
  );
  assert.deepEqual(states, [
    { attempt: 0, state: 'exited', exitCode: 137 },
    { attempt: 1, state: 'running', exitCode: null },
  ]);
  const pods = JSON.parse((await node.get('/pods')).body).items;
  assert.equal(pods[0].status.containerStatuses[0].restartCount, 1);
});

it('says why it came back, and the run can be taken home as a recording and asked there', async () => {
  const back = await page.evaluate(() =>
    Object.values(window.__syncloop.state.containers).find((c) => c.name === 'app' && c.attempt === 1),
  );
  const why = async (on) => {
    await command(on, 'view.select', { kind: 'container', id: back.id });
    await command(on, 'view.why');
    const chain = on.getByTestId('why-chain');
    // A worker that waits for the cache just then learns of the exit before PLEG's event comes.
    for (const link of [/137/, /ContainerDied|from running to exited/, /SyncPod|sync/])
      await chain.getByText(link).first().waitFor();
    return (await chain.innerText()).split('\n').length;
  };
  const links = await why(page);
  const [download] = await Promise.all([page.waitForEvent('download'), command(page, 'recording.save')]);
  await command(page, 'view.select', null);

  const home = await visit({ url: undefined, hash: '', init: undefined });
  const chooser = home.waitForEvent('filechooser');
  const opened = command(home, 'files.choose');
  await (await chooser).setFiles(await savedFile(download));
  await opened;
  await home.waitForFunction(() => window.__syncloop.idle() && /^Node node1/.test(window.__syncloop.info.title));
  await command(home, 'transport.toEnd');
  await home.waitForFunction(
    () => window.__syncloop.idle() && window.__syncloop.run.seq === window.__syncloop.run.end.seq,
  );
  assert.equal(await why(home), links, 'the same chain');
  await home.context().close();
});

it('without its manifest the pod ends gracefully, and its worker with it', async () => {
  await node.drop('other.yaml', manifest('other'));
  await lane('other-node1').getByText('Running', { exact: true }).waitFor();
  await node.take('web.yaml');
  await recorded('worker', /web-node1.*(has ended|terminated)/);
  await until('its container is gone', async () => (await processes('web-node1')).length === 0, { describe: tail });
  assert.deepEqual((await life('web')).slice(-2), ['preStop', 'TERM'], 'preStop first, then TERM');
  await shown('configCh REMOVE web-node1', 'HandlePodRemoves ▸ web-node1', 'under way: ExecSync web-node1');
  for (const method of ['StopContainer', 'StopPodSandbox']) await recorded(method, new RegExp(method));
  await lane('web-node1')
    .getByText(/finished|removed/)
    .waitFor();
  await lane('other-node1').getByText('Running', { exact: true }).waitFor();
});

it('ends on SIGTERM with 0, says so on the page, and leaves its containers running', async () => {
  const [before] = await processes('other-node1');
  assert.ok(before);
  assert.equal(await kubelet.kill('SIGTERM'), 0, tail());
  await page.getByTestId('banner').getByText('does not answer').waitFor();
  const [after] = await processes('other-node1');
  assert.deepEqual(after, before);
  assert.deepEqual(await life('other'), ['start']);
});

it('the kubelet complained of nothing meanwhile', () => {
  // A kubelet logs these at its start, until the PLEG has listed, and if no device was ever given.
  const errors = kubelet.stderr.split('\n').filter((line) => /^E\d{4} /.test(line));
  assert.deepEqual(
    errors.filter((line) => !/"Skipping pod synchronization"|checkpoint="kubelet_internal_checkpoint"$/.test(line)),
    [],
  );
});
