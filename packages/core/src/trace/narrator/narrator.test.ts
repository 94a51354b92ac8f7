import { describe, expect, it } from 'vitest';
import { foldAll, type Lang, lookupOf, type NameLookup, narrate } from '../index.js';
import type { Json, RecordBody, TraceRecord } from '../records.js';
import { allKinds, allSamples, samples, Tape } from '../testing/samples.js';

const head = { seq: 11, time: 1, g: 7, span: 0, cause: 0 };
const lookup: NameLookup = {
  channel: (id) => ['', 'configCh', 'plegCh'][id] ?? '',
  goroutine: (id) => (id === 7 ? 'syncLoop' : ''),
  container: (id) => (id === 'c1' ? { name: 'app', pod: 'default/web', uid: 'uid-web' } : null),
  containerId: (_uid, name) => (name === 'app' ? 'c1' : ''),
  pod: (uid) => (uid === 'uid-web' ? 'default/web' : ''),
};
const tell = (body: RecordBody, lang: Lang) => narrate({ ...head, ...body } as TraceRecord, lookup, lang);

describe('the narrator', () => {
  it('has a sentence for every kind of record, in both languages', () => {
    for (const kind of allKinds) expect(samples[kind].length, kind).toBeGreaterThan(0);
    for (const body of allSamples)
      for (const lang of ['en', 'zh'] as const) {
        const { text, parts } = tell(body, lang);
        const where = `${lang} ${JSON.stringify(body)}: ${text}`;
        expect(text.length, where).toBeGreaterThan(3);
        expect(text, where).not.toMatch(/undefined|null|NaN|\[object| {2}| \.|。。|\.\.$/);
        expect(text, where).toMatch(lang === 'en' ? /\.$/ : /。$/);
        if (lang === 'zh') expect(text, where).toMatch(/[\u4e00-\u9fff]/);
        else expect(text, where).not.toMatch(/[\u4e00-\u9fff]/);
        expect(parts.map((p) => (typeof p === 'string' ? p : p.text)).join('')).toBe(text);
        for (const p of parts) if (typeof p !== 'string') expect(p.ref.id, where).not.toBe('');
      }
  });

  it('says it as the kubelet’s friends would', () => {
    const en = (body: RecordBody) => tell(body, 'en').text;
    const [died] = samples['pleg-transition'];
    expect(en(died as RecordBody)).toBe('PLEG saw container app of web go from running to exited (code 137).');
    const item = (value: Json) =>
      en({ kind: 'send', chan: 2, item: value, len: 2 }).replace(/.* puts (.*) on .*/, '$1');
    expect(item({ op: 'ADD', source: 'file', pods: ['default/web', 'kube-system/dns'] })).toBe(
      'ADD file web, kube-system/dns',
    );
    expect(item(5_042_792)).toBe('the tick of 5.043 s');
    expect(item(['default/web'])).toBe('web');
    expect(item({ containerID: '', result: 'Failure', uid: 'u-web' })).toMatch(/^Failure \(/);
    expect(item(null)).toBe('an item');
    expect(en(samples['pleg-event'][0] as RecordBody)).toBe('PLEG puts ContainerDied for app of web on plegCh.');
    expect(en(samples.select[0] as RecordBody)).toBe('syncLoop chooses plegCh; configCh was ready, too.');
    const waits = (chans: number[]) => en({ kind: 'wait', on: { op: 'select', chans } }).replace(/.* waits /, '');
    expect(waits([99, 1, 2])).toBe('for something on configCh or plegCh.');
    expect(waits([99])).toBe('for something on channel 99.');
    expect(tell(died as RecordBody, 'zh').text).toBe(
      'PLEG 看到 web 的容器 app 从 running（运行中） 变为 exited（已退出），退出码 137。',
    );
    expect(tell(samples.select[0] as RecordBody, 'zh').text).toBe('syncLoop 选中 plegCh；同时就绪的还有 configCh。');
  });

  it('says why a part of a source is missing', () => {
    const missing = (why: string) => [
      tell({ kind: 'evidence-gap', source: 'log', why }, 'zh').text,
      tell({ kind: 'evidence-source', id: 'log', source: 'log', name: 'a.log', state: 'lost', details: why }, 'zh')
        .text,
    ];
    expect(missing('It cannot be read any further: the file is gone.')).toEqual([
      '此处缺少内容（无法继续读取：the file is gone）。',
      'a.log 已无法读取（无法继续读取：the file is gone）。',
    ]);
    expect(missing('It is Tuesday.')).toEqual([
      '此处缺少内容（It is Tuesday.）。',
      'a.log 已无法读取（It is Tuesday.）。',
    ]);
  });

  it('says moments as moments, counts as they are', () => {
    const body: RecordBody = {
      kind: 'decision',
      rule: 'aRuleOfTomorrow',
      verdict: 'due',
      values: { why: 'resync', due: 149_047_237, total: 149_047_237 },
      pod: 'default/web',
      uid: 'uid-web',
    };
    expect(tell(body, 'en').text).toBe(
      'aRuleOfTomorrow decides about web: due, because resync (due 149.047 s, total 149047237).',
    );
  });

  it('says a known decision in plain words, and what a step is for', () => {
    const web = { pod: 'default/web', uid: 'uid-web' };
    const both = (body: RecordBody) => (['en', 'zh'] as const).map((lang) => tell(body, lang).text);
    const decide = (rule: string, verdict: string, values: Record<string, string>) =>
      both({ kind: 'decision', rule, verdict, values, container: 'app', ...web });
    expect(decide('getPhase', 'Pending', { why: 'a container waits for its first start' })).toEqual([
      'getPhase: web is Pending, because a container waits for its first start.',
      'getPhase：web 的 phase 是 Pending，因为有容器还没启动过。',
    ]);
    expect(decide('doBackOff', 'back off', { elapsed: '878.841ms', backOff: '10s' })[0]).toBe(
      'doBackOff: container app of web has to wait: it ended 878ms ago, and its back-off is 10s.',
    );
    // A verdict of a newer writer is said as it stands.
    expect(decide('doBackOff', 'constructor', {})[0]).toBe(
      'doBackOff decides about container app of web: constructor.',
    );
    const step = tell({ kind: 'step', fn: 'SyncPod', n: 9, name: 'mirror pod', ...web }, 'en');
    expect(step.why).toMatch(/^A static pod has a copy on the API server/);
    expect(tell({ kind: 'step', fn: 'SyncPod', n: 9, name: 'toString', ...web }, 'en').why).toBeUndefined();
  });

  it('says names, not ids; and nothing that is written for machines', () => {
    const id = '81c2fc3245fccc81c2fc3245fccc81c2fc3245fccc81c2fc3245fccc81c2fc32';
    const known: NameLookup = {
      ...lookup,
      container: (x) => (x === id ? { name: '', pod: 'default/web', uid: 'uid-web' } : lookup.container(x)),
    };
    const both = (body: RecordBody) =>
      (['en', 'zh'] as const).map((lang) => narrate({ ...head, ...body } as TraceRecord, known, lang).text);
    expect(both({ kind: 'cri-call', method: 'PodSandboxStatus', request: {}, sandbox: id })).toEqual([
      'The kubelet asks the runtime: PodSandboxStatus for the sandbox of web.',
      'kubelet 向运行时发出 PodSandboxStatus（web 的沙箱）。',
    ]);
    expect(
      both({ kind: 'send', chan: 2, item: { type: 'ContainerStarted', data: id, uid: 'uid-web' }, len: 1 })[0],
    ).toBe('syncLoop puts ContainerStarted sandbox (web) on plegCh, which now holds 1.');
    const kv = {
      pod: 'default/web',
      status: '{"conditions":[]}',
      got: 'KillPod: false, CreateSandbox: true',
      all: { a: 1 },
    };
    expect(both({ kind: 'log', severity: 'I', v: 2, msg: 'Status', kv, file: 'kubelet.go' })[0]).toBe(
      'The kubelet logs “Status” (pod default/web).',
    );
  });

  it('says in words what computePodActions found to do', () => {
    const body = (actions: { [key: string]: boolean | string | string[] | { name: string }[] }): RecordBody => ({
      kind: 'pod-actions',
      actions,
      pod: 'default/web',
      uid: 'uid-web',
    });
    const first = { killPod: true, createSandbox: true, sandboxID: '', containersToStart: ['app', 'side'] };
    expect(tell(body(first), 'en').text).toBe(
      'computePodActions says what web needs: create a sandbox, start app, side.',
    );
    expect(tell(body({ containersToKill: [{ name: 'app' }] }), 'en').text).toMatch(/needs: kill app\.$/);
    expect(tell(body({ killPod: true }), 'zh').text).toMatch(/杀掉 Pod。$/);
    expect(tell(body({}), 'en').text).toMatch(/nothing, it is as it should be\.$/);
  });

  it('makes links of names', () => {
    const refs = (body: RecordBody) =>
      tell(body, 'en').parts.flatMap((p) => (typeof p === 'string' ? [] : [`${p.text}=${p.ref.kind}:${p.ref.id}`]));
    expect(refs(samples['pleg-transition'][0] as RecordBody)).toEqual(['app=container:c1', 'web=pod:uid-web']);
    expect(refs(samples.select[1] as RecordBody)).toEqual(['syncLoop=goroutine:7', 'configCh=channel:1']);
    expect(refs(samples['cri-return'][0] as RecordBody)).toEqual([
      'StartContainer=record:9',
      'app=container:c1',
      'web=pod:uid-web',
    ]);
    expect(
      refs({
        kind: 'step',
        fn: 'startContainer',
        n: 1,
        name: 'pull',
        container: 'other',
        pod: 'kube-system/dns',
        uid: 'u9',
      }),
    ).toEqual(['kube-system/dns=pod:u9', 'other=container:u9/other']);
  });

  it('says why where it knows', () => {
    expect(tell(samples['cache-wait'][0] as RecordBody, 'en').why).toMatch(/own last sync/);
    expect(tell(samples.select[0] as RecordBody, 'zh').why).toMatch(/随机/);
    expect(tell(samples.select[1] as RecordBody, 'en').why).toBeUndefined();
    expect(tell({ kind: 'enter', fn: 'constructor' }, 'en').why).toBeUndefined();
  });

  it('says something of a kind that it does not know', () => {
    const unknown = { ...head, kind: 'constructor' } as unknown as TraceRecord;
    expect(narrate(unknown, lookup, 'en').text).toBe('A record of kind constructor.');
    expect(narrate(unknown, lookup, 'zh').text).toBe('一条 constructor 记录。');
  });

  it('quotes no message where a log has none', () => {
    const condition = {
      kind: 'node-condition',
      node: 'n',
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
    } as const;
    const of = (message: string, lang: Lang) => tell({ ...condition, message }, lang).text;
    expect([of('', 'en'), of('all is well', 'en')]).toEqual([
      'The node’s condition Ready is True: KubeletReady.',
      'The node’s condition Ready is True: KubeletReady, “all is well”.',
    ]);
    expect([of('', 'zh'), of('一切正常', 'zh')]).toEqual([
      '节点的状况 Ready 为 True：KubeletReady。',
      '节点的状况 Ready 为 True：KubeletReady，“一切正常”。',
    ]);
  });

  it('finds names in the state', () => {
    const tape = new Tape();
    tape.add({ kind: 'goroutine-start', id: 7, name: 'syncLoop', parent: 0, process: 'kubelet' });
    tape.add({ kind: 'chan-make', chan: 1, name: 'configCh', cap: 50 });
    tape.add({ kind: 'pod-config', source: 'file', op: 'ADD', pods: [{ pod: 'default/web', uid: 'u' }] });
    for (const attempt of [0, 1])
      tape.add({
        kind: 'actual-container',
        id: `c${attempt}`,
        sandbox: 's',
        uid: 'u',
        name: 'app',
        attempt,
        state: attempt === 0 ? 'exited' : 'running',
      });
    tape.add({ kind: 'actual-sandbox', id: 's', uid: 'u', pod: 'default/web', attempt: 0, state: 'ready' });
    const found = lookupOf(foldAll(tape.records));
    expect([
      found.goroutine(7),
      found.channel(1),
      found.pod('u'),
      found.containerId('u', 'app'),
      found.containerId('u', 'x'),
    ]).toEqual(['syncLoop', 'configCh', 'default/web', 'c1', '']);
    expect(found.container('c0')).toEqual({ name: 'app', pod: 'default/web', uid: 'u' });
    expect(found.container('s')).toEqual({ name: '', pod: 'default/web', uid: 'u' });
    expect(found.container('?')).toBeNull();
  });
});
