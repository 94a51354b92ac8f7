import { Containerd } from './dist/conformance/containerd.js';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
const c = await Containerd.create();
const w = fs.mkdtempSync('/tmp/k-'); fs.mkdirSync(w+'/manifests');
fs.writeFileSync(w+'/config.yaml', `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: ./manifests
fileCheckFrequency: 1s
address: 127.0.0.1
port: 20250
readOnlyPort: 20255
healthzPort: 20248
podLogsDir: ${w}/logs
cgroupsPerQOS: false
failSwapOn: false
authentication: {anonymous: {enabled: true}}
`);
const args=['apps/agent/bin/syncloop.mjs','kubelet','--config',w+'/config.yaml','--container-runtime-endpoint',c.endpoint,'--root-dir',w+'/root','--hostname-override=node1','-v=4','--ui-port','0','--record',w+'/r.jsonl','--cloud-provider=external','--fail-swap-on=false'];
const p = spawn('node', args,{stdio:['ignore','inherit','pipe']});
let err=''; p.stderr.on('data',d=>{err+=d});
await new Promise(r=>setTimeout(r,2500));
fs.writeFileSync(w+'/t.yaml', `apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  terminationGracePeriodSeconds: 2
  containers:
  - {name: app, image: "localhost/busybox:dev", imagePullPolicy: IfNotPresent, command: [sh, -c, "trap 'exit 0' TERM; while true; do sleep 0.2; done"], env: [{name: SECRET, value: canary-7261}]}
`); fs.renameSync(w+'/t.yaml', w+'/manifests/web.yaml');
await new Promise(r=>setTimeout(r,2500));
const get=async(u)=>{const r=await fetch(u);return r.status+' '+(await r.text())};
for (const u of ['http://127.0.0.1:20248/healthz','http://127.0.0.1:20255/healthz','http://127.0.0.1:20255/pods','http://127.0.0.1:20255/runningpods/','http://127.0.0.1:20255/configz','http://127.0.0.1:20255/stats/summary','http://127.0.0.1:20250/healthz','http://127.0.0.1:20255/nope']) console.log(u, (await get(u)).slice(0,900));
console.log((await get('http://127.0.0.1:20255/metrics')).split('\n').filter(l=>!l.startsWith('#')&&!/bucket/.test(l)).join('\n'));
const url=/http:\/\/\S+token=\S+/.exec(err)?.[0]; console.log('url',url);
const p2=spawn('node',args,{stdio:['ignore','pipe','pipe']}); p2.stderr.on('data',d=>console.log('second:',String(d).slice(0,600))); await new Promise(r=>p2.on('exit',(c)=>{console.log('second exit',c);r()}));
const args3=args.map(a=>a===w+'/root'?w+'/root2':a); const p3=spawn('node',args3,{stdio:['ignore','pipe','pipe']}); p3.stderr.on('data',d=>console.log('third:',String(d).slice(0,900))); await new Promise(r=>p3.on('exit',(c)=>{console.log('third exit',c);r()}));
p.kill('SIGTERM'); const t=Date.now(); await new Promise(r=>p.on('exit',(c,s)=>{console.log('exit',c,s,Date.now()-t);r()}));
console.log(await c.ctr('tasks','ls'));
console.log(err.split('\n').slice(0,25).join('\n')); console.log(err.split('\n').slice(-3).join('\n'));
console.log(fs.statSync(w+'/r.jsonl').size, fs.readFileSync(w+'/r.jsonl','utf8').includes('canary-7261'), err.includes('canary'));
console.log(fs.readFileSync(w+'/r.jsonl','utf8').split('\n').filter(l=>l.includes('CreateContainer')).slice(0,2).join('\n').slice(0,1500));
await c.destroy(); fs.rmSync(w,{recursive:true});
