import { closeSync, readSync, statSync } from 'node:fs';
import { recognise, SOURCE_HEAD_BYTES } from '@syncloop/observe';
import { openRegularSync } from '../base/read-file.js';
import { isPacked } from './bundles.js';

/** A recording, as lines or packed, begins with one of these. */
const RECORDING = /^\ufeff?\s*\{[^\n]{0,4096}"format"\s*:\s*"syncloop-|^\ufffdSLR/;

/** True if `path` is a folder, or a file of a kubelet's evidence or an archive that may have some. */
export function isEvidence(path: string): boolean {
  if (path === '-') return false;
  try {
    if (statSync(path).isDirectory()) return true;
    const { fd } = openRegularSync(path);
    try {
      const head = new Uint8Array(SOURCE_HEAD_BYTES);
      const bytes = head.subarray(0, readSync(fd, head, 0, head.length, 0));
      if (RECORDING.test(new TextDecoder().decode(bytes.subarray(0, 8192)))) return false;
      const found = recognise(path, bytes);
      return found.is === 'source' || isPacked(bytes);
    } finally {
      closeSync(fd);
    }
  } catch {
    // Whoever opens it says why it cannot be.
    return false;
  }
}
