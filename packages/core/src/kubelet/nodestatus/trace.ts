import type { Kernel } from '../../kernel/index.js';
import type { NodeDraft } from './types.js';

/** Records the node's status in the trace if it differs from the last record. */
export class NodeTrace {
  private readonly conditions = new Map<string, string>();
  private status = '';
  constructor(private readonly kernel: Kernel) {}

  show({ metadata, status }: NodeDraft): void {
    const { addresses = [], capacity = {}, allocatable = {}, conditions = [] } = status;
    const said = JSON.stringify([addresses, capacity, allocatable]);
    if (said !== this.status) {
      this.status = said;
      this.kernel.emit({
        kind: 'node-status',
        op: 'set',
        node: metadata.name,
        addresses: addresses.map((a) => ({ ...a })),
        capacity: { ...capacity },
        allocatable: { ...allocatable },
      });
    }
    for (const { type, status: value, reason = '', message = '' } of conditions) {
      // Durations within a message would make every look news.
      const text = `${value} ${reason} ${message.replace(/\d[\d.hmsµ]*/g, '#')}`;
      if (this.conditions.get(type) === text) continue;
      this.conditions.set(type, text);
      this.kernel.emit({ kind: 'node-condition', type, status: value, reason, message });
    }
  }
}
