import { Containerd } from './dist/conformance/containerd.js';
import { runOnRuntime } from './dist/conformance/run-cri.js';
import { readRecording } from './dist/conformance/recording.js';
import { compare } from './dist/conformance/compare/index.js';
import fs from 'node:fs';
const c = await Containerd.create();
try { for (const f of process.argv.slice(2)) { const ref = await readRecording(f); const t=Date.now();
 const got = await runOnRuntime(ref, c.endpoint, c); fs.writeFileSync('/tmp/conf-'+ref.scenario+'.json', JSON.stringify(got));
 const out = compare(ref, got); for (const x of out) if(!x.ok) console.log('FAIL', x.name, '--', x.detail.slice(0,900)); console.log(ref.scenario, out.filter(x=>x.ok).length, 'passed', out.filter(x=>!x.ok).length,'failed', Date.now()-t,'ms'); } }
catch(e){console.error(e)} finally { await c.destroy(); }
