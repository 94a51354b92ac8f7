import type { TraceRecord } from '../../trace/index.js';
import { type ObservedVersion, VersionFold } from '../../version/index.js';

/** Learns from the records of an observed run which kubelet it is: its version, its node and its runtime. */
export class KubeletSeen {
  private readonly fold = new VersionFold();
  /** '' if no line has it. */
  node = '';
  runtime = '';

  /** The version as far as it is known. */
  get version(): ObservedVersion {
    return this.fold.found;
  }

  take(record: TraceRecord): void {
    this.fold.take(record);
    if (record.kind !== 'log') return;
    const { msg, kv } = record;
    const said = (key: string) => (typeof kv[key] === 'string' ? kv[key] : '');
    if (msg === 'Container runtime initialized')
      this.runtime = `${said('containerRuntime')} ${said('version')}`.trim() || this.runtime;
    else if (msg === 'Attempting to register node') this.node = said('node') || this.node;
  }
}
