#!/usr/bin/env node
/**
 * Our shapes compared with zod 4, zod mini, valibot and typebox (docs/developers/decisions/0016): size of a bundle that
 * validates eight kinds of records, time per record of a simulated run, problems that they report. Installs the
 * libraries into a temporary folder. Prints JSON. `node bench/shapes.mjs`, after `npm run build`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Kernel, Second, seeded } from '@syncloop/core/kernel';
import { SimulatedNode } from '@syncloop/core/scenario';
import { rolldown } from 'rolldown';

const LIBRARIES = ['zod@4.6.7', 'valibot@1.5.0', '@valibot/to-json-schema@1.8.0', 'typebox@1.4.3'];
const KINDS = new Set(['select', 'send', 'receive', 'wait', 'cri-call', 'cri-return', 'worker', 'step']);
const here = fileURLToPath(new URL('.', import.meta.url));

/** Records of a node with ten pods, as they come from a file. */
function records() {
  const out = [];
  const kernel = new Kernel({ seed: 1, policy: seeded(1), sink: (r) => out.push(r) });
  const node = new SimulatedNode(kernel, { config: { staticPodPath: '/etc/kubernetes/manifests' } });
  for (let i = 0; i < 10; i++)
    node.putManifest(
      `p${i}.yaml`,
      `{apiVersion: v1, kind: Pod, metadata: {name: p${i}}, spec: {containers: [{name: app, image: "localhost/busybox:dev", imagePullPolicy: IfNotPresent, command: [sh, -c, "sleep 1; exit 1"]}]}}`,
    );
  node.startKubelet();
  kernel.run({ until: 300 * Second });
  return JSON.parse(JSON.stringify(out.filter((r) => KINDS.has(r.kind))));
}

const folder = mkdtempSync(join(tmpdir(), 'shapes-'));
try {
  cpSync(join(here, 'shapes'), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...LIBRARIES], { cwd: folder });
  symlinkSync(join(here, '../node_modules/@syncloop'), join(folder, 'node_modules/@syncloop'));
  const all = records();
  const bad = { kind: 'cri-call', seq: -1, time: 1.5, g: 0, span: 0, cause: 0, metod: 'RunPodSandbox' };
  const result = { records: all.length };
  for (const name of ['ours', 'zod', 'zod-mini', 'valibot', 'typebox']) {
    const file = join(folder, `${name}.mjs`);
    const bundle = async (exports) => {
      const entry = join(folder, `entry-${name}-${exports.length}.mjs`);
      writeFileSync(
        entry,
        `import { ${exports.join(', ')} } from './${name}.mjs';\nglobalThis.used = [${exports.join(', ')}];\n`,
      );
      const build = await rolldown({ input: entry, platform: 'browser', logLevel: 'silent' });
      const { output } = await build.generate({ format: 'esm', minify: true });
      return output[0].code;
    };
    const { check, problems, jsonSchema } = await import(pathToFileURL(file).href);
    const code = await bundle(['problems']);
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 15; round++) {
      const from = process.hrtime.bigint();
      for (const r of all) check(r);
      best = Math.min(best, Number(process.hrtime.bigint() - from) / all.length);
    }
    result[name] = {
      gzip: gzipSync(code).length,
      gzipWithSchema: gzipSync(await bundle(['problems', 'jsonSchema'])).length,
      nanosPerRecord: Math.round(best),
      problems: problems(bad),
      schemaCharacters: JSON.stringify(jsonSchema()).length,
      evaluates: /\bFunction\(|\beval\(/.test(code),
    };
  }
  console.log(JSON.stringify(result, null, 2));
} finally {
  rmSync(folder, { recursive: true });
}
