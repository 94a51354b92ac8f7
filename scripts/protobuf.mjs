#!/usr/bin/env node
/**
 * Generates the TypeScript of the .proto files again, with the tools that scripts/protobuf/package-lock.json names.
 * They are installed there, and only when they are needed.
 */
import fs from 'node:fs';
import path from 'node:path';
import { checkNode, run, top } from './lib.mjs';

/** Folders with a buf.gen.yaml. */
const FOLDERS = ['packages/core/src/cri', 'packages/observe/src/spans', 'apps/agent/src/plugins/api'];

checkNode();
const tools = path.join(top, 'scripts/protobuf');
const buf = path.join(tools, 'node_modules/.bin/buf');
if (!fs.existsSync(buf)) {
  const { code } = await run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', tools]);
  if (code !== 0) process.exit(code);
}
for (const folder of FOLDERS) {
  const { code } = await run(buf, ['generate'], { cwd: path.join(top, folder) });
  if (code !== 0) process.exit(code);
  console.log(`made ${folder}/gen`);
}
