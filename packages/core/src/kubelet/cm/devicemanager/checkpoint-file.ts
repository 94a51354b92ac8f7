import { OSError, type OSInterface } from '../../../host/os.js';
import { type Go, type Kernel, Mutex } from '../../../kernel/index.js';
import { type CheckpointData, marshalCheckpoint, unmarshalCheckpoint } from './checkpoint.js';
import { kubeletDeviceManagerCheckpoint } from './types.js';

/** The prefix of temporary files' names. upstream: util/store tmpPrefix */
const tmpPrefix = '.';

/**
 * The file `kubelet_internal_checkpoint` in the folder of device plug-ins.
 * upstream: pkg/kubelet/checkpointmanager with a file store
 */
export class CheckpointFile {
  private readonly mutex: Mutex;
  constructor(
    kernel: Kernel,
    private readonly os: OSInterface,
    private readonly directory: string,
  ) {
    this.mutex = new Mutex(kernel, 'deviceCheckpoint');
  }

  get path(): string {
    return `${this.directory}/${kubeletDeviceManagerCheckpoint}`;
  }

  /** Writes by a temporary file, so that the file is whole whatever happens; the last to write has the newest data. */
  *write(data: () => CheckpointData): Go<void> {
    yield* this.mutex.lock();
    try {
      yield* this.os.mkdirAll(this.directory, 0o755);
      const temporary = `${this.directory}/${tmpPrefix}${kubeletDeviceManagerCheckpoint}.tmp`;
      yield* this.os.writeFile(temporary, marshalCheckpoint(data()), 0o600);
      if (this.os.syncFile) yield* this.os.syncFile(temporary);
      yield* this.os.rename(temporary, this.path);
    } finally {
      this.mutex.unlock();
    }
  }

  /** Reads the newest data; null if there is none. Throws if it cannot be read or believed. */
  *read(): Go<CheckpointData | null> {
    let text: string;
    try {
      text = yield* this.os.readFile(this.path);
    } catch (err) {
      if (err instanceof OSError && err.code === 'ENOENT') return null;
      throw err;
    }
    return unmarshalCheckpoint(text);
  }

  /** Returns true if the folder has no checkpoint, false also if it cannot be listed. upstream: ListCheckpoints */
  *folderIsEmpty(): Go<boolean> {
    try {
      return (yield* this.os.readDir(this.directory)).every((f) => f.name.startsWith(tmpPrefix));
    } catch {
      return false;
    }
  }
}
