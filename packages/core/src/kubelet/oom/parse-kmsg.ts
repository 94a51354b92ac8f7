import type { OOMInstance } from './oom-watcher.js';

/** upstream: cadvisor utils/oomparser containerRegexp, lastLineRegexp */
const oomKill = /oom-kill:constraint=.*task_memcg=([^,]*),task=(.*),pid=(\d+),uid=\d+/;
const outOfMemoryIn = /,oom_memcg=([^,]*),/;
const killedProcess = /Kill(?:ed)? process (\d+),? \(([^)]*)\)/;

/**
 * Reads the kernel's log, line by line, for processes that it killed for lack of memory. Kernels since 5.0 say all in
 * one line; of older ones there is the line that names the process, and the cgroups are not known: taken to be the
 * machine's.
 */
export class OOMParser {
  /** True if the last line completed a message; the next line repeats it. */
  private completed = false;

  /** The text of one kernel message without its header; null if it is of another form. */
  line(text: string): OOMInstance | null {
    const whole = oomKill.exec(text);
    if (whole) {
      this.completed = true;
      return {
        pid: Number(whole[3]),
        processName: whole[2] ?? '',
        containerName: whole[1] ?? '/',
        // No cgroup's limit was reached: the machine itself had none left.
        victimContainerName: outOfMemoryIn.exec(text)?.[1] ?? '/',
      };
    }
    const killed = killedProcess.exec(text);
    if (!killed) return null;
    if (this.completed) {
      this.completed = false;
      return null;
    }
    return { pid: Number(killed[1]), processName: killed[2] ?? '', containerName: '/', victimContainerName: '/' };
  }
}

/** The message of a record of /dev/kmsg (`priority,sequence,time,flags;message`); null if it is not one. */
export function kmsgMessage(record: string): string | null {
  const m = /^\d+,\d+,\d+,[^;]*;([^\n]*)/.exec(record);
  return m ? (m[1] as string) : null;
}
