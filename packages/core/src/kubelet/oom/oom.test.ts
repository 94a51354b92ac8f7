import { describe, expect, it } from 'vitest';
import { Kernel, makeChan, Second } from '../../kernel/index.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import { EventRecorder } from '../events.js';
import { type OOMInstance, startOOMWatcher } from './oom-watcher.js';
import { kmsgMessage, OOMParser } from './parse-kmsg.js';

describe('[3:OOM-01] the watcher', () => {
  it('tells of what the whole machine lost, and leaves containers to the runtime', () => {
    const records: TraceRecord[] = [];
    const k = new Kernel({ sink: (r) => records.push(r) });
    const ooms = makeChan<OOMInstance>(k, 'ooms', 10);
    const nodeRef = { metadata: { name: 'node1', namespace: '', uid: 'node1' } };
    k.go('start', () =>
      startOOMWatcher(
        k,
        {
          *streamOoms() {
            return ooms;
          },
        },
        new EventRecorder(k),
        nodeRef,
      ),
    );
    const oom = (victimContainerName: string, processName = 'java', pid = 7) =>
      ooms.trySend({ pid, processName, containerName: '/kubepods/x', victimContainerName });
    oom('/');
    oom('/kubepods/besteffort/podx');
    oom('/', '', 0);
    k.run({ until: Second });
    const events = records.filter((r): r is RecordOf<'kube-event'> => r.kind === 'kube-event');
    expect(events.map((e) => [e.type, e.reason, e.object.kind, e.message])).toEqual([
      ['Warning', 'SystemOOM', 'Node', 'System OOM encountered, victim process: java, pid: 7'],
      ['Warning', 'SystemOOM', 'Node', 'System OOM encountered'],
    ]);
    ooms.close();
    k.run({ until: 2 * Second });
    expect(records.some((r) => r.kind === 'log' && r.msg === 'Unexpectedly stopped receiving OOM notifications')).toBe(
      true,
    );
  });
});

describe("[3:OOM-01] the kernel's log", () => {
  const read = (...lines: string[]) => {
    const parser = new OOMParser();
    return lines.map((l) => parser.line(l)).filter((o) => o !== null);
  };
  it('of kernels that say all in one line', () => {
    expect(
      read(
        'java invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=1000',
        'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,oom_memcg=/kubepods/pod1,task_memcg=/kubepods/pod1/c1,task=java,pid=1234,uid=0',
        'Memory cgroup out of memory: Killed process 1234 (java) total-vm:100kB, anon-rss:50kB',
        'oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/user.slice,task=my, odd=name,pid=77,uid=1000',
        'Out of memory: Killed process 77 (my, odd=name) total-vm:100kB',
      ),
    ).toEqual([
      { pid: 1234, processName: 'java', containerName: '/kubepods/pod1/c1', victimContainerName: '/kubepods/pod1' },
      { pid: 77, processName: 'my, odd=name', containerName: '/user.slice', victimContainerName: '/' },
    ]);
  });
  it('of older kernels', () => {
    expect(read('Out of memory: Kill process 99 (mysqld) score 900 or sacrifice child', 'something else')).toEqual([
      { pid: 99, processName: 'mysqld', containerName: '/', victimContainerName: '/' },
    ]);
  });
  it('takes the message out of a record of /dev/kmsg', () => {
    expect(kmsgMessage('6,1234,98765,-;hello; world\n SUBSYSTEM=x')).toBe('hello; world');
    expect(kmsgMessage('nonsense')).toBe(null);
  });
});
