import type { ApiObject } from '../types.js';

/** A change as a journal keeps it. */
export interface StoredChange {
  /** Written as the storage calls it: `pods`, `leases`. */
  readonly resource: string;
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  readonly version: number;
  /** The state after the change; null: the object is gone. */
  readonly object: ApiObject | null;
}

/** An object that a journal has kept. */
export interface KeptObject {
  readonly resource: string;
  readonly key: string;
  readonly object: ApiObject;
}

/** The state that a journal kept from an earlier run, after its last commit. */
export interface Kept {
  /** The version of the last change. */
  readonly version: number;
  readonly objects: Iterable<KeptObject>;
}

/**
 * Keeps the changes of a store where a restart does not lose them, such as on a disk.
 *
 * It takes changes with `Store.takeChanges` when it is ready for them, keeps all that it took in one go or none, and
 * then calls `Store.commit` or `Store.abort` between two steps of the kernel. Changes of one step are always taken
 * together, so long as it takes none in the middle of a step.
 */
export interface Journal {
  /** Called in the middle of a step when there are changes to take. The journal takes them later. */
  wake(): void;
}
