import { chromium } from 'playwright-core';
import { Containerd } from './dist/conformance/containerd.js';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
const c = await Containerd.create();
const w = fs.mkdtempSync('/tmp/k-'); fs.mkdirSync(w+'/manifests');
const p = spawn('node', ['apps/agent/bin/syncloop.mjs','kubelet','--pod-manifest-path',w+'/manifests','--container-runtime-endpoint',c.endpoint,'--root-dir',w+'/root','--hostname-override=node1','--ui-port','0','--healthz-port','0','--allow-control','--file-check-frequency=1s'],{stdio:['ignore','inherit','pipe']});
let err=''; const url = await new Promise(r=>p.stderr.on('data',d=>{err+=d; const m=/debugger at (http:\S+)/.exec(err); if(m) r(m[1])}));
const b = await chromium.launch({executablePath:'/usr/bin/chromium',args:['--no-sandbox']});
const page = await b.newPage({viewport:{width:1400,height:900}});
page.on('console',m=>console.log('console',m.type(),m.text().slice(0,300))); page.on('pageerror',e=>console.log('pageerror',e.message));
await page.goto(url); await page.waitForTimeout(2000);
fs.writeFileSync(w+'/manifests/web.yaml', `apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  terminationGracePeriodSeconds: 2
  containers:
  - {name: app, image: "localhost/busybox:dev", imagePullPolicy: IfNotPresent, command: [sh, -c, "trap 'exit 0' TERM; while true; do sleep 0.2; done"], env: [{name: SECRET, value: canary-7261}], readinessProbe: {exec: {command: ["true"]}, periodSeconds: 1}}
`);
await page.waitForTimeout(3500);
await page.screenshot({path:'/tmp/live.png'});
await page.keyboard.press('Space'); await page.waitForTimeout(700); const t1=await page.innerText('header').catch(()=> ''); await page.waitForTimeout(1000); const t2=await page.innerText('header').catch(()=>''); console.log(JSON.stringify(t1), JSON.stringify(t2));
await page.keyboard.press('ArrowRight'); await page.waitForTimeout(500); console.log(JSON.stringify(await page.innerText('header').catch(()=>'')));
await page.keyboard.press('Space'); await page.waitForTimeout(1500); console.log(JSON.stringify(await page.innerText('header').catch(()=>'')));
await page.screenshot({path:'/tmp/live2.png'});
console.log(err.slice(0,1500));
await b.close(); p.kill('SIGTERM'); await new Promise(r=>p.on('exit',r)); await c.destroy(); fs.rmSync(w,{recursive:true});
