/** Recordings that were changed, read by each command that reads them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from '../../apps/agent/e2e/node-files.mjs';
import { mutatedBytes, mutatedText } from '../values.mjs';

let seeds = null;
/** A small recording, whole, and the same as text. Made once; both are the same each time. */
function recordings() {
  if (seeds) return seeds;
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-attack-'));
  const whole = join(folder, 'a.syncloop');
  const text = join(folder, 'a.ndjson');
  execFileSync(process.execPath, [program, 'simulate', 'hello', '--until', '5s', '--record', whole]);
  execFileSync(process.execPath, [program, 'export', whole, '--format', 'ndjson', '-o', text]);
  seeds = { whole: readFileSync(whole), text: readFileSync(text) };
  rmSync(folder, { recursive: true, force: true });
  return seeds;
}

const questions = [
  ['info', '--kinds'],
  ['why', '--record', '40'],
  ['why', '--pending', 'hello'],
  ['why', '--container', 'hello/app', '--what', 'start'],
  ['why', '--pod', 'hello', '--field', 'phase'],
  ['export', '--format', 'chrome'],
  ['export', '--format', 'otlp'],
  ['export', '--format', 'klog'],
  ['export', '--format', 'ndjson'],
  ['import'],
];

export default {
  name: 'recordings',
  targets: ['commands'],
  packet: 'a command on a recording',
  make(random) {
    const { whole, text } = recordings();
    const asText = random.chance(0.3);
    const bytes = random.weighted([
      [5, () => mutatedBytes(random, asText ? text : whole)],
      [asText ? 3 : 1, () => Buffer.from(mutatedText(random, text.toString()))],
      [1, () => lying(random, whole)],
      [0.5, () => random.bytes(random.pick([0, 1, 16, 400]))],
    ]);
    return [
      { op: 'file', base64: bytes.toString('base64') },
      ...random.list(1, 3, () => ({ op: 'command', argv: random.pick(questions) })),
    ];
  },
  async perform({ work, run }, operations) {
    const file = join(work, 'recording');
    let packets = 0;
    for (const { op, base64, argv } of operations) {
      if (op === 'file') {
        await writeFile(file, Buffer.from(base64, 'base64'));
        continue;
      }
      const [name, ...rest] = argv;
      const out = ['export', 'import'].includes(name) ? ['-o', join(work, 'out.syncloop')] : [];
      await run('main', { argv: [name, file, ...rest, ...out] });
      packets++;
    }
    return packets;
  },
};

/** Puts in four bytes that claim something huge, or a run of LZ4 that repeats itself for ever. */
function lying(random, bytes) {
  const out = Buffer.from(bytes);
  const at = random.int(out.length - 8);
  random.pick([
    () => out.writeUInt32LE(random.pick([0x7fffffff, 0xffffffff, 0x10000000, 0]), at),
    () => out.writeUInt32BE(random.pick([0x7fffffff, 0xffffffff, 0x10000000, 0]), at),
    () => out.fill(0xff, at, Math.min(out.length, at + random.pick([8, 200, 4000]))),
    () => out.fill(0x1f, at, Math.min(out.length, at + random.pick([8, 200]))),
  ])();
  return out;
}
