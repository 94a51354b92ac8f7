import { OSError } from '../../host/os.js';

const texts: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EEXIST: 'file exists',
  ENOTDIR: 'not a directory',
  EISDIR: 'is a directory',
  ENOTEMPTY: 'directory not empty',
  ELOOP: 'too many levels of symbolic links',
  EACCES: 'permission denied',
  EROFS: 'read-only file system',
  EINVAL: 'invalid argument',
  EBUSY: 'device or resource busy',
  EXDEV: 'invalid cross-device link',
  EFBIG: 'file too large',
  ENOSPC: 'no space left on device',
  ENAMETOOLONG: 'file name too long',
};

/** An OSError as Go prints one: `open /x: no such file or directory`. */
export const osError = (code: string, op: string, path: string): OSError =>
  new OSError(code, `${op} ${path}: ${texts[code] ?? code}`);

export const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0)) || '/';
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  let n = text.length;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c >= 0x80) n += c >= 0xd800 && c <= 0xdfff ? 1 : c >= 0x800 ? 2 : 1;
  }
  return n;
}
