/**
 * Remembers which parts of a runtime are ours: the sandboxes that this root directory's kubelet made, their pods, and
 * the images that it pulled. The mark is kept here and not on the sandboxes, whose requests stay a kubelet's own to the
 * letter.
 */
import { appendFileSync, existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from '../base/errors.js';
import { readRegularSync } from '../base/read-file.js';

const fileName = 'syncloop-ownership';
const header = 'syncloop ownership 1';
/** An id, uid or image reference; each is a word of a line. */
const word = /^[^\s]{1,512}$/;
const mostLines = 200_000;

/** True if a text can be the name of one folder. */
const isName = (text: string): boolean => text !== '' && text !== '.' && text !== '..' && !/[/\\\0]/.test(text);

/**
 * A file of lines that are only ever added to: `sandbox ID UID`, `gone ID`, `image REF`. It is not flushed to the disk:
 * after a loss of power the folder of a pod (`pods/UID`, there before its sandbox) says the same.
 */
export class Ownership {
  private readonly sandboxes = new Map<string, string>();
  private readonly uids = new Set<string>();
  private readonly images = new Set<string>();

  private constructor(
    private readonly rootDir: string,
    private readonly file: string,
    /** False if this root directory never had such a file. */
    readonly known: boolean,
  ) {}

  /**
   * Reads the file of `rootDir`, which must exist, and shortens it. `podLogsDir`: its folders show which pods may be
   * forgotten.
   */
  static open(rootDir: string, podLogsDir: string): Ownership {
    const file = join(rootDir, fileName);
    let text = '';
    try {
      text = readRegularSync(file).toString('utf8');
    } catch (err) {
      if ((err as NodeJS.ErrnoException).code !== 'ENOENT')
        throw new SetupError(`cannot read ${file}: ${(err as Error).message}; it says which pods are this kubelet's`);
    }
    if (text !== '' && !text.startsWith(`${header}\n`))
      throw new SetupError(`${file} is not of this version of syncloop: move it away, then start with --adopt-pods`);
    const made = new Ownership(rootDir, file, text !== '');
    made.read(text);
    made.forget(podLogsDir);
    const temporary = `${file}.new`;
    try {
      writeFileSync(temporary, made.text(), { mode: 0o600 });
      renameSync(temporary, file);
    } catch (err) {
      throw new SetupError(`cannot write ${file}: ${(err as Error).message}; run as root or choose another --root-dir`);
    }
    return made;
  }

  /** Returns true if a pod or sandbox that the runtime reports is ours. Learns a sandbox's id by its pod. */
  hasSandbox(id: string | undefined, uid: string | undefined): boolean {
    if (id !== undefined && this.sandboxes.has(id)) return true;
    if (uid === undefined || !isName(uid) || !existsSync(join(this.rootDir, 'pods', uid))) return false;
    if (id !== undefined) this.addSandbox(id, uid);
    return true;
  }

  hasPod(uid: string): boolean {
    return this.uids.has(uid) || (isName(uid) && existsSync(join(this.rootDir, 'pods', uid)));
  }

  addSandbox(id: string, uid: string): void {
    if (this.sandboxes.has(id) || !word.test(id)) return;
    this.sandboxes.set(id, uid);
    if (word.test(uid)) this.uids.add(uid);
    this.append(`sandbox ${id} ${word.test(uid) ? uid : '-'}`);
  }

  removeSandbox(id: string): void {
    if (this.sandboxes.delete(id)) this.append(`gone ${id}`);
  }

  hasImage(...refs: readonly (string | undefined)[]): boolean {
    return refs.some((ref) => ref !== undefined && this.images.has(ref));
  }

  addImage(ref: string): void {
    if (this.images.has(ref) || !word.test(ref)) return;
    this.images.add(ref);
    this.append(`image ${ref}`);
  }

  private read(text: string): void {
    for (const line of text.split('\n', mostLines)) {
      const [kind, first = '', second = ''] = line.split(' ');
      if (kind === 'sandbox') {
        this.sandboxes.set(first, second);
        if (second !== '-') this.uids.add(second);
      } else if (kind === 'gone') this.sandboxes.delete(first);
      else if (kind === 'pod') this.uids.add(first);
      else if (kind === 'image') this.images.add(first);
    }
  }

  /** Forgets pods without a sandbox or logs. */
  private forget(podLogsDir: string): void {
    let logs: string[] = [];
    try {
      logs = readdirSync(podLogsDir);
    } catch {
      // It may not be there yet.
    }
    const left = new Set([...this.sandboxes.values(), ...logs.map(podOfLogs)]);
    for (const uid of this.uids) if (!left.has(uid)) this.uids.delete(uid);
  }

  private text(): string {
    const lines = [header];
    for (const [id, uid] of this.sandboxes) lines.push(`sandbox ${id} ${uid}`);
    for (const uid of this.uids) lines.push(`pod ${uid}`);
    for (const image of this.images) lines.push(`image ${image}`);
    return `${lines.join('\n')}\n`;
  }

  private append(line: string): void {
    try {
      appendFileSync(this.file, `${line}\n`, { mode: 0o600 });
    } catch {
      // The disk is full: what is known stays in memory until the end, and pods' folders show most of it afterwards.
    }
  }
}

/**
 * The uid in the name of a pod's log folder, `NAMESPACE_NAME_UID`. upstream: pkg/kubelet/kuberuntime
 * parsePodUIDFromLogsDirectory
 */
export const podOfLogs = (name: string): string => name.slice(name.lastIndexOf('_') + 1);
