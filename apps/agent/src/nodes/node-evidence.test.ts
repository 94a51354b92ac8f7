import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Kubectl, KubectlError } from './kubectl.js';
import { fetchEvidence, placeOfPod } from './node-evidence.js';

/** A kubectl whose answers are given here: texts or errors, the next one for each call with that path. */
class Answers extends Kubectl {
  readonly asked: string[] = [];
  constructor(private readonly answers: { readonly [path: string]: (string | KubectlError)[] }) {
    super({});
  }
  override raw = async (path: string): Promise<string> => {
    this.asked.push(path);
    const key = Object.keys(this.answers).find((one) => path.startsWith(one)) ?? '';
    const answer = this.answers[key]?.shift();
    if (answer instanceof Error) throw answer;
    if (answer === undefined) throw new KubectlError('Error from server (NotFound): none', 'NotFound');
    return answer;
  };
}
const busy = new KubectlError('Error from server (TooManyRequests): later', 'TooManyRequests');

it.each(['--kubeconfig=/etc/passwd', '../n1', 'n1/proxy', 'N 1', ''])(
  'refuses %j as a name of anything',
  async (name) => {
    const kubectl = new Answers({});
    const options = { folder: '/nowhere', say: () => {} };
    await expect(fetchEvidence(kubectl, { node: name, sinceMillis: 0 }, options)).rejects.toThrow(
      'is not the name of a node',
    );
    await expect(placeOfPod(kubectl, 'shop', name)).rejects.toThrow('is not the name of a pod or a namespace');
    await expect(placeOfPod(kubectl, name, 'web')).rejects.toThrow('is not the name of a pod or a namespace');
    expect(kubectl.asked).toEqual([]);
  },
);

it('says that an answer is no object', async () => {
  const kubectl = new Answers({ '/api/v1/nodes/n1': ['<html>'] });
  await expect(
    fetchEvidence(kubectl, { node: 'n1', sinceMillis: 0 }, { folder: '/nowhere', say: () => {} }),
  ).rejects.toThrow('something else than an object: <html>');
});

it('waits longer each time the server is busy, and gives up with its words', async () => {
  const waits: number[] = [];
  const pause = async (millis: number) => void waits.push(millis);
  const kubectl = new Answers({ '/api/v1/nodes/n1': [busy, busy, busy, busy] });
  const fetching = fetchEvidence(kubectl, { node: 'n1', sinceMillis: 0 }, { folder: '/nowhere', say: () => {}, pause });
  await expect(fetching).rejects.toThrow('TooManyRequests');
  expect(waits).toEqual([500, 1000, 2000]);
});

it('writes the log and the pods of a node that may not be got itself', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-evidence-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const kubectl = new Answers({
    '/api/v1/nodes/n1': [new KubectlError('no', 'Forbidden')],
    '/api/v1/pods': [JSON.stringify({ items: [{ metadata: { name: 'web' } }] })],
  });
  kubectl.rawToFile = async (path, file) => {
    kubectl.asked.push(path);
    writeFileSync(file, 'E1122 10:00:00.000000       1 a.go:1] "b"\n');
  };
  const said: string[] = [];
  const wanted = { node: 'n1', sinceMillis: Date.UTC(2026, 10, 22, 9), lines: 20 };
  await fetchEvidence(kubectl, wanted, { folder, say: (sentence) => said.push(sentence) });
  expect(readdirSync(folder).sort()).toEqual(['kubelet.log', 'pods.ndjson']);
  expect(JSON.parse(readFileSync(join(folder, 'pods.ndjson'), 'utf8')).pods).toEqual([{ metadata: { name: 'web' } }]);
  expect(kubectl.asked[1]).toBe(
    '/api/v1/nodes/n1/proxy/logs/?query=kubelet&sinceTime=2026-11-22T09%3A00%3A00Z&tailLines=20',
  );
  expect(said).toEqual([
    'the node n1 is not shown, nor its conditions: no',
    'the events of n1 are not read: Error from server (NotFound): none',
  ]);
});

it('reads a log whole that the kubelet has in a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-evidence-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const kubectl = new Answers({ '/api/v1/nodes/n1': ['{}'], '/api/v1/pods': ['{}'], '/api/v1/events': ['{}', '{}'] });
  const whole = 'E1122 10:00:00.000000       1 a.go:1] "b"\n';
  kubectl.rawToFile = async (path, file) => {
    kubectl.asked.push(path);
    const refused = '\noptions present and query resolved to log files for [kubelet]\ntry without specifying options\n';
    writeFileSync(file, path.includes('sinceTime') ? refused : whole);
  };
  const said: string[] = [];
  await fetchEvidence(kubectl, { node: 'n1', sinceMillis: 0 }, { folder, say: (sentence) => said.push(sentence) });
  expect(readFileSync(join(folder, 'kubelet.log'), 'utf8')).toBe(whole);
  expect(said).toEqual(['the kubelet of n1 logs into a file, which is read whole']);
});
